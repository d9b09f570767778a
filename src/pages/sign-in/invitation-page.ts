import { message } from '../../config/languages/message.ts';
import type { findInvitation } from '../../identity/account-mails/check-link.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import type { Variables } from '../kit/views.ts';
import { callApi } from '../session/call-api.ts';

type FindInvitation = (token: string) => ReturnType<typeof findInvitation>;

const tokenIn = (pageRequest: PageRequest): string => pageRequest.param('token');

/** The page of an invitation link: shows the inviter and the service, with a form for the first password. */
export function serveInvitation(kit: PageKit, find: FindInvitation): void {
  kit.page('/invitations/:token', 'public', (pageRequest) => showInvitation(pageRequest, find));
  kit.form('/invitations/:token', 'public', async (pageRequest) => {
    const { password } = pageRequest.form('password');
    const path = `/v1/password/resets/${encodeURIComponent(tokenIn(pageRequest))}`;
    const response = await callApi(pageRequest.request, { method: 'POST', path, body: { password } });
    if (response.ok) {
      kit.cookies.clearSession(pageRequest.reply);
      return pageRequest.redirect(`${kit.loginPath}?done=invited`);
    }
    const problem = response.errors.password ? undefined : response.message;
    return showInvitation(pageRequest.status(response.status), find, { errors: response.errors, problem });
  });
}

async function showInvitation(pageRequest: PageRequest, find: FindInvitation, variables: Variables = {}) {
  const invitation = await find(tokenIn(pageRequest));
  if (!invitation) {
    return pageRequest.status(410).show('message', {
      title: message('mailed.dead'),
      lines: [message('mailed.dead_link')],
      action: { label: message('mailed.new_link'), path: '/password/forgot' },
    });
  }
  const { name, email, roles, inviter } = invitation;
  const title = name ? message('invitation.welcome_name', { name }) : message('invitation.welcome');
  const next_query = `?invitation=${encodeURIComponent(tokenIn(pageRequest))}`;
  const buttons = await pageRequest.kit.providers.buttons();
  const shared = { title, email, inviter, role: roles.join(', '), providers: buttons, next_query };
  return pageRequest.show('invitation', { ...shared, ...variables });
}
