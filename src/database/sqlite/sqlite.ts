import { chmodSync, closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import { OperatorError, reasonOf, tooExpensive } from '../../platform/errors.ts';
import { createIfMissing, createServiceFolder } from '../../platform/files.ts';
import { ConnectionDriver } from '../connection-driver.ts';
import type { Database } from '../database.ts';
import { statementSpan } from '../statement-span.ts';
import type { Tables } from '../tables/tables.ts';
import { fileGuard } from './file-guard.ts';
import { StablePlanCompiler } from './placeholder.ts';
import { RowBudget } from './row-budget.ts';
import { SharedCommits } from './shared-commits.ts';
import { SharedSnapshot } from './shared-snapshot.ts';
import { SqliteBus } from './sqlite-bus.ts';
import { throwProblem, toProblem } from './sqlite-errors.ts';
import { SqliteInvalidations } from './sqlite-invalidations.ts';
import { sqliteProbes } from './sqlite-probes.ts';
import { SqliteReads } from './sqlite-reads.ts';
import { Statements } from './sqlite-statements.ts';

const isRead = ({ query, sql }: CompiledQuery): boolean =>
  SelectQueryNode.is(query) || /^\s*(select|pragma|explain)\b/i.test(sql);

class Connection implements DatabaseConnection {
  readonly #reads: SqliteReads;
  readonly #writer: Statements;
  readonly #commits: SharedCommits;
  inTransaction = false;

  constructor(reads: SqliteReads, writer: Statements, commits: SharedCommits) {
    this.#reads = reads;
    this.#writer = writer;
    this.#commits = commits;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return statementSpan('sqlite', query.sql, () => this.#execute<R>(query));
  }

  async #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      if (this.inTransaction) return this.#writer.run(query.sql, query.parameters);
      if (isRead(query)) return { rows: await this.#reads.all<R>(query.sql, query.parameters) };
      const { result, durable } = await this.#commits.run(() => this.#writer.run<R>(query.sql, query.parameters));
      await durable;
      return result;
    } catch (error) {
      throw toProblem(error);
    }
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield await Promise.reject(new Error('streaming is not used here: page by key instead'));
  }

  async begin(): Promise<void> {
    await this.#commits.waitForTurn().catch(throwProblem);
    try {
      this.#writer.run('savepoint job', []);
      this.inTransaction = true;
    } catch (error) {
      this.#commits.abandonJob();
      throw toProblem(error);
    }
  }

  /** Returns when the shared commit of this transaction is on disk. */
  async commit(): Promise<void> {
    this.#writer.run('release job', []);
    this.inTransaction = false;
    await this.#commits.finishJob().catch(throwProblem);
  }

  async rollback(): Promise<void> {
    // A failed commit is already rolled back, and another job may be writing now.
    if (!this.inTransaction) return;
    this.inTransaction = false;
    try {
      // After a full disk, the savepoint is gone too.
      if (this.#commits.isDropped) return;
      this.#writer.run('rollback to job', []);
      this.#writer.run('release job', []);
    } finally {
      this.#commits.abandonJob();
    }
  }

  release(): void {}
}

/** Kysely would run one query at a time. Here, SharedCommits queues the writes, and reads do not wait. */
class SharedFileAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function openFile(path: string, readOnly: boolean): DatabaseSync {
  const file = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true, readOnly });
  if (!readOnly) file.exec('pragma journal_mode = wal; pragma synchronous = full;');
  // A longer wait inside SQLite would block this thread.
  file.exec('pragma cache_size = -16000; pragma temp_store = memory; pragma busy_timeout = 50;');
  return file;
}

const maxRowsInWrites = 100_000;

/** `readSeconds`: the time limit of one read. `singleProcess`: no other process serves from this file. */
export function openSqlite(path: string, readSeconds: number, singleProcess = true): Database {
  let writer: DatabaseSync;
  let reader: DatabaseSync;
  try {
    createServiceFolder(dirname(path));
    createIfMissing(path);
    // A link may lead to a missing file.
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    writer = openFile(path, false);
    reader = openFile(path, true);
    // If another process is writing, SharedCommits retries.
    writer.exec('pragma busy_timeout = 0');
  } catch (error) {
    throw new OperatorError(
      `The SQLite database ${path} could not be opened: ${reasonOf(error)}. Check that the folder exists, is writable, and that the file is a SQLite database.`,
    );
  }
  const exceededError = tooExpensive('Checking this write takes too long.', readSeconds);
  const writerStatements = new Statements(
    writer,
    new RowBudget(writer, { rows: maxRowsInWrites, ms: Infinity, exceededError }),
  );
  const snapshot = new SharedSnapshot(reader);
  const reads = new SqliteReads(path, reader, snapshot, readSeconds);
  const bus = new SqliteBus(writer, snapshot, new SqliteInvalidations(reader), singleProcess);
  const checkFile = fileGuard(path);
  // Remembers the files, now that the write-ahead log exists.
  checkFile();
  const commitListeners: (() => void)[] = [];
  const commits = new SharedCommits(writer, {
    singleProcess,
    checkFile,
    beforeCommit: () => {
      for (const listener of commitListeners) listener();
      // An open snapshot keeps SQLite from restarting its write-ahead log. Then every commit tries again, and syncs the database file too.
      snapshot.end();
    },
    afterCommit: () => bus.committed(),
  });
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SharedFileAdapter(),
      createDriver: () => new ConnectionDriver(async () => new Connection(reads, writerStatements, commits)),
      createIntrospector: (inner) => new SqliteIntrospector(inner),
      createQueryCompiler: () => new StablePlanCompiler(),
    },
  });
  return {
    engine: 'sqlite',
    db,
    bus,
    now: Date.now,
    changes: () => bus.changes(),
    revision: () => bus.revision(),
    beforeCommit: (listener) => commitListeners.push(listener),
    read: (sql, parameters, reader) => reads.all(sql, parameters, reader),
    readFirst: (sql, parameters, reader) => reads.first(sql, parameters, reader),
    async write<R>(sql: string, parameters: readonly unknown[]) {
      try {
        const { result, durable: committed } = await commits.run(() => writerStatements.run<R>(sql, parameters));
        const durable = committed.catch(throwProblem);
        durable.catch(() => undefined);
        return { rows: result.rows, durable };
      } catch (error) {
        throw toProblem(error);
      }
    },
    probes: sqliteProbes({ path, writer, commits, checkFile }),
    connections: () => ({ total: 2, idle: 1, waiting: commits.waiting + reads.waiting }),
    async close() {
      await commits.waitUntilIdle();
      await reads.close();
      await db.destroy();
      snapshot.end();
      reader.close();
      writer.close();
    },
  };
}
