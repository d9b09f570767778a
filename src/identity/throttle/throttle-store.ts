import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import { fingerprintOfLogin } from '../accounts/identifiers.ts';

export interface Count {
  readonly key: string;
  readonly count: number;
  /** Pending attempts, including this one. */
  readonly pending: number;
  readonly expires_at: number;
}

interface Change {
  readonly count: RawBuilder<number>;
  readonly expires_at: RawBuilder<number>;
  readonly pending: RawBuilder<number>;
  readonly pending_until: RawBuilder<number>;
}

const unchanged = {
  expires_at: sql<number>`throttles.expires_at`,
  pending_until: sql<number>`throttles.pending_until`,
};
const decrementedPending = sql<number>`case when throttles.pending > 0 then throttles.pending - 1 else 0 end`;
const currentCount = (now: number) =>
  sql<number>`case when throttles.expires_at <= ${now} then 0 else throttles.count end`;

/** One statement increments all keys, so that each attempt gets its own number. */
async function upsertCounts(
  db: Db,
  keys: readonly string[],
  initial: Omit<Count, 'key'> & { pending_until: number },
  changes: Change,
) {
  if (keys.length === 0) return [];
  return db
    .insertInto('throttles')
    .values(keys.map((key) => ({ key, ...initial })))
    .onConflict((oc) => oc.column('key').doUpdateSet(changes))
    .returning(['key', 'count', 'pending', 'expires_at'])
    .execute();
}

const increment =
  (pending: Change['pending']) =>
  (db: Db, keys: readonly string[], now: number, windowMs: number): Promise<Count[]> => {
    const initial = { count: 1, expires_at: now + windowMs, pending: 0, pending_until: 0 };
    return upsertCounts(db, keys, initial, {
      count: sql`${currentCount(now)} + 1`,
      expires_at: sql`case when throttles.expires_at <= ${now} then excluded.expires_at else throttles.expires_at end`,
      pending,
      pending_until: unchanged.pending_until,
    });
  };

/** Counts an event. */
export const incrementCounts = increment(sql`throttles.pending`);
/** Counts the attempt as failed. */
export const failAttempt = increment(decrementedPending);

/** Decrements the counts of the current window. */
export async function decrementCounts(db: Db, keys: readonly string[], now: number): Promise<void> {
  if (keys.length === 0) return;
  await db
    .updateTable('throttles')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', 'in', keys)
    .where('count', '>', 0)
    .where('expires_at', '>', now)
    .execute();
}

/** Begins an attempt. It counts until its result is known, or until a timeout after a crash. */
export function countPendingAttempt(db: Db, keys: readonly string[], now: number, timeoutMs: number): Promise<Count[]> {
  const until = now + timeoutMs;
  return upsertCounts(
    db,
    keys,
    { count: 0, expires_at: now, pending: 1, pending_until: until },
    {
      count: currentCount(now),
      expires_at: unchanged.expires_at,
      pending: sql`case when throttles.pending_until <= ${now} then 1 else throttles.pending + 1 end`,
      pending_until: sql`${until}`,
    },
  );
}

/** Ends an attempt without a failure. `anew` also clears earlier failures. */
export async function endAttempt(db: Db, keys: readonly string[], now: number, { anew = false } = {}): Promise<void> {
  const initial = { count: 0, expires_at: now, pending: 0, pending_until: 0 };
  await upsertCounts(db, keys, initial, {
    count: anew ? sql`0` : sql`throttles.count`,
    expires_at: unchanged.expires_at,
    pending: decrementedPending,
    pending_until: unchanged.pending_until,
  });
}

/** The current counts of these keys. Keys without a count are omitted. */
export function readCounts(db: Db, keys: readonly string[], now: number): Promise<Count[]> {
  return db
    .selectFrom('throttles')
    .select(['key', 'count', 'pending', 'expires_at'])
    .where('key', 'in', [...keys])
    .where('expires_at', '>', now)
    .execute();
}

export const identifierKey = (identifier: string): string => `login:identifier:${fingerprintOfLogin(identifier)}`;
export const accountKey = (userId: string): string => `login:account:${userId}`;

/** A new password ends the lockout of the account at once. */
export async function liftLockout(tx: Tx, userId: string): Promise<void> {
  const user = await tx
    .selectFrom('users')
    .select(['email', 'username', 'phone'])
    .where('id', '=', userId)
    .executeTakeFirst();
  const identifiers = [user?.email, user?.username, user?.phone].filter((value) => typeof value === 'string');
  const keys = [accountKey(userId), ...identifiers.map(identifierKey)];
  await tx.deleteFrom('throttles').where('key', 'in', keys).execute();
}

/** Removes up to `limit` expired counts and returns their number. */
export async function deleteOldThrottles(db: Db, now: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('throttles')
    .where('key', 'in', (eb) =>
      eb
        .selectFrom('throttles')
        .select('key')
        .where('expires_at', '<=', now)
        .where('pending_until', '<=', now)
        .limit(limit)
        // Skips locked rows, which are just being counted.
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
