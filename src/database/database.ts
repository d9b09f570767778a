import type { Kysely, Transaction } from 'kysely';
import type { Bus } from './bus.ts';
import type { Tables } from './tables.ts';

export type Engine = 'sqlite' | 'postgres';
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

/** An open database: the query builder, what tells instances of changes, and how to let go of it. */
export interface Database {
  readonly engine: Engine;
  readonly db: Db;
  readonly bus: Bus;
  /** A SELECT by its text, past the query builder: for `fixedQuery`, and for SQL that is put together once. */
  read<R>(sql: string, parameters: readonly unknown[]): R[] | Promise<R[]>;
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  /** Figures for the metrics page. */
  connections(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}
