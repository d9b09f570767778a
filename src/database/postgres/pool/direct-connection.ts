import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Db } from '../../db.ts';
import type { Tables } from '../../tables/tables.ts';

const connectsWithinMs = 10_000;

/**
 * Runs work on a connection of its own, which no pooler shares and which ends with the work, or with `signal`. Its statements may take
 * as long as they do, and locks of its session are its own.
 */
export async function onDirectConnection<T>(
  url: string,
  signal: AbortSignal,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    keepAlive: true,
    connectionTimeoutMillis: connectsWithinMs,
    application_name: 'gatehouse-migrations',
  });
  pool.on('error', () => undefined);
  let cut = () => {};
  pool.on('connect', (client) => {
    // The statement under way is told; without a listener the process would end.
    client.on('error', () => undefined);
    cut = () => client.connection.stream.destroy();
    if (signal.aborted) cut();
  });
  const abort = () => cut();
  signal.addEventListener('abort', abort);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    signal.throwIfAborted();
    return await db.connection().execute(async (one) => {
      await sql`set statement_timeout = 0`.execute(one);
      return work(one);
    });
  } finally {
    signal.removeEventListener('abort', abort);
    await db.destroy();
  }
}
