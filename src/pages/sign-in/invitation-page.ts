import type { FastifyReply, FastifyRequest } from 'fastify';
import { message } from '../../config/languages/message.ts';
import type { Invitation } from '../../identity/account-mails/look-at-link.ts';
import type { Providers } from '../../identity/providers/providers.ts';
import { type PageKit, readForm } from '../kit/page-kit.ts';
import type { Variables } from '../kit/views.ts';
import { callOwnApi } from '../session/own-api.ts';

interface Means {
  find(token: string): Promise<Invitation | undefined>;
  readonly providers: Providers;
}

const tokenIn = (request: FastifyRequest): string => (request.params as { token: string }).token;

/** Where the link of an invitation leads: who invited the person to what, and a form for the first password. */
export function serveInvitation(kit: PageKit, means: Means): void {
  kit.page('/invitations/:token', 'public', (request, reply) => showInvitation(kit, means, request, reply));
  kit.form('/invitations/:token', 'public', async (request, reply) => {
    const { password } = readForm(request, 'password');
    const path = `/v1/password/resets/${encodeURIComponent(tokenIn(request))}`;
    const answer = await callOwnApi(request, { method: 'POST', path, body: { password } });
    if (answer.ok) {
      kit.cookies.clearSession(reply);
      return kit.go(reply, `${kit.loginPath}?done=invited`);
    }
    const problem = answer.errors.password ? undefined : answer.message;
    return showInvitation(kit, means, request, reply.code(answer.status), { errors: answer.errors, problem });
  });
}

async function showInvitation(
  kit: PageKit,
  { find, providers }: Means,
  request: FastifyRequest,
  reply: FastifyReply,
  variables: Variables = {},
): Promise<FastifyReply> {
  const invitation = await find(tokenIn(request));
  if (!invitation) {
    return kit.show(request, reply.code(410), 'message', {
      title: message('mailed.dead'),
      lines: [message('mailed.dead_link')],
      action: { label: message('mailed.new_link'), path: '/password/forgot' },
    });
  }
  const { name, email, roles, inviter } = invitation;
  const title = name ? message('invitation.welcome_name', { name }) : message('invitation.welcome');
  const next_query = `?invitation=${encodeURIComponent(tokenIn(request))}`;
  const buttons = await providers.buttons();
  const shared = { title, email, inviter, role: roles.join(', '), providers: buttons, next_query };
  return kit.show(request, reply, 'invitation', { ...shared, ...variables });
}
