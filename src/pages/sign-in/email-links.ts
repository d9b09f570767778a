import type { FastifyReply, FastifyRequest } from 'fastify';
import { type LocalizedText, type Message, message } from '../../config/languages/message.ts';
import { readLogin } from '../../identity/accounts/identifiers.ts';
import { findUserByLogin } from '../../identity/accounts/user-store.ts';
import type { FindDestination } from '../authorize/destinations.ts';
import { type PageKit, queryOf, readForm } from '../kit/page-kit.ts';
import { tokenOf } from '../session/authenticate-web.ts';
import { localPath } from '../session/local-path.ts';
import { callOwnApi } from '../session/own-api.ts';

/** Whether a link would still work. */
type IsGoodLink = (purpose: 'reset_password' | 'confirm_email' | 'undo_email', value: string) => Promise<boolean>;

type IsAlive = (request: FastifyRequest, purpose: Parameters<IsGoodLink>[0]) => Promise<boolean>;

function servePasswordReset(kit: PageKit, isAlive: IsAlive): void {
  kit.page('/password/forgot', 'public', (request, reply) =>
    queryOf(request).done === 'sent'
      ? showSent(kit, request, reply, message('mailed.reset_sent'))
      : showForgot(kit, request, reply),
  );
  kit.form('/password/forgot', 'public', (request, reply) => askForReset(kit, request, reply));
  kit.page('/password/reset/:token', 'public', async (request, reply) =>
    (await isAlive(request, 'reset_password')) ? showReset(kit, request, reply) : showDeadReset(kit, request, reply),
  );
  kit.form('/password/reset/:token', 'public', (request, reply) => resetPassword(kit, request, reply));
}

/** The pages of links in mail: a new password, and the confirmation or the undoing of a new address. Opening a link changes nothing yet. */
export function serveEmailLinks(kit: PageKit, findDestination: FindDestination, isGood: IsGoodLink): void {
  const isAlive = (request: FastifyRequest, purpose: Parameters<IsGoodLink>[0]) =>
    isGood(purpose, (request.params as { token: string }).token);
  if (kit.config.localPasswords) servePasswordReset(kit, isAlive);

  kit.page('/email/confirmations', 'public', (request, reply) =>
    showSent(kit, request, reply, message('mailed.confirmation_sent')),
  );
  kit.form('/email/confirmations', 'public', async (request, reply) => {
    // Nobody is told whether there is such a user: where there is none, a mail to nobody takes as long, and counts as much.
    const email = (await addressOf(kit, readForm(request, 'login').login)) ?? 'nobody@invalid';
    return sendConfirmation(kit, request, reply, { body: { email } });
  });
  kit.form('/settings/confirmations', 'auth:web', (request, reply) =>
    sendConfirmation(kit, request, reply, { body: {}, token: tokenOf(request) }),
  );
  kit.page('/email/confirm/:token', 'public', async (request, reply) =>
    (await isAlive(request, 'confirm_email'))
      ? kit.show(request, reply, 'email-confirm', { title: message('email_confirm.title') })
      : showDeadConfirmation(kit, request, reply),
  );
  kit.form('/email/confirm/:token', 'public', (request, reply) => confirmEmail(kit, request, reply));
  kit.page('/email/undo/:token', 'public', async (request, reply) =>
    (await isAlive(request, 'undo_email')) ? showUndo(kit, request, reply) : showDeadUndo(kit, request, reply),
  );
  kit.form('/email/undo/:token', 'public', (request, reply) => undoChange(kit, request, reply));
  kit.page('/email/undone', 'public', (request, reply) =>
    kit.show(request, reply, 'message', {
      title: message('mailed.undone'),
      lines: [message('mailed.undone_address'), message('mailed.undone_password')],
      action: { label: message('common.back_to_sign_in'), path: kit.loginPath },
    }),
  );
  kit.page('/email/confirmed', 'public', async (request, reply) => {
    const next = goingOn(kit, request);
    const destination = await findDestination(next);
    return kit.show(request, reply, 'message', {
      title: message('mailed.confirmed'),
      lines: [message('mailed.thank_you')],
      action: destination
        ? { label: message('mailed.go_on', { application: destination.application }), path: next }
        : { label: message('common.continue'), path: '/settings' },
    });
  });
}

/** Where the person was going before the mail was sent, if that was to an application and in this browser. */
const goingOn = (kit: PageKit, request: FastifyRequest): string | undefined =>
  localPath(kit.cookies.read(request).going);

const tokenIn = (request: FastifyRequest): string => encodeURIComponent((request.params as { token: string }).token);

const showSent = (kit: PageKit, request: FastifyRequest, reply: FastifyReply, line: Message) =>
  kit.show(request, reply, 'message', {
    title: message('mailed.check'),
    lines: [line, message('mailed.spam')],
    action: { label: message('common.back_to_sign_in'), path: kit.loginPath },
  });

const showDeadLink = (
  kit: PageKit,
  request: FastifyRequest,
  reply: FastifyReply,
  lines: LocalizedText[],
  action: object,
) => kit.show(request, reply.code(410), 'message', { title: message('mailed.dead'), lines, action });

const showForgot = (kit: PageKit, request: FastifyRequest, reply: FastifyReply, variables = {}) =>
  kit.show(request, reply, 'password-forgot', { title: message('password_forgot.title'), ...variables });

const showReset = (kit: PageKit, request: FastifyRequest, reply: FastifyReply, variables = {}) =>
  kit.show(request, reply, 'password-reset', { title: message('password_reset.title'), ...variables });

async function askForReset(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { email } = readForm(request, 'email');
  const answer = await callOwnApi(request, { method: 'POST', path: '/v1/password/resets', body: { email } });
  if (answer.ok) return kit.go(reply, '/password/forgot?done=sent');
  const problem = answer.errors.email ? undefined : answer.message;
  return showForgot(kit, request, reply.code(answer.status), { values: { email }, errors: answer.errors, problem });
}

const showDeadReset = (kit: PageKit, request: FastifyRequest, reply: FastifyReply) =>
  showDeadLink(kit, request, reply, [message('mailed.dead_link')], {
    label: message('mailed.new_link'),
    path: '/password/forgot',
  });

async function resetPassword(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { password } = readForm(request, 'password');
  const path = `/v1/password/resets/${tokenIn(request)}`;
  const answer = await callOwnApi(request, { method: 'POST', path, body: { password } });
  if (answer.ok) {
    kit.cookies.clearSession(reply);
    const next = goingOn(kit, request);
    return kit.go(reply, `${kit.loginPath}?done=password-reset${next ? `&next=${encodeURIComponent(next)}` : ''}`);
  }
  if (answer.errors.password) return showReset(kit, request, reply.code(422), { errors: answer.errors });
  if (isDead(answer.status)) return showDeadReset(kit, request, reply);
  return showReset(kit, request, reply.code(answer.status), { problem: answer.message });
}

/** The address to write to, for who signed in by another identifier. */
async function addressOf({ config, database }: PageKit, login: string): Promise<string | undefined> {
  if (login.includes('@')) return login;
  const identifier = readLogin(login, config.loginAttributes);
  const user = identifier && (await findUserByLogin(database.db, identifier));
  return user?.email ?? undefined;
}

/** To the address in the body, or to that of whom the token belongs to. */
async function sendConfirmation(
  kit: PageKit,
  request: FastifyRequest,
  reply: FastifyReply,
  whose: { body: Record<string, string>; token?: string },
): Promise<FastifyReply> {
  const answer = await callOwnApi(request, { method: 'POST', path: '/v1/email/confirmations', ...whose });
  if (answer.ok) return kit.go(reply, '/email/confirmations');
  return kit.show(request, reply.code(answer.status), 'message', {
    title: message('mailed.not_sent'),
    lines: [answer.errors.email ?? answer.message],
    action: { label: message('common.back'), path: '/settings' },
  });
}

async function confirmEmail(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const path = `/v1/email/confirmations/${tokenIn(request)}`;
  const answer = await callOwnApi(request, { method: 'POST', path, body: {} });
  if (answer.ok) return kit.go(reply, '/email/confirmed');
  if (!isDead(answer.status)) {
    const variables = { title: message('email_confirm.title'), problem: answer.message };
    return kit.show(request, reply.code(answer.status), 'email-confirm', variables);
  }
  return answer.code === 'email_taken'
    ? showDeadConfirmation(kit, request, reply, [answer.message])
    : showDeadConfirmation(kit, request, reply);
}

const showDeadConfirmation = (
  kit: PageKit,
  request: FastifyRequest,
  reply: FastifyReply,
  lines: LocalizedText[] = [message('mailed.dead_address'), message('mailed.sign_in_for_new')],
) => showDeadLink(kit, request, reply, lines, { label: message('login.title'), path: kit.loginPath });

const showUndo = (kit: PageKit, request: FastifyRequest, reply: FastifyReply, variables = {}) =>
  kit.show(request, reply, 'email-undo', { title: message('email_undo.title'), ...variables });

async function undoChange(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const path = `/v1/email/reversals/${tokenIn(request)}`;
  const answer = await callOwnApi(request, { method: 'POST', path, body: {} });
  if (answer.ok) {
    kit.cookies.clearSession(reply);
    return kit.go(reply, '/email/undone');
  }
  if (!isDead(answer.status)) return showUndo(kit, request, reply.code(answer.status), { problem: answer.message });
  return showDeadUndo(kit, request, reply);
}

const showDeadUndo = (kit: PageKit, request: FastifyRequest, reply: FastifyReply) =>
  showDeadLink(kit, request, reply, [message('mailed.dead_link'), message('mailed.tell_operators')], {
    label: message('login.title'),
    path: kit.loginPath,
  });

const isDead = (status: number): boolean => [400, 404, 409, 410, 422].includes(status);
