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
const comparableKeys = (kind: ColumnKind, keys: readonly string[]): string[] =>
  keys.filter((key) => (kind === 'number' ? number : kind === 'uuid' ? uuid : /^/).test(key));

/** More distinct values cannot be class names. */
const maxValues = 1000;

interface Engine {
  quote(name: string): string;
  /** The n-th parameter, counted from 1. */
  slot?(n: number): string;
  /** A key as the value of a parameter. */
  toValue?(kind: ColumnKind, key: string): unknown;
  /** Whether the key of a table may be null. */
  readonly hasNullKeys?: boolean;
  all(text: string, values?: readonly unknown[]): Promise<SourceRow[]>;
}

/** The queries that differ between engines only in their quotes and parameters. */
export function createQueries(engine: Engine): Pick<Source, 'page' | 'withKeys' | 'distinct' | 'count'> {
  const { quote, slot = () => '?', toValue = (_kind, key) => key, hasNullKeys, all } = engine;
  const select = ({ table, columns }: Selection, rest: string, values: readonly unknown[]) =>
    all(`select ${columns.map(quote).join(', ')} from ${quote(table)} ${rest}`, values) as Promise<SourceRow<string>[]>;
  return {
    page(from, after, limit) {
      const key = quote(from.key);
      const first = hasNullKeys ? `where ${key} is not null` : '';
      const values = after === null ? [] : [toValue(from.keyKind, after)];
      return select(
        from,
        `${after === null ? first : `where ${key} > ${slot(1)}`} order by ${key} limit ${limit}`,
        values,
      );
    },
    async withKeys(from, keys) {
      const values = comparableKeys(from.keyKind, keys).map((key) => toValue(from.keyKind, key));
      if (values.length === 0) return [];
      return select(from, `where ${quote(from.key)} in (${values.map((_, i) => slot(i + 1)).join(', ')})`, values);
    },
    async distinct(table, column) {
      const rows = await all(`select distinct ${quote(column)} as value from ${quote(table)} limit ${maxValues}`);
      return rows.map(({ value }) => value ?? '');
    },
    count: async (table) => Number((await all(`select count(*) as n from ${quote(table)}`))[0]?.n ?? 0),
  };
}

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
