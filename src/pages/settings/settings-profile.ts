import type { FastifyReply, FastifyRequest } from 'fastify';
import { type LocalizedText, message } from '../../config/languages/message.ts';
import { findPendingChange } from '../../identity/accounts/email-change-store.ts';
import type { PasskeyMeans } from '../../identity/factors/passkeys.ts';
import { membersOf } from '../../platform/is-object.ts';
import { identifierFields, passwordHint } from '../kit/identifiers.ts';
import { type PageKit, readForm } from '../kit/page-kit.ts';
import type { Variables } from '../kit/views.ts';
import { filledFields } from '../sign-in/register-page.ts';
import { offerFactor } from './offer-factor.ts';
import { asPerson, currentUser, hasOwnPassword, ignoreNotFound, refusal, showSettings } from './settings-shell.ts';

export function serveProfile(kit: PageKit, means: PasskeyMeans): void {
  kit.page('/settings', 'auth:web', async (request, reply) =>
    showProfile(kit, request, reply, await offerFactor(kit, means, request)),
  );
  kit.form('/settings', 'auth:web', (request, reply) => saveProfile(kit, request, reply));
  kit.form('/settings/pending-email/cancel', 'auth:web', (request, reply) => keepEmail(kit, request, reply));
  if (!kit.config.localPasswords) return;
  kit.page('/settings/password', 'auth:web', (request, reply) => showPassword(kit, request, reply, {}));
  // Where password managers look for it (W3C, "A Well-Known URL for Changing Passwords").
  kit.page('/.well-known/change-password', 'public', (_request, reply) => kit.go(reply, '/settings/password'));
  kit.form('/settings/password', 'auth:web', (request, reply) => changePassword(kit, request, reply));
}

interface Typed extends Variables {
  readonly values?: Readonly<Record<string, string>>;
  readonly errors?: Readonly<Record<string, LocalizedText>>;
  readonly problem?: LocalizedText;
}

async function showProfile(
  kit: PageKit,
  request: FastifyRequest,
  reply: FastifyReply,
  typed: Typed = {},
): Promise<FastifyReply> {
  const user = await currentUser(kit, request);
  const stored = {
    name: user.name,
    email: user.email,
    username: user.username,
    phone: user.phone,
    locale: user.locale,
  };
  const values = { ...stored, ...typed.values };
  return showSettings(kit, request, reply, 'profile', 'settings/profile', {
    ...typed,
    title: message('profile.title'),
    user,
    values,
    identifiers: filledFields(kit, values, typed.errors ?? {}),
    pending_email: await pendingEmail(kit, request),
    has_password: await hasOwnPassword(kit, request),
    current_password_hint: passwordHint(kit.config),
    unconfirmed_email: user.email_confirmed ? null : user.email,
  });
}

async function pendingEmail({ database, now }: PageKit, { caller }: FastifyRequest): Promise<string | null> {
  const change = caller.userId === null ? undefined : await findPendingChange(database.db, caller.userId, now());
  return change?.new_email ?? null;
}

async function saveProfile(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const identifiers = identifierFields(kit.config).map(({ name }) => name);
  const sent = membersOf(request.body);
  // A view of the operator's own may not ask for it.
  const own = 'locale' in sent ? (['locale'] as const) : [];
  const names = ['name', ...own, ...identifiers] as const;
  const { current_password, ...values } = readForm(request, ...names, 'current_password');
  const user = await currentUser(kit, request);
  // Only what is another: a browser may fill in a password that nobody was asked for.
  const changed = names.filter((name) => values[name] !== (user[name] ?? ''));
  const body: Record<string, unknown> = Object.fromEntries(changed.map((name) => [name, values[name] || null]));
  if (changed.some((name) => name !== 'name' && name !== 'locale') && current_password !== '')
    body.current_password = current_password;
  const answer = await asPerson<{ pending_email?: string }>(
    request,
    'PATCH',
    `/v1/users/${request.caller.userId}`,
    body,
  );
  if (answer.ok && changed.includes('locale')) kit.cookies.setLanguage(reply, values.locale || undefined);
  if (answer.ok)
    return kit.go(reply, `/settings?done=${answer.data.pending_email ? 'email-pending' : 'profile-saved'}`);
  const fields = [...names, 'current_password'];
  return showProfile(kit, request, reply.code(answer.status), { values, ...refusal(answer, fields) });
}

async function keepEmail(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  await ignoreNotFound(asPerson(request, 'DELETE', `/v1/users/${request.caller.userId}/email-changes`));
  return kit.go(reply, '/settings?done=email-kept');
}

const showPassword = async (kit: PageKit, request: FastifyRequest, reply: FastifyReply, variables: object) =>
  showSettings(kit, request, reply, 'password', 'settings/password', {
    title: message('password.title'),
    has_password: await hasOwnPassword(kit, request),
    ...variables,
  });

async function changePassword(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { end_tokens, ...typed } = readForm(request, 'current_password', 'password', 'end_tokens');
  const body = { ...typed, end_tokens: end_tokens !== '' };
  const answer = await asPerson(request, 'PATCH', `/v1/users/${request.caller.userId}`, body);
  if (answer.ok) return kit.go(reply, '/settings/password?done=password-changed');
  const variables = { ...refusal(answer, ['current_password', 'password']), keep_tokens: !body.end_tokens };
  return showPassword(kit, request, reply.code(answer.status), variables);
}
