import type { ColumnTypes } from './columns.ts';
import type { Engine, Tx } from './database.ts';

/** An index on a table that may have rows. */
export interface FixedIndex {
  readonly name: string;
  /** The table and the columns: `events (row_id, id)`. */
  readonly on: string;
}

export interface Migration {
  readonly name: string;
  statements(types: ColumnTypes): string[];
  /** On PostgreSQL, created after the transaction, without blocking writes. */
  readonly indexes?: readonly FixedIndex[];
  /** Runs after the statements, for work that SQL cannot do. Its time may grow only linearly with the number of rows. */
  change?(tx: Tx): Promise<void>;
}

/** Reports a step that a migration could not do. */
export type Report = (line: string) => void;

/** The time in milliseconds. Other programs also write to a SQLite file, and before 3.42 `unixepoch` has no fractions. */
export const currentTimeSql = (engine: Engine): string =>
  engine === 'sqlite'
    ? "cast(round((julianday('now') - 2440587.5) * 86400000) as integer)"
    : '(extract(epoch from clock_timestamp()) * 1000)::bigint';

export const columnTypes = (engine: Engine): ColumnTypes =>
  engine === 'sqlite'
    ? { text: 'text', bigint: 'integer', real: 'real', position: 'integer primary key autoincrement' }
    : {
        text: 'text collate "C"',
        bigint: 'bigint',
        real: 'double precision',
        position: "bigint primary key default nextval('change_log_position')",
      };
