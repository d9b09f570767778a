import type { Config } from '../../src/config/config.ts';
import { type Message, message } from '../../src/config/languages/message.ts';
import { findPendingChange } from '../../src/identity/accounts/email-change-store.ts';
import { currentUser } from '../../src/pages/kit/current-user.ts';
import { filledFields, identifierFields, type RejectedForm } from '../../src/pages/kit/identifiers.ts';
import type { Page, PageRequest } from '../../src/pages/kit/page-request.ts';
import type { Variables } from '../../src/pages/kit/views.ts';
import { asObject } from '../../src/platform/is-object.ts';
import { offerFactor } from './factor-offer.ts';
import { deleteAsUser, formErrors, hasOwnPassword, showSettings } from './settings-shell.ts';

/** The first page of the settings, which offers a second factor. */
export const openProfile = async (pageRequest: PageRequest): Page =>
  showProfile(pageRequest, await offerFactor(pageRequest));

async function showProfile(pageRequest: PageRequest, typed: RejectedForm & Variables = {}): Page {
  const user = await currentUser(pageRequest);
  const stored = {
    name: user.name,
    email: user.email,
    username: user.username,
    phone: user.phone,
    locale: user.locale,
  };
  const values = { ...stored, ...typed.values };
  return showSettings(pageRequest, 'profile', 'settings/profile', {
    ...typed,
    title: message('profile.title'),
    user,
    values,
    identifiers: filledFields(pageRequest.kit.config, values, typed.errors ?? {}),
    pending_email: await pendingEmail(pageRequest),
    has_password: await hasOwnPassword(pageRequest),
    current_password_hint: passwordHint(pageRequest.kit.config),
    unconfirmed_email: user.email_confirmed ? null : user.email,
  });
}

/** The hint that names the fields whose change requires the password. */
function passwordHint(config: Config): Message {
  const names = identifierFields(config).map(({ name }) => name);
  return message(`profile.password_for.${names.join('_')}`);
}

async function pendingEmail({ kit: { database, now }, caller }: PageRequest): Promise<string | null> {
  const change = caller.userId === null ? undefined : await findPendingChange(database.db, caller.userId, now());
  return change?.new_email ?? null;
}

export async function saveProfile(pageRequest: PageRequest): Page {
  const identifiers = identifierFields(pageRequest.kit.config).map(({ name }) => name);
  const submitted = asObject(pageRequest.request.body);
  // A view of the operator may lack this field.
  const localeField = 'locale' in submitted ? (['locale'] as const) : [];
  const names = ['name', ...localeField, ...identifiers] as const;
  const { current_password, ...values } = pageRequest.form(...names, 'current_password');
  const user = await currentUser(pageRequest);
  // Only changed fields: a browser may fill in a password that the form did not ask for.
  const changed = names.filter((name) => values[name] !== (user[name] ?? ''));
  const body: Record<string, unknown> = Object.fromEntries(changed.map((name) => [name, values[name] || null]));
  if (changed.some((name) => name !== 'name' && name !== 'locale') && current_password !== '')
    body.current_password = current_password;
  const response = await pageRequest.callAsUser<{ pending_email?: string }>(
    'PATCH',
    `/v1/users/${pageRequest.caller.userId}`,
    body,
  );
  if (response.ok && changed.includes('locale'))
    pageRequest.kit.cookies.setLanguage(pageRequest.reply, values.locale || undefined);
  if (response.ok)
    return pageRequest.redirect(`/settings?done=${response.data.pending_email ? 'email-pending' : 'profile-saved'}`);
  const fields = [...names, 'current_password'];
  return showProfile(pageRequest.statusOf(response), { values, ...formErrors(response, fields) });
}

export async function cancelEmailChange(pageRequest: PageRequest): Page {
  await deleteAsUser(pageRequest, `/v1/users/${pageRequest.caller.userId}/email-changes`);
  return pageRequest.redirect('/settings?done=email-kept');
}

export const showPassword = async (pageRequest: PageRequest, variables: object = {}) =>
  showSettings(pageRequest, 'password', 'settings/password', {
    title: message('password.title'),
    has_password: await hasOwnPassword(pageRequest),
    ...variables,
  });

export async function changePassword(pageRequest: PageRequest): Page {
  const { end_tokens, ...typed } = pageRequest.form('current_password', 'password', 'end_tokens');
  const body = { ...typed, end_tokens: end_tokens !== '' };
  const response = await pageRequest.callAsUser('PATCH', `/v1/users/${pageRequest.caller.userId}`, body);
  if (response.ok) return pageRequest.redirect('/settings/password?done=password-changed');
  const variables = { ...formErrors(response, ['current_password', 'password']), keep_tokens: !body.end_tokens };
  return showPassword(pageRequest.statusOf(response), variables);
}
