import type { Bus } from './bus.ts';
import type { Db } from './db.ts';
import type { Reader } from './reader.ts';

export type { Db, OperatorDb, OperatorTx, Tx } from './db.ts';

export type Engine = 'sqlite' | 'postgres';

/** Counts that only grow. */
export interface Changes {
  /** With every commit of this process, and by at least as much as it changes rows. */
  readonly own: number;
  /** With every turn that finds commits of others: they may have changed any number of rows. */
  readonly foreign: number;
  /** The value of `own` up to which every counted change is committed or rolled back. Left out: always the same as `own`. */
  readonly settled?: number | undefined;
  /** Since when, by the monotonic clock, it is known to be settled. */
  readonly settledAt?: number | undefined;
  /** Whether what is read from has all that was settled by then. Left out: it has. */
  has?(moment: number): boolean;
}

/** The result of a write. */
export interface Written<R> {
  readonly rows: R[];
  /**
   * Settles when the write is on disk, or rejects when it is undone. Until then the rows are good for work that nobody
   * sees, such as signing a token. Nothing is reported where nobody waits for it.
   */
  readonly durable: Promise<void>;
}

/** Named by its id among those that are written with it. */
export interface RowToWrite {
  readonly id: string;
}

/** Copies of the database that reads may go to. */
/** How one of them is read. */
export type Copied = Pick<Database, 'read' | 'readFirst' | 'readKeyed' | 'changes'>;

export interface Replicas {
  /**
   * One that has all that this caller has written, if there is one at the moment. `ruled`: all that anybody has, since rows
   * decide who may see what.
   */
  choose(caller: string, ruled: boolean): Copied | undefined;
  /** To be waited for before a write of the caller is acknowledged. */
  wrote(caller: string): Promise<void>;
  state(): { usable: number; of: number };
}

/** An open database: the query builder, what tells instances of changes, and how to let go of it. */
export interface Database {
  readonly engine: Engine;
  readonly db: Db;
  readonly bus: Bus;
  /**
   * A SELECT by its text, past the query builder: for `compiledQuery`, and for SQL that is put together once. It is limited in
   * time. `reader` is for whom, where it may be expensive; `once`: the text will hardly come again.
   */
  read<R>(sql: string, parameters: readonly unknown[], reader?: Reader, once?: boolean): R[] | Promise<R[]>;
  /** Its first row alone. */
  readFirst<R>(
    sql: string,
    parameters: readonly unknown[],
    reader?: Reader,
    once?: boolean,
  ): R | undefined | Promise<R | undefined>;
  /**
   * The row whose `id` is the key, read with others of the same turn by a text that selects those of a list of keys.
   * Undefined where a read is no journey.
   */
  readKeyed?: (<R>(sql: string, key: string) => Promise<R | undefined>) | undefined;
  /** The same for one INSERT, UPDATE or DELETE outside of transactions. */
  write<R>(sql: string, parameters: readonly unknown[]): Promise<Written<R>>;
  /**
   * One of many writes of the same kind, which travel together. The text takes the rows as JSON ($1), waits for no lock of
   * another, and returns what it wrote. Nothing comes back for what it left out: that is to be written alone.
   * Undefined where a write is no journey.
   */
  batchWrite?: (<R extends RowToWrite>(sql: string, row: RowToWrite) => Promise<R | undefined>) | undefined;
  /** On SQLite: calls the listener right before this thread waits for the disk, to hand work to other threads. */
  beforeCommit?: ((listener: () => void) => void) | undefined;
  /** On PostgreSQL: work on a connection of its own, past a pooler and without limits in time. */
  direct?: (<T>(work: (db: Db) => Promise<T>) => Promise<T>) | undefined;
  /** Tells whether what was read before is still true, or about true. Undefined where nobody knows. */
  changes(): Changes | undefined | Promise<Changes | undefined>;
  /** Milliseconds since 1970, by the clock that all instances share. */
  now(): number;
  /** Checks of the parts that a write needs, by name. A check rejects while its part does not work. It is cheap enough to run often, one at a time. */
  readonly probes: Readonly<Partial<Record<'database' | 'disk' | 'pool', () => Promise<void>>>>;
  readonly replicas?: Replicas | undefined;
  /** Figures for the metrics page. */
  connections(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}
