import type { FastifyReply } from 'fastify';
import { message } from '../../config/languages/message.ts';
import type { Invitation } from '../../identity/account-mails/check-link.ts';
import type { Providers } from '../../identity/providers/providers.ts';
import type { Variables } from '../kit/views.ts';
import type { PageKit, Visit } from '../kit/visit.ts';
import { callApi } from '../session/call-api.ts';

interface InvitationServices {
  find(token: string): Promise<Invitation | undefined>;
  readonly providers: Providers;
}

const tokenIn = (visit: Visit): string => visit.param('token');

/** The page of an invitation link: shows the inviter and the service, with a form for the first password. */
export function serveInvitation(kit: PageKit, services: InvitationServices): void {
  kit.page('/invitations/:token', 'public', (visit) => showInvitation(visit, services));
  kit.form('/invitations/:token', 'public', async (visit) => {
    const { password } = visit.form('password');
    const path = `/v1/password/resets/${encodeURIComponent(tokenIn(visit))}`;
    const answer = await callApi(visit.request, { method: 'POST', path, body: { password } });
    if (answer.ok) {
      kit.cookies.clearSession(visit.reply);
      return visit.redirect(`${kit.loginPath}?done=invited`);
    }
    const problem = answer.errors.password ? undefined : answer.message;
    return showInvitation(visit.status(answer.status), services, { errors: answer.errors, problem });
  });
}

async function showInvitation(
  visit: Visit,
  { find, providers }: InvitationServices,
  variables: Variables = {},
): Promise<FastifyReply> {
  const invitation = await find(tokenIn(visit));
  if (!invitation) {
    return visit.status(410).show('message', {
      title: message('mailed.dead'),
      lines: [message('mailed.dead_link')],
      action: { label: message('mailed.new_link'), path: '/password/forgot' },
    });
  }
  const { name, email, roles, inviter } = invitation;
  const title = name ? message('invitation.welcome_name', { name }) : message('invitation.welcome');
  const next_query = `?invitation=${encodeURIComponent(tokenIn(visit))}`;
  const buttons = await providers.buttons();
  const shared = { title, email, inviter, role: roles.join(', '), providers: buttons, next_query };
  return visit.show('invitation', { ...shared, ...variables });
}
