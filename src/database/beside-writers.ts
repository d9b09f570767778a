import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Db } from './database.ts';

/** The number of the lock for long work beside writers. It differs from the lock of the migrations. */
const longWork = 7_146_353;
const pauseMs = 200;

/**
 * Long work on large tables of PostgreSQL that holds none of them, by one instance at a time: outside of transactions, in steps that
 * can be cut off and repeated. A second instance finds the work done.
 */
export async function besideWriters<T>({ direct }: Database, work: (db: Db) => Promise<T>): Promise<T> {
  if (!direct) throw new Error('only PostgreSQL works beside those who write');
  return direct(async (db) => {
    for (;;) {
      // Not by waiting inside PostgreSQL: an index that is made waits for every transaction, also for one that waits.
      const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_lock(${longWork}) as taken`.execute(db);
      if (rows[0]?.taken) return work(db);
      await wait(pauseMs);
    }
  });
}

/** A table whose index is being made cannot change. Returns whether there was something to wait for. */
export async function waitForIndexBuilds(db: Db): Promise<boolean> {
  for (let waited = false; ; waited = true) {
    const { rows } = await sql`select 1 from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())
      and classid = 0 and objid = ${longWork} and objsubid = 1`.execute(db);
    if (rows.length === 0) return waited;
    await wait(pauseMs);
  }
}

/** Makes an index beside those who write. `make`: a CREATE INDEX CONCURRENTLY IF NOT EXISTS. Leaves nothing of an index that fails. */
export async function makeIndex(db: Db, name: string, make: () => Promise<unknown>): Promise<void> {
  const drop = () => sql`drop index concurrently if exists ${sql.ref(name)}`.execute(db);
  const { rows } = await sql`select 1 from pg_index join pg_class on pg_class.oid = indexrelid
    where relname = ${name} and relnamespace = current_schema()::regnamespace and not indisvalid`.execute(db);
  // Somebody was cut off while making it.
  if (rows.length > 0) await drop();
  try {
    await make();
  } catch (error) {
    await drop();
    throw error;
  }
}
