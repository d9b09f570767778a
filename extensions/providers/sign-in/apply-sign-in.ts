import type { Invalidate } from '../../../src/database/bus.ts';
import type { Context } from '../../../src/database/context.ts';
import type { Tx } from '../../../src/database/database.ts';
import type { RequestSource } from '../../../src/http/request-source.ts';
import {
  findTakenFields,
  lockUser,
  rolesOf,
  type UserRow,
  updateUser,
} from '../../../src/identity/accounts/user-store.ts';
import { hasOtherAdministrator } from '../../../src/identity/roles/role-store.ts';
import { isOneOf } from '../../../src/platform/is-one-of.ts';
import { parseJson } from '../../../src/platform/json-text.ts';
import { recordEvent } from '../../../src/resources/audit/record-event.ts';
import type { Upstream } from '../client/upstream.ts';
import { findIdentity, type IdentityRow, recordIdentityUse } from './identity-store.ts';
import type { Mapped } from './map-claims.ts';

interface SignIn {
  readonly identity: IdentityRow;
  readonly upstream: Upstream;
  readonly mapped: Mapped;
  readonly source: RequestSource;
}

/** Records a sign-in with a known identity, and updates fields and roles from the provider. All or nothing. */
export async function updateFromSignIn(
  context: Context,
  tx: Tx,
  invalidate: Invalidate,
  { identity, upstream, mapped, source }: SignIn,
): Promise<UserRow | undefined> {
  const { now } = context;
  const user = await lockUser(tx, identity.user_id);
  // Read again: another sign-in may have changed the roles before this transaction got the lock.
  const current = user && (await findIdentity(tx, identity));
  if (!user || user.disabled || current?.id !== identity.id) return undefined;
  const { roles, granted } = await rolesAfter(context, tx, user, current, mapped.roles);
  const used = { id: identity.id, user_id: user.id, email: upstream.email, roles: JSON.stringify(granted), now: now() };
  if (!(await recordIdentityUse(tx, used))) return undefined;
  const fields = await changedFields(context, tx, user, mapped.fields);
  const before = rolesOf(user);
  const rolesChange = before.length !== roles.length || before.some((role) => !roles.includes(role));
  if (!rolesChange && Object.keys(fields).length === 0) return user;
  const changed = await updateUser(tx, user.id, {
    ...fields,
    ...(rolesChange ? { roles: JSON.stringify(roles) } : {}),
    updated_at: now(),
  });
  if (rolesChange) {
    const data = { provider: upstream.provider, roles, changes: { roles: { from: before, to: roles } } };
    await recordEvent(context, tx, { type: 'user.roles_changed', userId: user.id, source, data });
  }
  invalidate({ kind: 'user', id: user.id });
  return changed;
}

/**
 * The user's roles with the changes from the provider. A provider cannot remove roles that it did not grant, nor the last administrator.
 */
async function rolesAfter(
  { database, log }: Context,
  tx: Tx,
  user: UserRow,
  identity: IdentityRow,
  wanted: readonly string[] | undefined,
): Promise<{ roles: string[]; granted: string[] }> {
  const current = rolesOf(user);
  const before = parseJson(identity.roles);
  if (wanted === undefined) return { roles: current, granted: before };
  const granted = wanted.filter((role) => before.includes(role) || !current.includes(role));
  const roles = [...new Set([...current.filter((role) => !before.includes(role)), ...wanted])];
  const losesAdmin = current.includes('admin') && !roles.includes('admin');
  if (losesAdmin && !(await hasOtherAdministrator(tx, database.engine, user.id))) {
    log.warn({ user: user.id }, 'a provider no longer grants the role admin to the last administrator; it is kept');
    return { roles: [...roles, 'admin'], granted: [...granted, 'admin'] };
  }
  return { roles, granted };
}

/** The changed fields. A username or phone of another user is omitted, so that it does not prevent the sign-in. */
async function changedFields({ log }: Context, tx: Tx, user: UserRow, fields: Mapped['fields']) {
  const differing = Object.entries(fields).filter(([name, value]) => user[name as keyof Mapped['fields']] !== value);
  const takenFields = await findTakenFields(tx, fields, user.id);
  if (takenFields.length > 0)
    log.warn({ user: user.id, fields: takenFields }, 'ignored identifiers of another user from a provider');
  return Object.fromEntries(differing.filter(([name]) => !isOneOf(takenFields, name)));
}
