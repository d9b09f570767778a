import type { Insertable } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';

export const insertEmailCode = (tx: Tx, code: Insertable<Tables['email_codes']>) =>
  tx.insertInto('email_codes').values(code).execute();

/** Counts an attempt if any is left. One statement, so that concurrent attempts all count. */
export const countEmailAttempt = (db: Db, { id, max, now }: { id: string; max: number; now: number }) =>
  db
    .updateTable('email_codes')
    .set(({ eb }) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('attempts', '<', max)
    .where('expires_at', '>', now)
    .returning('email')
    .executeTakeFirst();

/** True for the first use. */
export async function consumeEmailCode(tx: Tx, id: string): Promise<boolean> {
  return (await tx.deleteFrom('email_codes').where('id', '=', id).executeTakeFirstOrThrow()).numDeletedRows > 0n;
}
