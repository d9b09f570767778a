import { sql } from 'kysely';
import type { Db, Tx } from '../database/database.ts';

export interface Count {
  readonly key: string;
  readonly count: number;
  readonly expires_at: number;
}

/**
 * Counts once for each key and returns the counts, in one statement: however many arrive together, each gets another
 * number. Callers name keys in one order, so that two of them never wait for each other's rows.
 */
export async function countOnce(db: Db, keys: readonly string[], now: number, windowMs: number): Promise<Count[]> {
  return db
    .insertInto('throttles')
    .values(keys.map((key) => ({ key, count: 1, expires_at: now + windowMs })))
    .onConflict((oc) =>
      oc.column('key').doUpdateSet({
        count: sql<number>`case when throttles.expires_at <= ${now} then 1 else throttles.count + 1 end`,
        expires_at: sql<number>`case when throttles.expires_at <= ${now} then excluded.expires_at else throttles.expires_at end`,
      }),
    )
    .returning(['key', 'count', 'expires_at'])
    .execute();
}

export async function forgetCount(db: Db, key: string): Promise<void> {
  await db.deleteFrom('throttles').where('key', '=', key).execute();
}

export async function giveBackOne(db: Db, key: string): Promise<void> {
  await db
    .updateTable('throttles')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute();
}

/** A new password opens the account to its owner at once, whatever was guessed at the old one. */
export async function liftLockout(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('throttles').where('key', '=', `login:account:${userId}`).execute();
}

export async function pruneThrottles(db: Db, now: number): Promise<void> {
  await db.deleteFrom('throttles').where('expires_at', '<=', now).execute();
}
