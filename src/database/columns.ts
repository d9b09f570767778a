import type { Generated } from 'kysely';
import type { JsonText } from '../platform/json-text.ts';

/** Column types that behave the same on both engines: text sorts by bytes, and integers have 64 bits. */
export interface ColumnTypes {
  readonly text: string;
  readonly bigint: string;
  readonly real: string;
  /** The primary key of the change log. */
  readonly position: string;
}

interface Definition {
  readonly storage: 'text' | 'bigint' | 'integer' | 'position';
  readonly primary?: true;
  readonly nullable?: true;
  readonly clauses: readonly string[];
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
    return this.#withChanges({ primary: true });
  }
  /** The column may be null. An insert must still name it. */
  get nullable(): Column<T | null> {
    return this.#withChanges({ nullable: true });
  }
  /** The column may be null, and an insert may omit it. */
  get optional(): Column<Generated<T | null>> {
    return this.#withChanges({ nullable: true });
  }
  get generated(): Column<Generated<T>> {
    return this.#withChanges({});
  }
  get unique(): Column<T> {
    return this.#withClause('unique');
  }
  default(value: number | string): Column<Generated<T>> {
    return this.#withClause(`default ${typeof value === 'number' ? value : `'${value}'`}`);
  }
  references(table: string): Column<T> {
    return this.#withClause(`references ${table} (id) on delete cascade`);
  }
  check(condition: string): Column<T> {
    return this.#withClause(`check (${condition})`);
  }

  sql(types: ColumnTypes): string {
    const { storage, primary, nullable, clauses } = this.#definition;
    const type = storage === 'integer' ? storage : types[storage];
    return [type, ...(primary ? ['primary key'] : nullable ? [] : ['not null']), ...clauses].join(' ');
  }

  #withClause<N>(clause: string): Column<N> {
    return this.#withChanges({ clauses: [...this.#definition.clauses, clause] });
  }

  #withChanges<N>(changes: Partial<Definition>): Column<N> {
    return new Column({ ...this.#definition, ...changes });
  }
}

export const text = <T extends string = string>() => new Column<T>({ storage: 'text', clauses: [] });
export const json = <T>() => new Column<JsonText<T>>({ storage: 'text', clauses: [] });
export const bigint = () => new Column<number>({ storage: 'bigint', clauses: [] });
export const integer = () => new Column<number>({ storage: 'integer', clauses: [] });
/** The primary key of the change log. The database never issues a position twice, even after rows were pruned. */
export const position = () => new Column<Generated<number>>({ storage: 'position', nullable: true, clauses: [] });

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
  Object.entries(tables).flatMap(([name, definition]) => definition.statements(name, types));
