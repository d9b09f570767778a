import type { FastifyReply } from 'fastify';
import { type LocalizedText, type Message, message } from '../../config/languages/message.ts';
import { findInvitation, isValidLink } from '../../identity/account-mails/one-time-tokens.ts';
import { readLogin } from '../../identity/accounts/identifiers.ts';
import { findUserByLogin } from '../../identity/accounts/user-store.ts';
import { findDestination } from '../authorize/destinations.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import type { Variables } from '../kit/views.ts';
import type { ApiResponse } from '../session/call-api.ts';
import { localPath, nextQuery } from '../session/local-path.ts';

/** Whether the link of a page is still valid. */
const isAlive = (pageRequest: PageRequest, purpose: Parameters<typeof isValidLink>[2]) =>
  isValidLink(pageRequest.kit.oauth.context, pageRequest.kit.oauth.keys, purpose, pageRequest.param('token'));

function servePasswordReset(kit: PageKit): void {
  kit.page('/password/forgot', 'public', (pageRequest) =>
    pageRequest.query.done === 'sent' ? showSent(pageRequest, message('mailed.reset_sent')) : showForgot(pageRequest),
  );
  kit.form('/password/forgot', 'public', askForReset);
  kit.page('/password/reset/:token', 'public', async (pageRequest) =>
    (await isAlive(pageRequest, 'reset_password')) ? showReset(pageRequest) : showDeadReset(pageRequest),
  );
  kit.form('/password/reset/:token', 'public', resetPassword);
}

/** The pages of links in mail: a new password, and confirming or undoing a new address. Opening a link does not change anything. */
export function serveEmailLinks(kit: PageKit): void {
  if (kit.config.localPasswords) servePasswordReset(kit);

  kit.page('/email/confirmations', 'public', (pageRequest) =>
    showSent(pageRequest, message('mailed.confirmation_sent')),
  );
  kit.form('/email/confirmations', 'public', async (pageRequest) => {
    // The response does not reveal whether the user exists: without a user, a mail to `nobody@invalid` takes the same time and
    // counts too.
    const email = (await addressOf(kit, pageRequest.form('login').login)) ?? 'nobody@invalid';
    return showConfirmation(pageRequest, await pageRequest.call('POST', confirmations, { email }));
  });
  kit.form('/settings/confirmations', 'auth:web', async (pageRequest) =>
    showConfirmation(pageRequest, await pageRequest.callAsUser('POST', confirmations, {})),
  );
  kit.page('/email/confirm/:token', 'public', async (pageRequest) =>
    (await isAlive(pageRequest, 'confirm_email'))
      ? pageRequest.show('email-confirm', { title: message('email_confirm.title') })
      : showDeadConfirmation(pageRequest),
  );
  kit.form('/email/confirm/:token', 'public', confirmEmail);
  kit.page('/email/undo/:token', 'public', async (pageRequest) =>
    (await isAlive(pageRequest, 'undo_email')) ? showUndo(pageRequest) : showDeadUndo(pageRequest),
  );
  kit.form('/email/undo/:token', 'public', undoChange);
  kit.page('/email/undone', 'public', (pageRequest) =>
    pageRequest.show('message', {
      title: message('mailed.undone'),
      lines: [message('mailed.undone_address'), message('mailed.undone_password')],
      action: { label: message('common.back_to_sign_in'), path: kit.loginPath },
    }),
  );
  kit.page('/email/confirmed', 'public', async (pageRequest) => {
    const next = goingOn(pageRequest);
    const destination = await findDestination(kit.oauth, next);
    return pageRequest.show('message', {
      title: message('mailed.confirmed'),
      lines: [message('mailed.thank_you')],
      action: destination
        ? { label: message('mailed.go_on', { application: destination.application }), path: next }
        : { label: message('common.continue'), path: '/settings' },
    });
  });
}

/** The user's destination before the mail was sent, if it was an application in this browser. */
const goingOn = (pageRequest: PageRequest): string | undefined =>
  localPath(pageRequest.kit.cookies.read(pageRequest.request).going);

const tokenIn = (pageRequest: PageRequest): string => encodeURIComponent(pageRequest.param('token'));

const showSent = (pageRequest: PageRequest, line: Message) =>
  pageRequest.show('message', {
    title: message('mailed.check'),
    lines: [line, message('mailed.spam')],
    action: { label: message('common.back_to_sign_in'), path: pageRequest.kit.loginPath },
  });

const showDeadLink = (pageRequest: PageRequest, lines: LocalizedText[], action: object) =>
  pageRequest.status(410).show('message', { title: message('mailed.dead'), lines, action });

const showForgot = (pageRequest: PageRequest, variables = {}) =>
  pageRequest.show('password-forgot', { title: message('password_forgot.title'), ...variables });

const showReset = (pageRequest: PageRequest, variables = {}) =>
  pageRequest.show('password-reset', { title: message('password_reset.title'), ...variables });

async function askForReset(pageRequest: PageRequest): Promise<FastifyReply> {
  const { email } = pageRequest.form('email');
  const response = await pageRequest.call('POST', '/v1/password/resets', { email });
  if (response.ok) return pageRequest.redirect('/password/forgot?done=sent');
  const problem = response.errors.email ? undefined : response.message;
  return showForgot(pageRequest.statusOf(response), { values: { email }, errors: response.errors, problem });
}

const showDeadReset = (pageRequest: PageRequest) =>
  showDeadLink(pageRequest, [message('mailed.dead_link')], {
    label: message('mailed.new_link'),
    path: '/password/forgot',
  });

/** Sets the password of the form. The link ends all sessions, so this browser forgets its own. */
async function sendPassword(pageRequest: PageRequest) {
  const path = `/v1/password/resets/${tokenIn(pageRequest)}`;
  const response = await pageRequest.call('POST', path, pageRequest.form('password'));
  if (response.ok) pageRequest.kit.cookies.clearSession(pageRequest.reply);
  return response;
}

async function resetPassword(pageRequest: PageRequest): Promise<FastifyReply> {
  const response = await sendPassword(pageRequest);
  if (response.ok) {
    const query = `?done=password-reset${nextQuery(goingOn(pageRequest)).replace('?', '&')}`;
    return pageRequest.redirect(pageRequest.kit.loginPath + query);
  }
  if (response.errors.password) return showReset(pageRequest.status(422), { errors: response.errors });
  if (isDead(response.status)) return showDeadReset(pageRequest);
  return showReset(pageRequest.statusOf(response), { problem: response.message });
}

/** The email address of a user who entered another identifier. */
async function addressOf({ config, database }: PageKit, login: string): Promise<string | undefined> {
  if (login.includes('@')) return login;
  const identifier = readLogin(login, config.loginAttributes);
  const user = identifier && (await findUserByLogin(database.db, identifier));
  return user?.email ?? undefined;
}

const confirmations = '/v1/email/confirmations';

/** Redirects to the page about the mail that was sent, or shows why it was not sent. */
async function showConfirmation(pageRequest: PageRequest, response: ApiResponse<unknown>): Promise<FastifyReply> {
  if (response.ok) return pageRequest.redirect('/email/confirmations');
  return pageRequest.statusOf(response).show('message', {
    title: message('mailed.not_sent'),
    lines: [response.errors.email ?? response.message],
    action: { label: message('common.back'), path: '/settings' },
  });
}

async function confirmEmail(pageRequest: PageRequest): Promise<FastifyReply> {
  const response = await pageRequest.call('POST', `${confirmations}/${tokenIn(pageRequest)}`, {});
  if (response.ok) return pageRequest.redirect('/email/confirmed');
  if (!isDead(response.status)) {
    const variables = { title: message('email_confirm.title'), problem: response.message };
    return pageRequest.statusOf(response).show('email-confirm', variables);
  }
  return response.code === 'email_taken'
    ? showDeadConfirmation(pageRequest, [response.message])
    : showDeadConfirmation(pageRequest);
}

const showDeadConfirmation = (
  pageRequest: PageRequest,
  lines: LocalizedText[] = [message('mailed.dead_address'), message('mailed.sign_in_for_new')],
) => showDeadLink(pageRequest, lines, { label: message('login.title'), path: pageRequest.kit.loginPath });

const showUndo = (pageRequest: PageRequest, variables = {}) =>
  pageRequest.show('email-undo', { title: message('email_undo.title'), ...variables });

async function undoChange(pageRequest: PageRequest): Promise<FastifyReply> {
  const response = await pageRequest.call('POST', `/v1/email/reversals/${tokenIn(pageRequest)}`, {});
  if (response.ok) {
    pageRequest.kit.cookies.clearSession(pageRequest.reply);
    return pageRequest.redirect('/email/undone');
  }
  if (!isDead(response.status)) return showUndo(pageRequest.statusOf(response), { problem: response.message });
  return showDeadUndo(pageRequest);
}

const showDeadUndo = (pageRequest: PageRequest) =>
  showDeadLink(pageRequest, [message('mailed.dead_link'), message('mailed.tell_operators')], {
    label: message('login.title'),
    path: pageRequest.kit.loginPath,
  });

const isDead = (status: number): boolean => [400, 404, 409, 410, 422].includes(status);

/** The page of an invitation link: shows the inviter and the service, with a form for the first password. */
export function serveInvitation(kit: PageKit): void {
  kit.page('/invitations/:token', 'public', (pageRequest) => showInvitation(pageRequest));
  kit.form('/invitations/:token', 'public', async (pageRequest) => {
    const response = await sendPassword(pageRequest);
    if (response.ok) return pageRequest.redirect(`${kit.loginPath}?done=invited`);
    const problem = response.errors.password ? undefined : response.message;
    return showInvitation(pageRequest.statusOf(response), { errors: response.errors, problem });
  });
}

async function showInvitation(pageRequest: PageRequest, variables: Variables = {}) {
  const { context, keys } = pageRequest.kit.oauth;
  const invitation = await findInvitation(context, keys, pageRequest.param('token'));
  if (!invitation) return showDeadReset(pageRequest);
  const { name, email, roles, inviter } = invitation;
  const title = name ? message('invitation.welcome_name', { name }) : message('invitation.welcome');
  const next_query = `?invitation=${tokenIn(pageRequest)}`;
  const buttons = await pageRequest.kit.providers.buttons();
  const shared = { title, email, inviter, role: roles.join(', '), providers: buttons, next_query };
  return pageRequest.show('invitation', { ...shared, ...variables });
}
