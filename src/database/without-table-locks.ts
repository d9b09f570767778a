import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Db } from './database.ts';
import { advisoryLocks } from './locks/advisory-locks.ts';
import type { FixedIndex } from './migration.ts';

const pollIntervalMs = 200;

/**
 * On PostgreSQL: long work on large tables without locking them, by one instance at a time. It runs outside of transactions, in
 * steps that can be interrupted and repeated. `isNeeded` is called while another instance has the lock. If it returns false, the work does
 * not run, and the result is false.
 */
export async function withoutTableLocks(
  { direct }: Database,
  work: (db: Db) => Promise<void>,
  isNeeded: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  if (!direct) throw new Error('withoutTableLocks requires PostgreSQL');
  return direct(async (db) => {
    for (;;) {
      // The lock is polled, because CREATE INDEX CONCURRENTLY waits for every open transaction.
      const { rows } = await sql<{
        acquired: boolean;
      }>`select pg_try_advisory_lock(${advisoryLocks.longWork}) as acquired`.execute(db);
      if (rows[0]?.acquired) {
        await work(db);
        return true;
      }
      await wait(pollIntervalMs);
      if (!(await isNeeded())) return false;
    }
  });
}

/** A table cannot change while its index is being created. Returns whether it had to wait. */
export async function waitForIndexBuilds(db: Db): Promise<boolean> {
  for (let waited = false; ; waited = true) {
    const { rows } = await sql`select 1 from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())
      and classid = 0 and objid = ${advisoryLocks.longWork} and objsubid = 1`.execute(db);
    if (rows.length === 0) return waited;
    await wait(pollIntervalMs);
  }
}

/** The indexes that do not exist or are invalid. On SQLite the migrations create them. */
export async function findMissing<I extends Pick<FixedIndex, 'name'>>(
  database: Database,
  indexes: readonly I[],
): Promise<I[]> {
  if (database.engine === 'sqlite' || indexes.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select relname as name from pg_index
    join pg_class on pg_class.oid = indexrelid
    where relname = any(${indexes.map(({ name }) => name)}) and relnamespace = current_schema()::regnamespace
      and indisvalid`.execute(database.db);
  const existing = new Set(rows.map(({ name }) => name));
  return indexes.filter(({ name }) => !existing.has(name));
}
