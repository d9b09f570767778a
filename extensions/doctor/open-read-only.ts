import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Kysely, PostgresDialect, type SqliteDatabase, SqliteDialect, sql } from 'kysely';
import type { Config } from '../../src/config/config.ts';
import type { Database } from '../../src/database/database.ts';
import type { Tables } from '../../src/database/tables/tables.ts';
import { OperatorError, reasonOf } from '../../src/platform/errors.ts';

export interface ReadOnlyDatabase extends Pick<Database, 'engine' | 'db'> {
  close(): Promise<void>;
}

type Location = Pick<Config, 'databaseUrl' | 'workingDir'>;

/** Opens a database without changing it. Undefined if it does not exist. The time limit applies to PostgreSQL. */
export async function openReadOnly(
  { databaseUrl, workingDir }: Location,
  { statementTimeoutMs }: { readonly statementTimeoutMs?: number } = {},
): Promise<ReadOnlyDatabase | undefined> {
  if (!databaseUrl.startsWith('sqlite:')) return openPostgresReadOnly(databaseUrl, statementTimeoutMs);
  const path = resolve(workingDir, databaseUrl.slice('sqlite:'.length));
  return existsSync(path) ? openSqliteReadOnly(path) : undefined;
}

/** Without a write-ahead log, SQLite would create one even to read. `immutable` prevents that. */
function openSqliteReadOnly(path: string): ReadOnlyDatabase {
  let file: DatabaseSync;
  try {
    const walPath = `${path}-wal`;
    const url = pathToFileURL(path);
    if (!existsSync(walPath) || statSync(walPath).size === 0) url.searchParams.set('immutable', '1');
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
const networkAllowanceMs = 2000;

/** Uses one read-only transaction. The limit also applies to waiting for locks and for the network. */
async function openPostgresReadOnly(url: string, statementTimeoutMs?: number): Promise<ReadOnlyDatabase> {
  const { default: pg } = await import('pg');
  const { Primary } = await import('../../src/database/postgres/servers/primary.ts');
  const primary = new Primary(url);
  const fail = (error: unknown): never => {
    throw new OperatorError(primary.describeFailure(error));
  };
  await primary.find().catch(fail);
  const pool = new pg.Pool({
    connectionString: primary.current,
    max: 1,
    connectionTimeoutMillis: 3000,
    ...(statementTimeoutMs === undefined ? {} : { query_timeout: statementTimeoutMs + networkAllowanceMs }),
    application_name: 'gatehouse-doctor',
  });
  pool.on('error', () => undefined);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    const tx = await db.startTransaction().setAccessMode('read only').execute();
    // Not set as a connection parameter, because poolers reject unknown ones.
    if (statementTimeoutMs !== undefined)
      await sql.raw(`set local statement_timeout = ${statementTimeoutMs}`).execute(tx);
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
    return fail(error);
  }
}
