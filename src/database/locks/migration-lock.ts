import { sql } from 'kysely';
import { OperatorError, Problem } from '../../platform/errors.ts';
import type { Database, Tx } from '../database.ts';
import { isDeadlock } from '../postgres/pool/postgres-errors.ts';
import { waitForIndexBuilds } from '../without-table-locks.ts';
import { advisoryLocks } from './advisory-locks.ts';

/**
 * A migration waits for the transactions that use a table, and all later ones wait for the migration. So the migration gives up after this
 * time and tries again. Each attempt waits longer.
 */
const lockTimeoutMs = 800;
const maxLockTimeoutMs = 5000;
/** Changes of large tables take long. */
const statementTimeoutMs = 3_600_000;
const maxAttempts = 60;
const retryDelayMs = 100;
const maxRetryDelayMs = 2000;

class LockUnavailable extends Error {}

const waitBeforeRetry = (attempt: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.min(retryDelayMs * attempt, maxRetryDelayMs)));

/** The wait for a table timed out, or PostgreSQL undid the migration because of a deadlock with a request. */
const isTableInUse = (error: unknown): boolean =>
  isDeadlock(error) || (error instanceof Problem && /lock timeout/.test(error.reason ?? error.message));

/**
 * Runs work in a transaction, one instance at a time. It may run again, so `work` must keep nothing of a failed attempt. `holdsLongWork`: the
 * caller is inside `withoutTableLocks`, so no other instance creates an index.
 */
export async function withMigrationLock<T>(
  database: Database,
  work: (tx: Tx) => Promise<T>,
  { holdsLongWork = false } = {},
): Promise<T> {
  const { engine, db } = database;
  // On SQLite the write transaction itself is the lock.
  if (engine === 'sqlite') return db.transaction().execute(work);
  for (let attempt = 1, lockAttempt = 1; ; ) {
    try {
      return await db.transaction().execute(async (tx) => {
        // The lock is polled, because CREATE INDEX CONCURRENTLY would wait for a transaction that waits inside PostgreSQL.
        const lock = sql<{
          acquired: boolean;
        }>`select pg_try_advisory_xact_lock(${advisoryLocks.migration}) as acquired`;
        if (!(await lock.execute(tx)).rows[0]?.acquired) throw new LockUnavailable();
        await sql.raw(`set local statement_timeout = ${statementTimeoutMs}`).execute(tx);
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
        await sql.raw(`set local lock_timeout = ${Math.min(lockTimeoutMs * attempt, maxLockTimeoutMs)}`).execute(tx);
        return work(tx);
      });
    } catch (error) {
      if (error instanceof LockUnavailable) await waitBeforeRetry(lockAttempt++);
      else if (!isTableInUse(error)) throw error;
      else if (!holdsLongWork && (await waitForIndexBuilds(db))) attempt = 1;
      else if (attempt === maxAttempts) {
        throw new OperatorError(
          'A migration has to change a table that is constantly in use. End transactions that stay open (see pg_stat_activity), then start again.',
        );
      } else await waitBeforeRetry(attempt++);
    }
  }
}
