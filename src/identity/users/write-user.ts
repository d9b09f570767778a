import { lockForRevocation } from '../../database/locks/revocation-locks.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import type { WriteCall } from '../../resources/declaration/define-resource.ts';
import { invalidateResetLinks } from '../account-mails/one-time-token-store.ts';
import { notifyOwner } from '../account-mails/request-mail.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { closeEmailChanges, withdrawPendingChange } from '../accounts/email-change-store.ts';
import { forgetFirstPassword } from '../accounts/first-password.ts';
import { deleteRowsOf, deleteUserData, findClientIdsOf } from '../accounts/forget-user-store.ts';
import { profileChanges } from '../accounts/user.ts';
import { profileFields } from '../accounts/user-fields.ts';
import { revokeAccess } from '../credentials/reset-password.ts';
import { enqueueConfirmation } from '../email/change-email.ts';
import { finishUserCreation } from '../registration/store-new-user.ts';
import { areSameNames, type HookUser, isSelf, type UserValues } from './guard-user.ts';

/** In the transaction, after the write: the consequences of the change. */
export async function afterUserWrite(
  call: WriteCall,
  services: AccountServices,
  values: UserValues,
  before: HookUser | undefined,
  after: HookUser | undefined,
): Promise<void> {
  if (!before && after) await afterCreation(call, services, after);
  else if (before && after) await afterChange(call, services, values, before, after);
  else if (before) await afterDeletion(call, before);
  const staysActiveAdministrator =
    after?.roles.includes('admin') && !after.disabled && values.password_hash === undefined;
  if (before && !staysActiveAdministrator) await forgetFirstPassword(call.context, before, call.tx);
}

/** Records the audit event of a user, with the actor if that is another user. */
async function record({ context, caller, tx, source }: WriteCall, type: string, userId: string, data = {}) {
  const actor = { actorId: caller.userId, clientId: caller.clientId };
  await recordEvent(context, tx, { type, userId, ...actor, source, data });
}

async function afterCreation(call: WriteCall, services: AccountServices, user: HookUser): Promise<void> {
  const { caller, tx, source } = call;
  const { id, email_confirmed: confirmed, roles } = user;
  const actor = { actorId: caller.userId, clientId: caller.clientId };
  const newUser = { id, profile: user, roles, confirmed, event: 'user.created', ...actor, source } as const;
  await finishUserCreation(services, tx, newUser);
}

async function afterChange(
  call: WriteCall,
  services: AccountServices,
  values: UserValues,
  before: HookUser,
  after: HookUser,
): Promise<void> {
  const { caller, invalidate } = call;
  const userId = after.id;
  if (after.email !== before.email && !isSelf(caller, userId))
    await afterEmailChangeByAdministrator(call, services, before, after);
  if (!areSameNames(before.roles, after.roles)) {
    invalidate({ kind: 'user', id: after.id });
    const changes = { roles: { from: before.roles, to: after.roles } };
    await record(call, 'user.roles_changed', after.id, { roles: after.roles, changes });
  }
  if (before.disabled !== after.disabled) await afterDisabling(call, services, after);
  if (values.password_hash !== undefined) await afterPasswordChange(call, services, after, values.end_tokens === true);
  const fields = profileFields.filter((field) => before[field] !== after[field]);
  if (fields.length === 0) return;
  await record(call, 'user.updated', after.id, { fields, changes: profileChanges(before, after) });
}

/** An administrator's change takes effect at once and cancels the user's pending changes. */
async function afterEmailChangeByAdministrator(
  { tx, now, source }: WriteCall,
  { mail }: AccountServices,
  before: HookUser,
  { id, email, email_confirmed }: HookUser,
): Promise<void> {
  await closeEmailChanges(tx, id, 0, now);
  if (before.email)
    await mail.enqueue(tx, { template: 'email-changed', recipient: before.email, language: source.language });
  await enqueueConfirmation(mail, tx, { email, email_confirmed: Number(email_confirmed) }, source);
}

/** Logins end permanently. Personal access tokens and clients are suspended until the user is enabled again. */
async function afterDisabling(call: WriteCall, services: AccountServices, user: HookUser): Promise<void> {
  const { tx, invalidate, now } = call;
  const { id: userId, disabled } = user;
  invalidate({ kind: 'user', id: userId });
  if (disabled) {
    const cause = 'user_disabled';
    await services.endSessions(tx, invalidate, { userId, type: 'session' }, cause);
    await services.endClients(tx, invalidate, { userId, keepSecrets: true, cause });
    await invalidateResetLinks(tx, userId, now);
    await withdrawPendingChange(tx, userId, now);
  }
  const changes = { disabled: { from: !disabled, to: disabled } };
  await record(call, disabled ? 'user.disabled' : 'user.enabled', userId, { changes });
}

/**
 * The owner keeps this session and, without `end_tokens`, personal access tokens and clients. A password from another
 * user ends all of them.
 */
async function afterPasswordChange(call: WriteCall, services: AccountServices, user: HookUser, endTokens: boolean) {
  const { caller, tx, invalidate, now, source } = call;
  const userId = user.id;
  const cause = 'password_changed';
  if (isSelf(caller, userId)) {
    const filter = { userId, exceptSessionId: caller.sessionId, ...(endTokens ? {} : { type: 'session' as const }) };
    await services.endSessions(tx, invalidate, filter, cause);
    if (endTokens) await services.endClients(tx, invalidate, { userId, keepSecrets: false, cause });
    await invalidateResetLinks(tx, userId, now);
    await deleteRowsOf(tx, userId, 'remembered_browsers');
  } else await revokeAccess(services, tx, invalidate, { userId, now, cause });
  await notifyOwner(services, tx, { userId, template: 'password-changed', source });
  await record(call, 'password.changed', userId);
}

async function afterDeletion(call: WriteCall, user: HookUser): Promise<void> {
  const { tx, invalidate, caller } = call;
  invalidate({ kind: 'user', id: user.id });
  await deleteUserData(tx, user.id, user.email);
  const isOwn = caller.userId === user.id;
  const source = isOwn ? { ...call.source, address: null, userAgent: null } : call.source;
  await record({ ...call, source }, 'user.deleted', user.id);
}

/** Sessions and clients are deleted with their user. Their ends must be published before the rows are gone. */
export async function endAccess(call: WriteCall, services: AccountServices, user: HookUser): Promise<void> {
  const { tx, invalidate } = call;
  await services.endSessions(tx, invalidate, { userId: user.id }, 'user_deleted');
  const clients = await findClientIdsOf(tx, user.id);
  await lockForRevocation(tx, clients);
  for (const id of clients) invalidate({ kind: 'client', id });
}
