import { type Expression, PostgresAdapter, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db, Tx } from '../database.ts';
import { advisoryLocks } from './advisory-locks.ts';

/*
 * PostgreSQL grants a new `for share` lock before an earlier transaction that waits to change the same row. A stream of writers could
 * therefore delay a revocation forever. Advisory locks are granted in the order of the requests. So a transaction that relies on a user, a
 * client or a session takes the advisory lock in shared mode, in the statement that locks the row. A revocation first takes it in exclusive
 * mode. New writers wait behind the revocation, and the revocation waits only for running ones.
 *
 * The order of locks is user, client, session, and the advisory lock before the row. SQLite needs none of this, because it has one writer.
 */

export const isPostgres = (db: Db | Tx): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

/** Maps an id to a bigint. If two ids map to the same number, they only wait for each other. */
const lockKey = (id: RawBuilder<unknown>) => sql`hashtextextended(${id}, 0)`;

/** For the `where` of a statement on PostgreSQL that relies on the row with this id. */
export const sharedLock = (id: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`pg_advisory_xact_lock_shared(${lockKey(id)}) is not null`;

/** For the `where` of a statement on PostgreSQL that is going to change the row with this id. */
export const exclusiveLock = (id: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`pg_advisory_xact_lock(${lockKey(id)}) is not null`;

/** Takes the lock before the second condition locks a row: PostgreSQL orders the conditions of an `and` by cost. */
export const lockThen = (lock: RawBuilder<SqlBool>, condition: Expression<SqlBool>): RawBuilder<SqlBool> =>
  sql<SqlBool>`case when ${lock} then ${condition} else false end`;

export const sharedLockOnAll = sql<SqlBool>`pg_advisory_xact_lock_shared(${sql.lit(advisoryLocks.allAccounts)}) is not null`;

/** The same as text, for a statement that must not wait. It is false while a revocation waits. */
export const trySharedLockSql = (column: string) => `pg_try_advisory_xact_lock_shared(hashtextextended(${column}, 0))`;

/** Call it in the transaction of a revocation, before the transaction locks a row. From then on, new writers wait. */
export async function lockForRevocation(tx: Tx, ids: readonly string[]): Promise<void> {
  if (!isPostgres(tx) || ids.length === 0) return;
  const sorted = [...new Set(ids)].sort();
  await sql`select pg_advisory_xact_lock(${lockKey(sql`id`)}) from unnest(${sorted}::text[]) as id`.execute(tx);
}

/** The same for every user, client and session. */
export async function lockForRevocationOfAll(tx: Tx): Promise<void> {
  if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(${sql.lit(advisoryLocks.allAccounts)})`.execute(tx);
}
