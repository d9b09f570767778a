import { commitAndInvalidate, type Invalidate } from '../../../../src/database/bus.ts';
import type { Database, Db, Tx } from '../../../../src/database/database.ts';
import { defaultRealm } from '../../../../src/identity/accounts/user.ts';
import type { UserRow } from '../../../../src/identity/accounts/user-store.ts';

/** Runs a batch in one transaction, and publishes its invalidations. */
export const inBatch = <T>(database: Database, work: (tx: Tx, invalidate: Invalidate) => Promise<T>): Promise<T> =>
  commitAndInvalidate(database, work);

export async function findUsersByIds(db: Db | Tx, ids: readonly string[]): Promise<ReadonlyMap<string, UserRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Disables a user who no longer exists in the old service. A user who was changed here since is not disabled. */
export async function disableUser(tx: Tx, id: string, version: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set((eb) => ({ disabled: 1, updated_at: now, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Whether there are users of another realm than the default. */
export async function hasOtherRealms(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').where('realm', '!=', defaultRealm).limit(1).execute()).length > 0;
}
