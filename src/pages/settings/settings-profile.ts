import type { FastifyReply } from 'fastify';
import { type LocalizedText, message } from '../../config/languages/message.ts';
import { findPendingChange } from '../../identity/accounts/email-change-store.ts';
import type { PasskeyServices } from '../../identity/factors/passkeys.ts';
import { asObject } from '../../platform/is-object.ts';
import { identifierFields, passwordHint } from '../kit/identifiers.ts';
import type { Variables } from '../kit/views.ts';
import type { PageKit, Visit } from '../kit/visit.ts';
import { filledFields } from '../sign-in/register-page.ts';
import { offerFactor } from './offer-factor.ts';
import {
  callApiAsUser,
  currentUser,
  formErrors,
  hasOwnPassword,
  ignoreNotFound,
  showSettings,
} from './settings-shell.ts';

export function serveProfile(kit: PageKit, services: PasskeyServices): void {
  kit.page('/settings', 'auth:web', async (visit) => showProfile(visit, await offerFactor(visit, services)));
  kit.form('/settings', 'auth:web', saveProfile);
  kit.form('/settings/pending-email/cancel', 'auth:web', keepEmail);
  if (!kit.config.localPasswords) return;
  kit.page('/settings/password', 'auth:web', (visit) => showPassword(visit, {}));
  // Password managers look for this address (W3C, "A Well-Known URL for Changing Passwords").
  kit.page('/.well-known/change-password', 'public', (visit) => visit.redirect('/settings/password'));
  kit.form('/settings/password', 'auth:web', changePassword);
}

interface Typed extends Variables {
  readonly values?: Readonly<Record<string, string>>;
  readonly errors?: Readonly<Record<string, LocalizedText>>;
  readonly problem?: LocalizedText;
}

async function showProfile(visit: Visit, typed: Typed = {}): Promise<FastifyReply> {
  const user = await currentUser(visit);
  const stored = {
    name: user.name,
    email: user.email,
    username: user.username,
    phone: user.phone,
    locale: user.locale,
  };
  const values = { ...stored, ...typed.values };
  return showSettings(visit, 'profile', 'settings/profile', {
    ...typed,
    title: message('profile.title'),
    user,
    values,
    identifiers: filledFields(visit.kit, values, typed.errors ?? {}),
    pending_email: await pendingEmail(visit),
    has_password: await hasOwnPassword(visit),
    current_password_hint: passwordHint(visit.kit.config),
    unconfirmed_email: user.email_confirmed ? null : user.email,
  });
}

async function pendingEmail({ kit: { database, now }, caller }: Visit): Promise<string | null> {
  const change = caller.userId === null ? undefined : await findPendingChange(database.db, caller.userId, now());
  return change?.new_email ?? null;
}

async function saveProfile(visit: Visit): Promise<FastifyReply> {
  const identifiers = identifierFields(visit.kit.config).map(({ name }) => name);
  const sent = asObject(visit.request.body);
  // A view of the operator may lack this field.
  const own = 'locale' in sent ? (['locale'] as const) : [];
  const names = ['name', ...own, ...identifiers] as const;
  const { current_password, ...values } = visit.form(...names, 'current_password');
  const user = await currentUser(visit);
  // Only changed fields: a browser may fill in a password that the form did not ask for.
  const changed = names.filter((name) => values[name] !== (user[name] ?? ''));
  const body: Record<string, unknown> = Object.fromEntries(changed.map((name) => [name, values[name] || null]));
  if (changed.some((name) => name !== 'name' && name !== 'locale') && current_password !== '')
    body.current_password = current_password;
  const answer = await callApiAsUser<{ pending_email?: string }>(
    visit,
    'PATCH',
    `/v1/users/${visit.caller.userId}`,
    body,
  );
  if (answer.ok && changed.includes('locale')) visit.kit.cookies.setLanguage(visit.reply, values.locale || undefined);
  if (answer.ok)
    return visit.redirect(`/settings?done=${answer.data.pending_email ? 'email-pending' : 'profile-saved'}`);
  const fields = [...names, 'current_password'];
  return showProfile(visit.status(answer.status), { values, ...formErrors(answer, fields) });
}

async function keepEmail(visit: Visit): Promise<FastifyReply> {
  await ignoreNotFound(callApiAsUser(visit, 'DELETE', `/v1/users/${visit.caller.userId}/email-changes`));
  return visit.redirect('/settings?done=email-kept');
}

const showPassword = async (visit: Visit, variables: object) =>
  showSettings(visit, 'password', 'settings/password', {
    title: message('password.title'),
    has_password: await hasOwnPassword(visit),
    ...variables,
  });

async function changePassword(visit: Visit): Promise<FastifyReply> {
  const { end_tokens, ...typed } = visit.form('current_password', 'password', 'end_tokens');
  const body = { ...typed, end_tokens: end_tokens !== '' };
  const answer = await callApiAsUser(visit, 'PATCH', `/v1/users/${visit.caller.userId}`, body);
  if (answer.ok) return visit.redirect('/settings/password?done=password-changed');
  const variables = { ...formErrors(answer, ['current_password', 'password']), keep_tokens: !body.end_tokens };
  return showPassword(visit.status(answer.status), variables);
}
