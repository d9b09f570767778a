import { sql } from 'kysely';
import type { Db, Engine, Tx } from '../../database/database.ts';

/** Brings the table to what the setting says. Users keep names that are no role any more; they mean nothing. */
export async function keepRoles(db: Db, names: readonly string[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('roles').where('id', 'not in', names).execute();
    await tx
      .insertInto('roles')
      .values(names.map((id) => ({ id })))
      .onConflict((oc) => oc.doNothing())
      .execute();
  });
}

/** Any number: it names the lock that those who take an administrator away queue for. */
const lastAdministratorLock = 7_146_353;

/** Whether there is another enabled administrator. Locks, so that two cannot remove each other. */
export async function hasOtherAdministrator(tx: Tx, engine: Engine, userId: string): Promise<boolean> {
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${lastAdministratorLock})`.execute(tx);
  return isAdministratorBeside(tx, userId);
}

/** The same without waiting for anybody: true a moment ago. */
export async function isAdministratorBeside(db: Db, userId: string): Promise<boolean> {
  const others = await db
    .selectFrom('users')
    .select('id')
    .where('roles', 'like', '%"admin"%')
    .where('disabled', '=', 0)
    .where('id', '!=', userId)
    .limit(1)
    .execute();
  return others.length > 0;
}
