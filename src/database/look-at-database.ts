import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Kysely, PostgresDialect, type SqliteDatabase, SqliteDialect, sql } from 'kysely';
import { OperatorError, reasonOf } from '../platform/errors.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables/tables.ts';

/** A database that is looked at and cannot be changed. */
export interface Looked extends Pick<Database, 'engine' | 'db'> {
  close(): Promise<void>;
}

interface Location {
  readonly databaseUrl: string;
  readonly workingDir: string;
}

/**
 * Opens what DATABASE_URL names without leaving a trace: no file, no table, no row. Undefined where there is none yet. `limitMs`:
 * how long one statement may take on PostgreSQL.
 */
export async function lookAtDatabase(
  { databaseUrl, workingDir }: Location,
  { limitMs }: { readonly limitMs?: number } = {},
): Promise<Looked | undefined> {
  if (!databaseUrl.startsWith('sqlite:')) return lookAtPostgres(databaseUrl, limitMs);
  const path = resolve(workingDir, databaseUrl.slice('sqlite:'.length));
  return existsSync(path) ? lookAtSqlite(path) : undefined;
}

/**
 * While nobody has the file open there is no write-ahead log, and SQLite would make one even to read. Said to be immutable,
 * the file is read as it is.
 */
function lookAtSqlite(path: string): Looked {
  let file: DatabaseSync;
  try {
    const log = `${path}-wal`;
    const url = pathToFileURL(path);
    if (!existsSync(log) || statSync(log).size === 0) url.searchParams.set('immutable', '1');
    file = new DatabaseSync(url, { readOnly: true, timeout: 5000 });
  } catch (error) {
    throw new OperatorError(`The SQLite database ${path} could not be opened: ${reasonOf(error)}.`);
  }
  const database: SqliteDatabase = {
    prepare(sql) {
      const statement = file.prepare(sql);
      return {
        reader: true,
        all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
        run: () => ({ changes: 0, lastInsertRowid: 0 }),
        iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
      };
    },
    close: () => file.close(),
  };
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  return { engine: 'sqlite', db, close: () => db.destroy() };
}

/** Longer than PostgreSQL itself takes to give up. */
const networkMs = 2000;

/** One transaction that PostgreSQL itself keeps from writing. With a limit nobody waits for long: for a lock, or for a network. */
async function lookAtPostgres(url: string, limitMs?: number): Promise<Looked> {
  const { default: pg } = await import('pg');
  const { Primary } = await import('./postgres/servers/primary.ts');
  const primary = new Primary(url);
  await primary.find();
  const pool = new pg.Pool({
    connectionString: primary.current,
    max: 1,
    connectionTimeoutMillis: 3000,
    ...(limitMs === undefined ? {} : { query_timeout: limitMs + networkMs }),
    application_name: 'gatehouse-doctor',
  });
  pool.on('error', () => undefined);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    const tx = await db.startTransaction().setAccessMode('read only').execute();
    // Not when connecting: a pooler would refuse what it does not know.
    if (limitMs !== undefined) await sql.raw(`set local statement_timeout = ${limitMs}`).execute(tx);
    return {
      engine: 'postgres',
      db: tx,
      async close() {
        await tx.rollback().execute();
        await db.destroy();
      },
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
