import { requireProof } from '../../http/gate/require-proof.ts';
import { type Caller, isAdmin } from '../../platform/caller.ts';
import { unprocessable } from '../../platform/errors.ts';
import type { Call } from '../../resources/declaration/define-resource.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import {
  checkNewPassword,
  type Profile,
  readLocale,
  readProfileFields,
  rejectUnknownFields,
} from '../accounts/user-fields.ts';
import { findUser, hasAdministrator, type UserRow } from '../accounts/user-store.ts';
import { requirePasswordOrProof } from '../credentials/require-password-or-proof.ts';
import { countChangeMails } from '../email/change-email.ts';
import { requireFreeIdentifiers } from '../registration/register.ts';
import { isSelf, lastAdministrator, loginFields, requireEveryScope, type UserValues } from './guard-user.ts';

/** Before the transaction: normalises the values, checks the password or proof, and hashes a new password. */
export async function prepareUser(
  call: Call,
  { passwords }: AccountServices,
  id: string | undefined,
  values: UserValues,
): Promise<UserValues | undefined> {
  const { context, caller } = call;
  // A caller without write access is rejected later. Until then, it must cause no hashing and learn nothing.
  if (!isAdmin(caller) && !isSelf(caller, id)) return undefined;
  const { profile, errors } = readProfileFields(values);
  const prepared: UserValues = profile;
  const locale = readLocale(values.locale);
  if (locale.error) errors.push(locale.error);
  else if (locale.value !== undefined) prepared.locale = locale.value;
  const { password } = values;
  const user = id === undefined ? undefined : await findUser(context.database.db, id);
  if (password !== undefined) {
    const problem = await checkNewPassword(password, { ...user, ...prepared });
    if (problem) errors.push(problem);
  } else if (values.end_tokens) {
    const message = 'end_tokens is allowed only together with a new password.';
    errors.push({ field: 'end_tokens', code: 'unknown', message });
  }
  if (errors.length > 0) throw unprocessable(errors);
  if (user) await requireOwner(call, user, { ...values, ...prepared });
  return password === undefined
    ? prepared
    : { ...prepared, password_hash: await passwords.hash(password, call.source.address) };
}

/**
 * Changing a login field requires the password or a recent proof, because a token may be stolen. Administrators can
 * change other users without it.
 */
async function requireOwner({ context, caller, source, now }: Call, user: UserRow, values: UserValues): Promise<void> {
  const changed = loginFields.filter((field) => field in values && values[field] !== user[field]);
  const self = isSelf(caller, user.id);
  const sensitive = changed.length > 0 || values.password !== undefined;
  if (changed.length > 0 || (!self && values.password !== undefined)) requireEveryScope(caller);
  if (sensitive && !self) requireProof(caller, now);
  if (values.password !== undefined) requireRenewableProof(caller, now);
  if (sensitive && self) requirePasswordOrProof(context, caller, user, now);
  if (!self) return;
  if (changed.length > 0) await requireFreeIdentifiers(context, pick(values, changed), source, user.id);
  if (changed.includes('email')) {
    await countChangeMails(context, { from: user.email, to: values.email ?? null }, source);
  }
}

/** A personal access token, which never proves its owner's identity, is not enough even with the password. */
function requireRenewableProof(caller: Caller, now: number): void {
  if (!caller.proof.renewable) requireProof(caller, now);
}

const pick = (values: UserValues, fields: readonly (keyof Profile)[]): Partial<Profile> =>
  Object.fromEntries(fields.map((field) => [field, values[field]]));

/**
 * Deleting your own account requires the password, or a recent proof if there is none. Administrators can delete other users without it.
 */
export async function prepareDeletion(
  { context, caller, now }: Call,
  id: string,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  rejectUnknownFields(body);
  if (!isSelf(caller, id)) return;
  const user = await findUser(context.database.db, id);
  if (!user) return;
  requireEveryScope(caller);
  // Checked before the password, because the password would not help.
  if (isAdmin(caller) && !(await hasAdministrator(context.database.db, id))) throw lastAdministrator();
  requireRenewableProof(caller, now);
  requirePasswordOrProof(context, caller, user, now);
}
