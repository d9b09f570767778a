/** A value for both engines. Integers are strings of digits, so that none is too large. */
export type Value = string | number | null;
/** The values of a row, in the order of the table's columns. */
export type Row = readonly Value[];
/** The values of a row's primary key. */
export type Key = readonly Value[];

export interface CopiedColumn {
  readonly name: string;
  /** Undefined for a type that Gatehouse does not use. */
  readonly kind: 'text' | 'integer' | 'real' | undefined;
  /** The type name of the database. */
  readonly type: string;
}

export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly CopiedColumn[];
  /** The columns of the primary key, in order. */
  readonly key: readonly string[];
}

/** The limits of a page: rows and bytes. */
export const pageRows = 5000;
export const pageBytes = 4_000_000;

/** The tables of a database, for both engines. All reads use one snapshot. */
export interface TableReader {
  tables(): Promise<ReadonlyMap<string, CopiedTable>>;
  count(table: string): Promise<number>;
  /** The next rows in key order. Empty at the end. `after`: the key of the last row before. */
  page(table: CopiedTable, after: Key | undefined): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** The progress of copying a table. */
export interface Position {
  readonly after: Key | undefined;
  readonly rows: number;
  readonly finished: boolean;
}

/** The target database of a copy, which also stores its progress. */
export interface TableWriter extends TableReader {
  position(table: string): Promise<Position>;
  /** Writes rows and position in one transaction, so that an interrupted copy can continue. */
  insert(table: CopiedTable, rows: readonly Row[], position: Position): Promise<void>;
  /** Creates the postponed indexes and foreign keys. A second call does nothing. */
  complete(): Promise<void>;
  /** Allows services to start. */
  release(): Promise<void>;
}

/** The table in the target database that stores the progress of a move. */
export const progressTable = 'move_progress';

/** Whether a table is copied. Running instances, rows that are created again, and the progress of the move are not. */
export const isCopied = (table: string): boolean =>
  !['instances', 'migrations', 'change_history', 'change_actor', 'change_tickets', progressTable].includes(table);

export const keyOf = ({ columns, key }: CopiedTable, row: Row): Key =>
  key.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null);

export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
