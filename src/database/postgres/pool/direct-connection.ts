import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Db } from '../../db.ts';
import type { Tables } from '../../tables.ts';

/**
 * Runs work on a connection of its own, which no pooler shares and which ends with the work. Its statements may take as long as they
 * do, and locks of its session are its own.
 */
export async function onDirectConnection<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    keepAlive: true,
    application_name: 'gatehouse-migrations',
  });
  pool.on('error', () => undefined);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await db.connection().execute(async (one) => {
      await sql`set statement_timeout = 0`.execute(one);
      return work(one);
    });
  } finally {
    await db.destroy();
  }
}
