import { sql } from 'kysely';
import type { Db, Engine, Tx } from '../../database/database.ts';
import { advisoryLocks } from '../../database/locks/advisory-locks.ts';
import { hasAdministrator } from '../accounts/user-store.ts';

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

/** Whether there is another enabled administrator. Takes a lock, so that two administrators cannot remove each other. */
export async function hasOtherAdministrator(tx: Tx, engine: Engine, userId: string): Promise<boolean> {
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${advisoryLocks.lastAdministrator})`.execute(tx);
  return hasAdministrator(tx, userId);
}
