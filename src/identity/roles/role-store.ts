import { sql } from 'kysely';
import { commitAndInvalidate } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import type { Db, Engine, Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { OperatorError } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { forgetFirstPassword } from '../accounts/first-password.ts';
import { hasAdministrator, lockUser, rolesOf, updateUser } from '../accounts/user-store.ts';

/** Updates the table from the setting. Users keep roles that were removed from the setting, without effect. */
export async function syncRoles(db: Db, names: readonly string[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('roles').where('id', 'not in', names).execute();
    await tx
      .insertInto('roles')
      .values(names.map((id) => ({ id })))
      .onConflict((oc) => oc.doNothing())
      .execute();
  });
}

/** An arbitrary number: the id of the lock for removals of administrators. */
const lastAdministratorLock = 7_146_353;

/** Whether there is another enabled administrator. Takes a lock, so that two administrators cannot remove each other. */
export async function hasOtherAdministrator(tx: Tx, engine: Engine, userId: string): Promise<boolean> {
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${lastAdministratorLock})`.execute(tx);
  return hasAdministrator(tx, userId);
}

interface RoleChanges {
  readonly userId: string;
  readonly give: readonly string[];
  readonly take: readonly string[];
  readonly source: RequestSource;
}

/** Changes roles for the operator and returns them. Reads them in the transaction, so that no concurrent change is lost. */
export async function changeRoles(context: Context, { userId, give, take, source }: RoleChanges) {
  const { database, now } = context;
  return commitAndInvalidate(database, async (tx, invalidate) => {
    const user = await lockUser(tx, userId);
    if (!user) throw new OperatorError('The user no longer exists.');
    const before = rolesOf(user);
    const after = [...new Set([...before, ...give])].filter((role) => !take.includes(role));
    if (before.length === after.length && before.every((role) => after.includes(role))) return before;
    const losesAdmin = before.includes('admin') && !after.includes('admin');
    if (losesAdmin && !(await hasOtherAdministrator(tx, database.engine, user.id))) {
      throw new OperatorError('This is the last administrator. Make another user an administrator first.');
    }
    await updateUser(tx, user.id, { roles: JSON.stringify(after), updated_at: now() });
    const data = { roles: after, changes: { roles: { from: before, to: after } } };
    await recordEvent(context, tx, { type: 'user.roles_changed', userId: user.id, source, data });
    if (losesAdmin) await forgetFirstPassword(context, { id: user.id, roles: before }, tx);
    invalidate({ kind: 'user', id: user.id });
    return after;
  });
}
