import { requireProof } from '../../http/gate/require-proof.ts';
import { insufficientScope } from '../../http/gate/unauthorized.ts';
import { type Caller, isAdmin } from '../../platform/caller.ts';
import { conflict, forbidden, unprocessable } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { anyOf, equals, role } from '../../resources/declaration/access.ts';
import type { WriteCall } from '../../resources/declaration/define-resource.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { withdrawPendingChange } from '../accounts/email-change-store.ts';
import { missingIdentifier, type Profile } from '../accounts/user-fields.ts';
import { requirePasswordOrProof } from '../credentials/require-password-or-proof.ts';
import { beginEmailChange, rejectTakenEmail } from '../email/change-email.ts';
import { hasOtherAdministrator } from '../roles/role-store.ts';

/** The fields that a write of the resource may contain, as JSON values. */
export interface UserValues extends Partial<Profile> {
  password?: string;
  end_tokens?: boolean | null;
  password_hash?: string;
  email_confirmed?: boolean;
  roles?: string[];
  disabled?: boolean;
  locale?: string | null;
}

/** A user as passed to hooks. */
export interface HookUser extends Profile {
  readonly id: string;
  readonly email_confirmed: boolean;
  readonly roles: string[];
  readonly disabled: boolean;
  readonly locale: string | null;
  readonly password_hash: string;
}

/** The fields that identify a user at login. */
export const loginFields = ['email', 'username', 'phone'] as const;

export const isSelf = (caller: Caller, id: string | undefined): boolean =>
  caller.kind === 'user' && caller.userId !== null && caller.userId === id;

const self = (caller: Caller) => caller.userId !== null && isSelf(caller, caller.userId) && equals('id', caller.userId);
/** The user and administrators. A personal client can read its owner, but this rule excludes it. */
export const selfOrAdmin = anyOf(role('admin'), self);

/** A token with fewer scopes must not gain all scopes through a new password, address or role. */
export function requireEveryScope(caller: Caller): void {
  if (!caller.scopes.includes('*')) throw insufficientScope('*');
}

export const lastAdministrator = () =>
  conflict('This is the last administrator. Make another user an administrator first.', 'last_administrator');

/** In the transaction, before the write: rejects changes that only administrators, or nobody, may make. */
export async function guardUserWrite(
  call: WriteCall,
  services: AccountServices,
  values: UserValues,
  before: HookUser | undefined,
  isDelete: boolean,
): Promise<void> {
  const { context, caller, tx } = call;
  if (values.roles && !areSameNames(values.roles, before?.roles ?? [])) {
    requireAdministrator(call, 'Only administrators change roles.');
  }
  if (values.disabled !== undefined && values.disabled !== (before?.disabled ?? false)) {
    requireAdministrator(call, 'Only administrators disable and enable users.');
  }
  const after = { ...before, ...values };
  const wasAdministrator = before?.roles.includes('admin') && !before.disabled;
  const staysAdministrator = !isDelete && after.roles?.includes('admin') && !after.disabled;
  if (
    before &&
    wasAdministrator &&
    !staysAdministrator &&
    !(await hasOtherAdministrator(tx, context.database.engine, before.id))
  ) {
    throw lastAdministrator();
  }
  if (isDelete) {
    if (!before || !isSelf(caller, before.id)) requireProof(caller, call.now);
    else requirePasswordOrProof(context, caller, before, call.now);
    return;
  }
  requireLoginField(call, after);
  // A new password ends what somebody with the old one may have begun.
  if (before && values.password_hash !== undefined) await withdrawPendingChange(tx, before.id, call.now);
  await guardLoginFields(call, services, values, before);
}

function requireAdministrator({ caller, now }: WriteCall, message: string): void {
  if (!isAdmin(caller)) throw forbidden(message);
  requireEveryScope(caller);
  requireProof(caller, now);
}

function requireLoginField({ context }: WriteCall, after: Partial<Profile>): void {
  const missing = missingIdentifier(context.config, after);
  if (missing) throw unprocessable([missing]);
}

/** Checked again in the transaction: the row may have changed since the password check. */
async function guardLoginFields(
  call: WriteCall,
  { mail }: AccountServices,
  values: UserValues,
  before: HookUser | undefined,
): Promise<void> {
  const { context, caller, tx, now, source } = call;
  const { email } = values;
  if (!before) {
    if (email) await rejectTakenEmail(tx, email, '', now);
    return;
  }
  if (!loginFields.some((field) => field in values && values[field] !== before[field])) return;
  requireEveryScope(caller);
  const self = isSelf(caller, before.id);
  if (self) requirePasswordOrProof(context, caller, before, now);
  else requireProof(caller, now);
  if (email === undefined || email === before.email) return;
  if (self) {
    await beginEmailChange(mail, tx, { userId: before.id, from: before.email, to: email, now, source });
    const data = { changes: { email: { from: before.email, to: email } } };
    const requested = { type: 'email.change_requested', userId: before.id, clientId: caller.clientId };
    await recordEvent(context, tx, { ...requested, sessionId: caller.sessionId, source, data });
    if (email === null) {
      values.email_confirmed = false;
      return;
    }
    // The row keeps the old address until the new address is confirmed.
    delete values.email;
    call.reveal({ pending_email: email });
    return;
  }
  if (email) await rejectTakenEmail(tx, email, before.id, now);
  // A confirmation applies to one address only.
  values.email_confirmed = false;
}

export const areSameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name));
