import type { Db, Tx } from '../../database/database.ts';

interface NewEmailCode {
  readonly id: string;
  readonly email: string;
  readonly created_at: number;
  readonly expires_at: number;
}

export const insertEmailCode = (tx: Tx, code: NewEmailCode) => tx.insertInto('email_codes').values(code).execute();

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
export async function useEmailCode(tx: Tx, id: string): Promise<boolean> {
  return (await tx.deleteFrom('email_codes').where('id', '=', id).executeTakeFirstOrThrow()).numDeletedRows > 0n;
}
