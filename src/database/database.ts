import type { Bus } from './bus.ts';
import type { Db } from './db.ts';
import type { Reader } from './reader.ts';

export type { Db, OperatorDb, OperatorTx, Tx } from './db.ts';

export type Engine = 'sqlite' | 'postgres';

/** Counters that only grow. */
export interface CommitCounts {
  /** Grows with every commit, at least by the number of changed rows. */
  readonly changeCount: number;
  /** Grows when any number of rows may have changed, for example after a commit of another process. */
  readonly generation: number;
  /** The value of `changeCount` up to which all changes are committed or rolled back. The default is `changeCount`. */
  readonly settled?: number | undefined;
  /** The monotonic time since which `settled` is known. */
  readonly settledAt?: number | undefined;
  /** Whether reads see everything that was settled at that moment. The default is yes. */
  includesSettledAt?(time: number): boolean;
}

export interface WriteResult<R> {
  readonly rows: R[];
  /** Resolves when the write is on disk, or rejects when it is undone. Do not show the rows before. */
  readonly durable: Promise<void>;
}

export interface RowToWrite {
  readonly id: string;
}

/** `_key` is for statements that find several rows by one key. */
export type KeyColumn = 'id' | '_key';

/** The methods to read from a replica. */
export type ReplicaReads = Pick<Database, 'read' | 'readFirst' | 'readKeyed' | 'changes'>;

export interface Replicas {
  /**
   * Returns a replica that contains all writes of this caller. `hasRowRules`: it must contain all writes of all callers, because row-level rules
   * depend on rows.
   */
  choose(caller: string, hasRowRules: boolean): ReplicaReads | undefined;
  /** Await it before a write of the caller is acknowledged. */
  afterWrite(caller: string): Promise<void>;
  state(): { usable: number; of: number };
}

export interface Database {
  readonly engine: Engine;
  readonly db: Db;
  readonly bus: Bus;
  /** Runs a SELECT without the query builder, with a time limit. `isAdHoc`: PostgreSQL prepares the text only if it is repeated. */
  read<R>(sql: string, parameters: readonly unknown[], reader?: Reader, isAdHoc?: boolean): R[] | Promise<R[]>;
  readFirst<R>(
    sql: string,
    parameters: readonly unknown[],
    reader?: Reader,
    isAdHoc?: boolean,
  ): R | undefined | Promise<R | undefined>;
  /**
   * On PostgreSQL: reads the rows whose `id` (or `_key`) is this key. Keys of the same turn of the event loop are read together. The SQL
   * takes a list of keys ($1).
   */
  readKeyed?: (<R>(sql: string, key: string, keyColumn?: KeyColumn) => Promise<R[]>) | undefined;
  write<R>(sql: string, parameters: readonly unknown[]): Promise<WriteResult<R>>;
  /**
   * On PostgreSQL: combines writes of the same kind. The SQL takes the rows as JSON ($1), waits for no lock, and returns the written rows.
   * Returns undefined for a skipped row. Write that row alone.
   */
  batchWrite?: (<R extends RowToWrite>(sql: string, row: RowToWrite) => Promise<R | undefined>) | undefined;
  /** On SQLite: calls the listener before this thread waits for the disk, so that other threads get work. */
  beforeCommit?: ((listener: () => void) => void) | undefined;
  /** On PostgreSQL: runs work on a separate connection, without a pooler and without a time limit. */
  direct?: (<T>(work: (db: Db) => Promise<T>) => Promise<T>) | undefined;
  /** Shows whether earlier reads are still valid. Undefined if unknown. */
  changes(): CommitCounts | undefined | Promise<CommitCounts | undefined>;
  /** On SQLite: grows with every commit of any process. While it stays the same, reads return the same rows. */
  revision?: (() => number) | undefined;
  /** Milliseconds since 1970, by the clock that all instances share. */
  now(): number;
  /**
   * Checks of the parts that a write needs, by name. A check rejects while its part does not work. Checks are cheap and run one at a time.
   */
  readonly probes: Readonly<Partial<Record<'database' | 'disk' | 'pool', () => Promise<void>>>>;
  readonly replicas?: Replicas | undefined;
  connections(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}
