import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Db } from '../../db.ts';
import type { Tables } from '../../tables/tables.ts';

const connectTimeoutMs = 10_000;

/**
 * Runs work on a separate connection without a pooler and without a time limit. The connection is closed after the work, or when `signal`
 * aborts. Its session locks are not shared.
 */
export async function withDirectConnection<T>(url: string, signal: AbortSignal, work: (db: Db) => Promise<T>) {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'gatehouse-migrations',
  });
  pool.on('error', () => undefined);
  let destroyConnection = () => {};
  pool.on('connect', (client) => {
    // The running statement reports the error. Without a listener, the process would exit.
    client.on('error', () => undefined);
    destroyConnection = () => client.connection.stream.destroy();
    if (signal.aborted) destroyConnection();
  });
  const abort = () => destroyConnection();
  signal.addEventListener('abort', abort);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    signal.throwIfAborted();
    return await db.connection().execute(async (connection) => {
      await sql`set statement_timeout = 0`.execute(connection);
      return work(connection);
    });
  } finally {
    signal.removeEventListener('abort', abort);
    await db.destroy();
  }
}
