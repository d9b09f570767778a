import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { OperatorError, unavailable } from '../errors.ts';
import type { Database } from './database.ts';
import { SharedCommits } from './shared-commits.ts';
import { SharedSnapshot } from './shared-snapshot.ts';
import { SqliteBus } from './sqlite-bus.ts';
import { Statements } from './sqlite-statements.ts';
import type { Tables } from './tables.ts';

const isRead = ({ query, sql }: CompiledQuery): boolean =>
  SelectQueryNode.is(query) || /^\s*(select|pragma|explain)\b/i.test(sql);

class Connection implements DatabaseConnection {
  readonly #reader: Statements;
  readonly #writer: Statements;
  readonly #commits: SharedCommits;
  inTransaction = false;

  constructor(reader: Statements, writer: Statements, commits: SharedCommits) {
    this.#reader = reader;
    this.#writer = writer;
    this.#commits = commits;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      if (this.inTransaction) return this.#writer.run(query.sql, query.parameters);
      if (isRead(query)) return this.#reader.run(query.sql, query.parameters);
      return await this.#commits.run(() => this.#writer.run<R>(query.sql, query.parameters));
    } catch (error) {
      throw translate(error);
    }
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield await Promise.reject(new Error('streaming is not used here: page by key instead'));
  }

  async begin(): Promise<void> {
    try {
      await this.#commits.enter();
    } catch (error) {
      throw translate(error);
    }
    try {
      this.#writer.run('savepoint job', []);
      this.inTransaction = true;
    } catch (error) {
      this.#commits.abandon();
      throw translate(error);
    }
  }

  /** Returns when the commit that this transaction shares with its neighbours is on disk. */
  async commit(): Promise<void> {
    this.#writer.run('release job', []);
    this.inTransaction = false;
    try {
      await this.#commits.leave();
    } catch (error) {
      throw translate(error);
    }
  }

  async rollback(): Promise<void> {
    // A commit that failed has been undone already, and it may be another's turn to write by now.
    if (!this.inTransaction) return;
    this.inTransaction = false;
    try {
      this.#writer.run('rollback to job', []);
      this.#writer.run('release job', []);
    } finally {
      this.#commits.abandon();
    }
  }
}

/** Busy, locked, read-only, I/O error, full, cannot open: "not now", whatever was asked. */
const awayCodes = new Set([5, 6, 8, 10, 13, 14]);

function translate(error: unknown): unknown {
  const { errcode, message } = error as { errcode?: number; message?: string };
  if (errcode === undefined || !awayCodes.has(errcode & 0xff)) return error;
  return unavailable('The database cannot take this at the moment. Try again shortly.', 5, message);
}

function translated<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw translate(error);
  }
}

/** Kysely would run one query at a time; here writes queue by themselves, share commits, and let reads pass. */
class SharedFileAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class SqliteDriver implements Driver {
  readonly #open: () => Connection;

  constructor(open: () => Connection) {
    this.#open = open;
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#open();
  }
  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as Connection).begin();
  }
  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as Connection).commit();
  }
  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as Connection).rollback();
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

function openFile(path: string, readOnly: boolean): DatabaseSync {
  const file = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true, readOnly });
  if (!readOnly) file.exec('pragma journal_mode = wal; pragma synchronous = full;');
  // From here on a wait for another process is not spent inside SQLite, where it would stop everything else.
  file.exec('pragma cache_size = -16000; pragma temp_store = memory; pragma busy_timeout = 50;');
  return file;
}

export function openSqlite(path: string): Database {
  let writer: DatabaseSync;
  let reader: DatabaseSync;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    writer = openFile(path, false);
    reader = openFile(path, true);
  } catch (error) {
    throw new OperatorError(
      `The SQLite database ${path} could not be opened: ${(error as Error).message}. Check that the folder exists, is writable, and that the file is a SQLite database.`,
    );
  }
  const writing = new Statements(writer);
  const snapshot = new SharedSnapshot(reader);
  const reading = new Statements(reader, snapshot);
  const bus = new SqliteBus(writer, snapshot);
  const commits = new SharedCommits(writer, () => bus.committed());
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SharedFileAdapter(),
      createDriver: () => new SqliteDriver(() => new Connection(reading, writing, commits)),
      createIntrospector: (inner) => new SqliteIntrospector(inner),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  return {
    engine: 'sqlite',
    db,
    bus,
    changes: () => bus.changes(),
    read: <R>(sql: string, parameters: readonly unknown[]) => translated(() => reading.all<R>(sql, parameters)),
    readFirst: <R>(sql: string, parameters: readonly unknown[]) => translated(() => reading.first<R>(sql, parameters)),
    async write<R>(sql: string, parameters: readonly unknown[], early?: (rows: R[]) => void) {
      try {
        return await commits.run(() => {
          const { rows } = writing.run<R>(sql, parameters);
          early?.(rows);
          return rows;
        });
      } catch (error) {
        throw translate(error);
      }
    },
    ping: async () => void translated(() => reading.run('select 1', [])),
    connections: () => ({ total: 2, idle: 1, waiting: commits.waiting }),
    async close() {
      await commits.drained();
      await db.destroy();
      snapshot.end();
      reader.close();
      writer.close();
    },
  };
}
