import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';

export type OneTimeTokenRow = Selectable<Tables['one_time_tokens']>;
export type OneTimePurpose = OneTimeTokenRow['purpose'];

/** A retried mail contains the same token with a new expiry. */
export async function upsertOneTimeToken(db: Db, row: OneTimeTokenRow): Promise<void> {
  await db
    .insertInto('one_time_tokens')
    .values(row)
    .onConflict((oc) => oc.column('id').doUpdateSet({ expires_at: row.expires_at }))
    .execute();
}

export function findUsableOneTimeToken(db: Db, id: string, purpose: OneTimePurpose, now: number) {
  return db
    .selectFrom('one_time_tokens')
    .selectAll()
    .where('id', '=', id)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** One statement: of two concurrent uses, one succeeds. */
export function consumeOneTimeToken(tx: Tx, id: string, purpose: OneTimePurpose, now: number) {
  return tx
    .updateTable('one_time_tokens')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** Setting a password in another way voids the links that would set it. */
export async function invalidateResetLinks(tx: Tx, userId: string, now: number): Promise<void> {
  await tx
    .updateTable('one_time_tokens')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('purpose', '=', 'reset_password')
    .where('used_at', 'is', null)
    .execute();
}

/** Marks the links of all users as used, and returns their number. */
export async function invalidateAllOneTimeTokens(tx: Tx, now: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('one_time_tokens')
    .set({ used_at: now })
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
