import type { FastifyReply } from 'fastify';
import { type LocalizedText, type Message, message } from '../../config/languages/message.ts';
import { readLogin } from '../../identity/accounts/identifiers.ts';
import { findUserByLogin } from '../../identity/accounts/user-store.ts';
import type { FindDestination } from '../authorize/destinations.ts';
import type { PageKit, Visit } from '../kit/visit.ts';
import { tokenOf } from '../session/authenticate-web.ts';
import { callApi } from '../session/call-api.ts';
import { localPath } from '../session/local-path.ts';

/** Whether a link is still valid. */
type IsGoodLink = (purpose: 'reset_password' | 'confirm_email' | 'undo_email', value: string) => Promise<boolean>;

type IsValidLink = (visit: Visit, purpose: Parameters<IsGoodLink>[0]) => Promise<boolean>;

function servePasswordReset(kit: PageKit, isAlive: IsValidLink): void {
  kit.page('/password/forgot', 'public', (visit) =>
    visit.query.done === 'sent' ? showSent(visit, message('mailed.reset_sent')) : showForgot(visit),
  );
  kit.form('/password/forgot', 'public', askForReset);
  kit.page('/password/reset/:token', 'public', async (visit) =>
    (await isAlive(visit, 'reset_password')) ? showReset(visit) : showDeadReset(visit),
  );
  kit.form('/password/reset/:token', 'public', resetPassword);
}

/** The pages of links in mail: a new password, and confirming or undoing a new address. Opening a link does not change anything. */
export function serveEmailLinks(kit: PageKit, findDestination: FindDestination, isGood: IsGoodLink): void {
  const isAlive = (visit: Visit, purpose: Parameters<IsGoodLink>[0]) => isGood(purpose, visit.param('token'));
  if (kit.config.localPasswords) servePasswordReset(kit, isAlive);

  kit.page('/email/confirmations', 'public', (visit) => showSent(visit, message('mailed.confirmation_sent')));
  kit.form('/email/confirmations', 'public', async (visit) => {
    // The response does not reveal whether the user exists: without a user, a mail to `nobody@invalid` takes the same time and
    // counts too.
    const email = (await addressOf(kit, visit.form('login').login)) ?? 'nobody@invalid';
    return sendConfirmation(visit, { body: { email } });
  });
  kit.form('/settings/confirmations', 'auth:web', (visit) =>
    sendConfirmation(visit, { body: {}, token: tokenOf(visit.request) }),
  );
  kit.page('/email/confirm/:token', 'public', async (visit) =>
    (await isAlive(visit, 'confirm_email'))
      ? visit.show('email-confirm', { title: message('email_confirm.title') })
      : showDeadConfirmation(visit),
  );
  kit.form('/email/confirm/:token', 'public', confirmEmail);
  kit.page('/email/undo/:token', 'public', async (visit) =>
    (await isAlive(visit, 'undo_email')) ? showUndo(visit) : showDeadUndo(visit),
  );
  kit.form('/email/undo/:token', 'public', undoChange);
  kit.page('/email/undone', 'public', (visit) =>
    visit.show('message', {
      title: message('mailed.undone'),
      lines: [message('mailed.undone_address'), message('mailed.undone_password')],
      action: { label: message('common.back_to_sign_in'), path: kit.loginPath },
    }),
  );
  kit.page('/email/confirmed', 'public', async (visit) => {
    const next = goingOn(visit);
    const destination = await findDestination(next);
    return visit.show('message', {
      title: message('mailed.confirmed'),
      lines: [message('mailed.thank_you')],
      action: destination
        ? { label: message('mailed.go_on', { application: destination.application }), path: next }
        : { label: message('common.continue'), path: '/settings' },
    });
  });
}

/** The user's destination before the mail was sent, if it was an application in this browser. */
const goingOn = (visit: Visit): string | undefined => localPath(visit.kit.cookies.read(visit.request).going);

const tokenIn = (visit: Visit): string => encodeURIComponent(visit.param('token'));

const showSent = (visit: Visit, line: Message) =>
  visit.show('message', {
    title: message('mailed.check'),
    lines: [line, message('mailed.spam')],
    action: { label: message('common.back_to_sign_in'), path: visit.kit.loginPath },
  });

const showDeadLink = (visit: Visit, lines: LocalizedText[], action: object) =>
  visit.status(410).show('message', { title: message('mailed.dead'), lines, action });

const showForgot = (visit: Visit, variables = {}) =>
  visit.show('password-forgot', { title: message('password_forgot.title'), ...variables });

const showReset = (visit: Visit, variables = {}) =>
  visit.show('password-reset', { title: message('password_reset.title'), ...variables });

async function askForReset(visit: Visit): Promise<FastifyReply> {
  const { email } = visit.form('email');
  const answer = await callApi(visit.request, { method: 'POST', path: '/v1/password/resets', body: { email } });
  if (answer.ok) return visit.redirect('/password/forgot?done=sent');
  const problem = answer.errors.email ? undefined : answer.message;
  return showForgot(visit.status(answer.status), { values: { email }, errors: answer.errors, problem });
}

const showDeadReset = (visit: Visit) =>
  showDeadLink(visit, [message('mailed.dead_link')], {
    label: message('mailed.new_link'),
    path: '/password/forgot',
  });

async function resetPassword(visit: Visit): Promise<FastifyReply> {
  const { password } = visit.form('password');
  const path = `/v1/password/resets/${tokenIn(visit)}`;
  const answer = await callApi(visit.request, { method: 'POST', path, body: { password } });
  if (answer.ok) {
    visit.kit.cookies.clearSession(visit.reply);
    const next = goingOn(visit);
    return visit.redirect(
      `${visit.kit.loginPath}?done=password-reset${next ? `&next=${encodeURIComponent(next)}` : ''}`,
    );
  }
  if (answer.errors.password) return showReset(visit.status(422), { errors: answer.errors });
  if (isDead(answer.status)) return showDeadReset(visit);
  return showReset(visit.status(answer.status), { problem: answer.message });
}

/** The email address of a user who entered another identifier. */
async function addressOf({ config, database }: PageKit, login: string): Promise<string | undefined> {
  if (login.includes('@')) return login;
  const identifier = readLogin(login, config.loginAttributes);
  const user = identifier && (await findUserByLogin(database.db, identifier));
  return user?.email ?? undefined;
}

/** Sends a mail to the address in the body, or to the owner of the token. */
async function sendConfirmation(
  visit: Visit,
  whose: { body: Record<string, string>; token?: string },
): Promise<FastifyReply> {
  const answer = await callApi(visit.request, { method: 'POST', path: '/v1/email/confirmations', ...whose });
  if (answer.ok) return visit.redirect('/email/confirmations');
  return visit.status(answer.status).show('message', {
    title: message('mailed.not_sent'),
    lines: [answer.errors.email ?? answer.message],
    action: { label: message('common.back'), path: '/settings' },
  });
}

async function confirmEmail(visit: Visit): Promise<FastifyReply> {
  const path = `/v1/email/confirmations/${tokenIn(visit)}`;
  const answer = await callApi(visit.request, { method: 'POST', path, body: {} });
  if (answer.ok) return visit.redirect('/email/confirmed');
  if (!isDead(answer.status)) {
    const variables = { title: message('email_confirm.title'), problem: answer.message };
    return visit.status(answer.status).show('email-confirm', variables);
  }
  return answer.code === 'email_taken' ? showDeadConfirmation(visit, [answer.message]) : showDeadConfirmation(visit);
}

const showDeadConfirmation = (
  visit: Visit,
  lines: LocalizedText[] = [message('mailed.dead_address'), message('mailed.sign_in_for_new')],
) => showDeadLink(visit, lines, { label: message('login.title'), path: visit.kit.loginPath });

const showUndo = (visit: Visit, variables = {}) =>
  visit.show('email-undo', { title: message('email_undo.title'), ...variables });

async function undoChange(visit: Visit): Promise<FastifyReply> {
  const path = `/v1/email/reversals/${tokenIn(visit)}`;
  const answer = await callApi(visit.request, { method: 'POST', path, body: {} });
  if (answer.ok) {
    visit.kit.cookies.clearSession(visit.reply);
    return visit.redirect('/email/undone');
  }
  if (!isDead(answer.status)) return showUndo(visit.status(answer.status), { problem: answer.message });
  return showDeadUndo(visit);
}

const showDeadUndo = (visit: Visit) =>
  showDeadLink(visit, [message('mailed.dead_link'), message('mailed.tell_operators')], {
    label: message('login.title'),
    path: visit.kit.loginPath,
  });

const isDead = (status: number): boolean => [400, 404, 409, 410, 422].includes(status);
