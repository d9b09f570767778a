/** A row of the old database. Every value is a text, for any column type. The columns `Key` are never null. */
export type SourceRow<Key extends string = never> = Readonly<Record<string, string | null>> &
  Readonly<Record<Key, string>>;

/** PostgreSQL cannot store a NUL character. One name with it would stop the whole import. */
export const withoutNul = <T extends string | null>(text: T): T => (text?.replaceAll('\0', '') ?? null) as T;

/** The type of a column, as far as queries need it. */
export type ColumnKind = 'number' | 'uuid' | 'binary' | 'other';

/** The columns of a table by name. */
export type Columns = ReadonlyMap<string, ColumnKind>;

/** A snapshot of the old database. It is never written. */
export interface Source {
  /** All tables by name, with their columns. */
  tables(): Promise<ReadonlyMap<string, Columns>>;
  /** The next rows after `after`, ordered by `key`. The cost is the same for every page. */
  page<K extends string>(from: Selection<K>, after: string | null, limit: number): Promise<SourceRow<K>[]>;
  /** The rows whose `key` is one of these. */
  withKeys<K extends string>(from: Selection<K>, keys: readonly string[]): Promise<SourceRow<K>[]>;
  /** The different values of a column. */
  distinct(table: string, column: string): Promise<string[]>;
  count(table: string): Promise<number>;
  close(): Promise<void>;
}

export interface Selection<Key extends string = string> {
  readonly table: string;
  readonly key: Key;
  readonly keyKind: ColumnKind;
  readonly columns: readonly string[];
}

const number = /^-?\d{1,19}$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The values that the column can contain: some engines fail if a number is compared with a word. */
export const comparableKeys = (kind: ColumnKind, keys: readonly string[]): string[] =>
  keys.filter((key) => (kind === 'number' ? number : kind === 'uuid' ? uuid : /^/).test(key));

/** Builds the two queries. `quote` quotes a name, `slot` writes the n-th parameter. */
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

/** More distinct values cannot be class names. */
const maxValues = 1000;

export const distinctSql = (table: string, column: string, quote: (name: string) => string): string =>
  `select distinct ${quote(column)} as value from ${quote(table)} limit ${maxValues}`;

/** Reads a table page by page, with constant memory. */
export async function* pages<K extends string>(source: Source, from: Selection<K>, size: number) {
  let after: string | null = null;
  for (;;) {
    const rows: SourceRow<K>[] = await source.page(from, after, size);
    if (rows.length > 0) yield rows;
    const last: string | null = rows.at(-1)?.[from.key] ?? null;
    if (rows.length < size || last === null) return;
    after = last;
  }
}
