import { type Caller, isAdmin } from '../caller.ts';
import { conflict, type FieldError, forbidden, unprocessable } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Call, WriteCall } from '../resources/define-resource.ts';
import type { AccountServices } from './account-services.ts';
import { requireCurrentPassword } from './change-password.ts';
import { enqueueConfirmation } from './confirm-email.ts';
import { findClientIdsOf, forgetUser } from './forget-user-store.ts';
import { voidOneTimeTokens } from './one-time-token-store.ts';
import { hasOtherAdministrator } from './role-store.ts';
import { checkNewPassword, type Profile, profileFields, readProfileField } from './user-fields.ts';
import { findUser } from './user-store.ts';

/** What a write of the resource may hold, in the values that JSON uses. */
export interface UserValues extends Partial<Profile> {
  password?: string;
  current_password?: string | null;
  password_hash?: string;
  email_confirmed?: boolean;
  roles?: string[];
}

/** A user as hooks see it. */
export interface WholeUser extends Profile {
  readonly id: string;
  readonly email_confirmed: boolean;
  readonly roles: string[];
}

export const isSelf = (caller: Caller, id: string | undefined): boolean =>
  caller.kind === 'user' && caller.userId !== null && caller.userId === id;

/** Before the transaction: brings what was sent to its stored form, and hashes a new password. */
export async function prepareUser(
  { context, caller, origin }: Call,
  { passwords }: AccountServices,
  id: string | undefined,
  values: UserValues,
): Promise<UserValues | undefined> {
  // Who may not write this user is refused later, and must not make us hash or learn anything here.
  if (!isAdmin(caller) && !isSelf(caller, id)) return undefined;
  const errors: FieldError[] = [];
  const prepared: UserValues = {};
  for (const field of profileFields) {
    if (!(field in values)) continue;
    const read = readProfileField(field, values[field]);
    if (read.error) errors.push(read.error);
    else prepared[field] = read.value;
  }
  const { password, current_password: current } = values;
  const user = id === undefined ? undefined : await findUser(context.database.db, id);
  if (password !== undefined) {
    const wrong = await checkNewPassword(password, { ...user, ...prepared });
    if (wrong) errors.push(wrong);
  } else if (current !== undefined && current !== null) {
    errors.push({
      field: 'current_password',
      code: 'unknown',
      message: 'current_password is sent only together with a new password.',
    });
  }
  if (errors.length > 0) throw unprocessable(errors);
  if (password === undefined) return prepared;
  if (user && isSelf(caller, id)) {
    await requireCurrentPassword(context, passwords, user, current ?? undefined, origin);
  }
  return { ...prepared, password_hash: await passwords.hash(password) };
}

/** Inside the transaction, before the row is written: what only administrators may, and what nobody may. */
export async function guardUserWrite(
  { context, caller, tx }: WriteCall,
  values: UserValues,
  before: WholeUser | undefined,
  isDelete: boolean,
): Promise<void> {
  if (before && !isAdmin(caller)) {
    if (values.roles && !sameNames(values.roles, before.roles)) throw forbidden('Only administrators change roles.');
  }
  const losesAdmin = before?.roles.includes('admin') && (isDelete || (values.roles && !values.roles.includes('admin')));
  if (before && losesAdmin && !(await hasOtherAdministrator(tx, context.database.engine, before.id))) {
    throw conflict('This is the last administrator. Make another user one first.', 'last_administrator');
  }
  if (isDelete) return;
  const after = { ...before, ...values };
  // Whether an address is somebody's is known of that address alone.
  if (before && after.email !== before.email) values.email_confirmed = false;
  const { loginAttributes } = context.config;
  if (loginAttributes.some((attribute) => after[attribute])) return;
  const [field = 'email'] = loginAttributes;
  throw unprocessable([{ field, code: 'required', message: `${loginAttributes.join(' or ')} is required.` }]);
}

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name));

/** Inside the transaction, after the row was written: what follows from it. */
export async function followUserWrite(
  call: WriteCall,
  services: AccountServices,
  values: UserValues,
  before: WholeUser | undefined,
  after: WholeUser | undefined,
): Promise<void> {
  if (!before && after) await followCreation(call, services, after);
  else if (before && after) await followChange(call, services, values, before, after);
  else if (before) await followDeletion(call, before);
}

/** The trail of a user: what happened to it, and who did it where that is another. */
async function record(
  { context, caller, tx, origin }: WriteCall,
  type: string,
  userId: string,
  data = {},
): Promise<void> {
  const actorId = caller.userId === userId ? null : caller.userId;
  await recordEvent(context, tx, { type, userId, actorId, clientId: caller.clientId, origin, data });
}

async function followCreation(call: WriteCall, services: AccountServices, user: WholeUser): Promise<void> {
  await services.issueFirstToken(call.tx, user.id);
  await enqueueConfirmation(services.mail, call.tx, {
    email: user.email,
    email_confirmed: Number(user.email_confirmed),
  });
  await record(call, 'user.created', user.id);
}

async function followChange(
  call: WriteCall,
  services: AccountServices,
  values: UserValues,
  before: WholeUser,
  after: WholeUser,
): Promise<void> {
  const { caller, tx, tell, now } = call;
  if (after.email !== before.email) {
    // To the old address: whoever holds a stolen token could otherwise take the account over unnoticed.
    if (before.email) await services.mail.enqueue(tx, { template: 'email-changed', recipient: before.email });
    await enqueueConfirmation(services.mail, tx, {
      email: after.email,
      email_confirmed: Number(after.email_confirmed),
    });
  }
  if (!sameNames(before.roles, after.roles)) {
    tell({ kind: 'user', id: after.id });
    await record(call, 'user.roles_changed', after.id, { roles: after.roles });
  }
  if (values.password_hash !== undefined) {
    const userId = after.id;
    // The owner keeps this session and the personal access tokens; whoever else sets a password ends everything.
    const which = isSelf(caller, userId)
      ? ({ userId, exceptSessionId: caller.sessionId, type: 'session' } as const)
      : { userId };
    await services.endSessions(tx, tell, which, 'password_changed');
    await voidOneTimeTokens(tx, userId, 'reset_password', now);
    if (after.email) await services.mail.enqueue(tx, { template: 'password-changed', recipient: after.email });
    await record(call, 'password.changed', userId);
  }
  const fields = profileFields.filter((field) => before[field] !== after[field]);
  if (fields.length > 0) await record(call, 'user.updated', after.id, { fields });
}

async function followDeletion(call: WriteCall, user: WholeUser): Promise<void> {
  const { tx, tell, caller } = call;
  tell({ kind: 'user', id: user.id });
  await forgetUser(tx, user.id, user.email);
  const isOwn = caller.userId === user.id;
  const origin = isOwn ? { ...call.origin, address: null, userAgent: null } : call.origin;
  await record({ ...call, origin }, 'user.deleted', user.id);
}

/** Clients go with their owner; their tokens must be heard of before the rows are gone. */
export async function tellOfClients({ tx, tell }: WriteCall, user: WholeUser): Promise<void> {
  for (const id of await findClientIdsOf(tx, user.id)) tell({ kind: 'client', id });
}
