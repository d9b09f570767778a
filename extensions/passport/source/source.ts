/** A row of the old database: every value as its text, whatever its type there. */
export type SourceRow = Readonly<Record<string, string | null>>;

/** PostgreSQL cannot store a NUL character. One name with it would stop the whole import. */
export const withoutNul = <T extends string | null>(text: T): T => (text?.replaceAll('\0', '') ?? null) as T;

/** The type of a column, as far as it matters for queries by its values. */
export type ColumnKind = 'number' | 'uuid' | 'binary' | 'other';

/** The columns of a table by name. */
export type Columns = ReadonlyMap<string, ColumnKind>;

/** One view of the old database, which stays as it was at the start. Nothing is ever written to it. */
export interface Source {
  /** All tables by name, with their columns. */
  tables(): Promise<ReadonlyMap<string, Columns>>;
  /** The next rows after `after`, in the order of `key`: the same cost at any depth. */
  page(from: Selection, after: string | null, limit: number): Promise<SourceRow[]>;
  /** The rows whose `key` is one of these. */
  withKeys(from: Selection, keys: readonly string[]): Promise<SourceRow[]>;
  /** The different values of a column. */
  distinct(table: string, column: string): Promise<string[]>;
  count(table: string): Promise<number>;
  close(): Promise<void>;
}

export interface Selection {
  readonly table: string;
  readonly key: string;
  readonly keyKind: ColumnKind;
  readonly columns: readonly string[];
}

const number = /^-?\d{1,19}$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Values that the column can hold at all: asking a number for a word is an error on some engines. */
export const askable = (kind: ColumnKind, keys: readonly string[]): string[] =>
  keys.filter((key) => (kind === 'number' ? number : kind === 'uuid' ? uuid : /^/).test(key));

/** Builds the two queries. `quote` writes a name, `slot` the n-th parameter. */
export function selectSql(
  { table, key, columns }: Selection,
  quote: (name: string) => string,
  where: string,
  limit?: number,
): string {
  const list = columns.map(quote).join(', ');
  const end = limit === undefined ? '' : ` order by ${quote(key)} limit ${limit}`;
  return `select ${list} from ${quote(table)}${where === '' ? '' : ` where ${where}`}${end}`;
}

/** More values than these are no names of classes. */
const mostValues = 1000;

export const distinctSql = (table: string, column: string, quote: (name: string) => string): string =>
  `select distinct ${quote(column)} as value from ${quote(table)} limit ${mostValues}`;

/** Walks through a table, a page at a time: memory stays the same however long it is. */
export async function* pages(source: Source, from: Selection, size: number): AsyncGenerator<SourceRow[]> {
  let after: string | null = null;
  for (;;) {
    const rows: SourceRow[] = await source.page(from, after, size);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1)?.[from.key] ?? null;
    if (rows.length < size || last === null) return;
    after = last;
  }
}
