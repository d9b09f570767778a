/** A value in the form that both engines can be given: whole numbers as their digits, so that none is too large. */
export type Value = string | number | null;
/** The values of a row, in the order of the table's columns. */
export type Row = readonly Value[];
/** The values of a row's primary key. */
export type Key = readonly Value[];

export interface CopiedColumn {
  readonly name: string;
  /** Undefined for a type that Gatehouse has no use for. */
  readonly kind: 'text' | 'integer' | 'real' | undefined;
  /** As the database calls it. */
  readonly type: string;
}

export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly CopiedColumn[];
  /** The columns of its primary key, in order. */
  readonly key: readonly string[];
}

/** Rows that are read at once: as many as fit into both. */
export const pageRows = 5000;
export const pageBytes = 4_000_000;

/** The tables of a database, the same for both engines. Reads come from one snapshot. */
export interface TableReader {
  tables(): Promise<ReadonlyMap<string, CopiedTable>>;
  count(table: string): Promise<number>;
  /** The next rows by their key, and none at the end. `after`: the last one before. */
  page(table: CopiedTable, after: Key | undefined): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** How far the copy of a table is. */
export interface Position {
  readonly after: Key | undefined;
  readonly rows: number;
  readonly finished: boolean;
}

/** A database that a copy is being put into, with notes of how far it is. */
export interface TableWriter extends TableReader {
  position(table: string): Promise<Position>;
  /** Rows and position in one transaction: a copy that is cut off goes on where it was. */
  insert(table: CopiedTable, rows: readonly Row[], position: Position): Promise<void>;
  /** Makes what was left out while the rows came: indexes and references. Does nothing the second time. */
  complete(): Promise<void>;
  /** Lets services start. */
  release(): Promise<void>;
}

/** Where the positions are. */
export const notesTable = 'move_progress';

/** Whether a table is copied. Listening instances, rows that are created again, and notes are not. */
export const isCopied = (table: string): boolean =>
  !['instances', 'migrations', 'change_history', 'change_actor', 'change_tickets', notesTable].includes(table);

export const keyOf = ({ columns, key }: CopiedTable, row: Row): Key =>
  key.map((name) => row[columns.findIndex((column) => column.name === name)] as Value);

export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
