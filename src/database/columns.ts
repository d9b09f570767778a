import type { Generated } from 'kysely';
import type { JsonText } from '../platform/json-text.ts';

/** Column types that behave the same on both engines: text sorts by bytes, and integers have 64 bits. */
export interface ColumnTypes {
  readonly text: string;
  readonly bigint: string;
  readonly real: string;
  /** The primary key of the log of changes. */
  readonly position: string;
}

interface Definition {
  readonly storage: 'text' | 'bigint' | 'integer' | 'position';
  readonly primary?: true;
  readonly nullable?: true;
  readonly rest: readonly string[];
}

/** A column of a built-in table. It is `not null` by default. `T` is the type of its values in TypeScript. */
export class Column<T> {
  /** Exists only for the compiler. */
  declare readonly value: T;
  readonly #definition: Definition;

  constructor(definition: Definition) {
    this.#definition = definition;
  }

  get primary(): Column<T> {
    return this.#with({ primary: true });
  }
  /** The column may be null. An insert must still name it. */
  get nullable(): Column<T | null> {
    return this.#with({ nullable: true });
  }
  /** The column may be null, and an insert may omit it. */
  get optional(): Column<Generated<T | null>> {
    return this.#with({ nullable: true });
  }
  get generated(): Column<Generated<T>> {
    return this.#with({});
  }
  get unique(): Column<T> {
    return this.#and('unique');
  }
  default(value: number | string): Column<Generated<T>> {
    return this.#and(`default ${typeof value === 'number' ? value : `'${value}'`}`);
  }
  references(table: string): Column<T> {
    return this.#and(`references ${table} (id) on delete cascade`);
  }
  check(condition: string): Column<T> {
    return this.#and(`check (${condition})`);
  }

  sql(types: ColumnTypes): string {
    const { storage, primary, nullable, rest } = this.#definition;
    const type = storage === 'integer' ? storage : types[storage];
    return [type, ...(primary ? ['primary key'] : nullable ? [] : ['not null']), ...rest].join(' ');
  }

  #and<N>(more: string): Column<N> {
    return this.#with({ rest: [...this.#definition.rest, more] });
  }

  #with<N>(changes: Partial<Definition>): Column<N> {
    return new Column({ ...this.#definition, ...changes });
  }
}

export const text = <T extends string = string>() => new Column<T>({ storage: 'text', rest: [] });
export const json = <T>() => new Column<JsonText<T>>({ storage: 'text', rest: [] });
export const bigint = () => new Column<number>({ storage: 'bigint', rest: [] });
export const integer = () => new Column<number>({ storage: 'integer', rest: [] });
/** The primary key of the log of changes. The database never issues a position twice, even after rows were pruned. */
export const position = () => new Column<Generated<number>>({ storage: 'position', nullable: true, rest: [] });

type Columns = Readonly<Record<string, Column<unknown>>>;

export class Table<C extends Columns> {
  readonly #columns: C;
  readonly #constraints: string[] = [];
  readonly #indexes: { readonly kind: string; readonly name: string; readonly on: string }[] = [];

  constructor(columns: C) {
    this.#columns = columns;
  }

  /** Exists only for the compiler. */
  declare readonly row: { [N in keyof C]: C[N]['value'] };

  constraint(sql: string): this {
    this.#constraints.push(sql);
    return this;
  }
  index(name: string, on: string, kind: 'index' | 'unique index' = 'index'): this {
    this.#indexes.push({ kind, name, on });
    return this;
  }

  statements(table: string, types: ColumnTypes): string[] {
    const columns = Object.entries(this.#columns).map(([name, column]) => `${name} ${column.sql(types)}`);
    return [
      `create table ${table} (${[...columns, ...this.#constraints].join(', ')})`,
      ...this.#indexes.map(({ kind, name, on }) => `create ${kind} ${name} on ${table} ${on}`),
    ];
  }
}

export const table = <C extends Columns>(columns: C): Table<C> => new Table(columns);

type Tables = Readonly<Record<string, Table<Columns>>>;

/** The rows of tables, for Kysely. */
export type RowsOf<T extends Tables> = { [N in keyof T]: T[N]['row'] };

export const createTables = (tables: Tables, types: ColumnTypes): string[] =>
  Object.entries(tables).flatMap(([name, one]) => one.statements(name, types));
