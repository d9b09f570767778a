import { type Expression, PostgresAdapter, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db, Tx } from '../database.ts';

/*
 * PostgreSQL grants a new `for share` before an earlier transaction that waits to change the same row: a stream of writers
 * would keep a revocation waiting for ever. Advisory locks are granted in the order of the requests. So a transaction that
 * relies on a user, a client or a session takes its lock in shared mode, in the statement that locks the row. A revocation
 * takes the lock in exclusive mode first: new writers queue behind it, and it waits only for those under way.
 *
 * The order is always user, client, session; and the advisory lock before the row. SQLite needs none of this: it has one writer.
 */

/** The number of the lock of all users, clients and sessions. Any number works. */
const everything = 7_146_354;

export const isPostgres = (db: Db | Tx): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

/** A bigint for an id. Two ids with the same number only wait for each other. */
const key = (id: RawBuilder<unknown>) => sql`hashtextextended(${id}, 0)`;

/** For the `where` of a statement on PostgreSQL that relies on the row with this id. */
export const sharedLock = (id: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`pg_advisory_xact_lock_shared(${key(id)}) is not null`;

/** For the `where` of a statement on PostgreSQL that is going to change the row with this id. */
export const exclusiveLock = (id: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`pg_advisory_xact_lock(${key(id)}) is not null`;

/** Takes the lock before the second condition locks a row: PostgreSQL orders the conditions of an `and` by cost. */
export const lockedFirst = (lock: RawBuilder<SqlBool>, then: Expression<SqlBool>): RawBuilder<SqlBool> =>
  sql<SqlBool>`case when ${lock} then ${then} else false end`;

/** For the `where` of a statement that must wait for a revocation of everything. */
export const sharedLockOfAll = sql<SqlBool>`pg_advisory_xact_lock_shared(${sql.lit(everything)}) is not null`;

/** The same as text, for a statement that must not wait: false while a revocation waits. */
export const tryShared = (column: string): string => `pg_try_advisory_xact_lock_shared(hashtextextended(${column}, 0))`;

/** Call it in the transaction of a revocation, before it locks a row. New writers wait from then on. */
export async function announceRevocation(tx: Tx, ids: readonly string[]): Promise<void> {
  if (!isPostgres(tx) || ids.length === 0) return;
  const sorted = [...new Set(ids)].sort();
  await sql`select pg_advisory_xact_lock(${key(sql`id`)}) from unnest(${sorted}::text[]) as id`.execute(tx);
}

/** The same for every user, client and session. */
export async function announceRevocationOfAll(tx: Tx): Promise<void> {
  if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(${sql.lit(everything)})`.execute(tx);
}
