import type { FastifyReply, FastifyRequest } from 'fastify';
import { readLogin } from '../../users/accounts/identifiers.ts';
import { findUserByLogin } from '../../users/accounts/user-store.ts';
import type { FindDestination } from '../authorize/destinations.ts';
import { type PageKit, queryOf, readForm } from '../kit/page-kit.ts';
import { tokenOf } from '../session/authenticate-web.ts';
import { localPath } from '../session/local-path.ts';
import { callOwnApi } from '../session/own-api.ts';

/** What mail leads to: a new password, and the confirmation of an address or the way back to the old one. Opening a link changes nothing yet. */
export function serveMailedLinks(kit: PageKit, findDestination: FindDestination): void {
  kit.page('/password/forgot', 'public', (request, reply) =>
    queryOf(request).done === 'sent'
      ? showSent(
          kit,
          request,
          reply,
          'If there is an account with this address, a link to choose a new password is on its way to it.',
        )
      : showForgot(kit, request, reply),
  );
  kit.form('/password/forgot', 'public', (request, reply) => askForReset(kit, request, reply));
  kit.page('/password/reset/:token', 'public', (request, reply) => showReset(kit, request, reply));
  kit.form('/password/reset/:token', 'public', (request, reply) => resetPassword(kit, request, reply));

  kit.page('/email/confirmations', 'public', (request, reply) =>
    showSent(kit, request, reply, 'If this address waits to be confirmed, a new link is on its way to it.'),
  );
  kit.form('/email/confirmations', 'public', async (request, reply) => {
    // Nobody is told whether there is such a user: where there is none, a mail to nobody takes as long, and counts as much.
    const email = (await addressOf(kit, readForm(request, 'login').login)) ?? 'nobody@invalid';
    return sendConfirmation(kit, request, reply, { body: { email } });
  });
  kit.form('/settings/confirmations', 'auth:web', (request, reply) =>
    sendConfirmation(kit, request, reply, { body: {}, token: tokenOf(request) }),
  );
  kit.page('/email/confirm/:token', 'public', (request, reply) =>
    kit.show(request, reply, 'email-confirm', { title: 'Confirm your email address' }),
  );
  kit.form('/email/confirm/:token', 'public', (request, reply) => confirmEmail(kit, request, reply));
  kit.page('/email/undo/:token', 'public', (request, reply) => showUndo(kit, request, reply));
  kit.form('/email/undo/:token', 'public', (request, reply) => undoChange(kit, request, reply));
  kit.page('/email/undone', 'public', (request, reply) =>
    kit.show(request, reply, 'message', {
      title: 'Your account is yours',
      lines: [
        'It has this email address again, and everybody is signed out.',
        'A mail with a link to choose a new password is on its way to you. The old one does not work any more.',
      ],
      action: { label: 'Back to sign in', path: kit.loginPath },
    }),
  );
  kit.page('/email/confirmed', 'public', async (request, reply) => {
    const next = goingOn(kit, request);
    const destination = await findDestination(next);
    return kit.show(request, reply, 'message', {
      title: 'Your address is confirmed',
      lines: ['Thank you. That was all.'],
      action: destination
        ? { label: `Go on to ${destination.application}`, path: next }
        : { label: 'Continue', path: '/settings' },
    });
  });
}

/** Where the person was going before the mail was sent, if that was to an application and in this browser. */
const goingOn = (kit: PageKit, request: FastifyRequest): string | undefined =>
  localPath(kit.cookies.read(request).going);

const tokenIn = (request: FastifyRequest): string => encodeURIComponent((request.params as { token: string }).token);

const showSent = (kit: PageKit, request: FastifyRequest, reply: FastifyReply, line: string) =>
  kit.show(request, reply, 'message', {
    title: 'Check your mail',
    lines: [line, 'Nothing there after a few minutes? Check the spam folder too.'],
    action: { label: 'Back to sign in', path: kit.loginPath },
  });

const showDeadLink = (kit: PageKit, request: FastifyRequest, reply: FastifyReply, lines: string[], action: object) =>
  kit.show(request, reply, 'message', { title: 'This link does not work any more', lines, action });

const showForgot = (kit: PageKit, request: FastifyRequest, reply: FastifyReply, variables = {}) =>
  kit.show(request, reply, 'password-forgot', { title: 'Forgotten password', ...variables });

const showReset = (kit: PageKit, request: FastifyRequest, reply: FastifyReply, variables = {}) =>
  kit.show(request, reply, 'password-reset', { title: 'Choose a new password', ...variables });

async function askForReset(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { email } = readForm(request, 'email');
  const answer = await callOwnApi(request, { method: 'POST', path: '/v1/password/resets', body: { email } });
  if (answer.ok) return kit.go(reply, '/password/forgot?done=sent');
  const problem = answer.errors.email ? undefined : answer.message;
  return showForgot(kit, request, reply.code(answer.status), { values: { email }, errors: answer.errors, problem });
}

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
  if (isDead(answer.status)) {
    const action = { label: 'Send a new link', path: '/password/forgot' };
    return showDeadLink(kit, request, reply.code(410), ['It was used before, or it is too old.'], action);
  }
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
    title: 'The mail was not sent',
    lines: [answer.errors.email ?? answer.message],
    action: { label: 'Back', path: '/settings' },
  });
}

async function confirmEmail(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const path = `/v1/email/confirmations/${tokenIn(request)}`;
  const answer = await callOwnApi(request, { method: 'POST', path, body: {} });
  if (answer.ok) return kit.go(reply, '/email/confirmed');
  if (!isDead(answer.status)) {
    const variables = { title: 'Confirm your email address', problem: answer.message };
    return kit.show(request, reply.code(answer.status), 'email-confirm', variables);
  }
  const lines =
    answer.code === 'email_taken'
      ? [answer.message]
      : [
          'It was used before, it is too old, or your address has changed since.',
          'Sign in, and we send you a new one.',
        ];
  return showDeadLink(kit, request, reply.code(410), lines, { label: 'Sign in', path: kit.loginPath });
}

const showUndo = (kit: PageKit, request: FastifyRequest, reply: FastifyReply, variables = {}) =>
  kit.show(request, reply, 'email-undo', { title: 'Keep your email address', ...variables });

async function undoChange(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const path = `/v1/email/reversals/${tokenIn(request)}`;
  const answer = await callOwnApi(request, { method: 'POST', path, body: {} });
  if (answer.ok) {
    kit.cookies.clearSession(reply);
    return kit.go(reply, '/email/undone');
  }
  if (!isDead(answer.status)) return showUndo(kit, request, reply.code(answer.status), { problem: answer.message });
  const lines = [
    'It was used before, or it is too old.',
    'Tell the people who run this service if something is wrong.',
  ];
  const action = { label: 'Sign in', path: kit.loginPath };
  return showDeadLink(kit, request, reply.code(410), lines, action);
}

const isDead = (status: number): boolean => [400, 404, 409, 410, 422].includes(status);
