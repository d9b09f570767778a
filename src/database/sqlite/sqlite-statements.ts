import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { QueryResult } from 'kysely';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { type ArrayStatement, prepareArrays } from './array-statement.ts';
import type { RowBudget } from './row-budget.ts';
import { rowFunction } from './row-mark.ts';
import type { SharedSnapshot } from './shared-snapshot.ts';

type ToObject = (row: readonly unknown[]) => unknown;

interface Prepared {
  readonly statement: ArrayStatement;
  /** Whether the statement counts the rows that it scans. */
  readonly countsRows: boolean;
  columns: readonly string[];
  toObject: ToObject;
}

const objectMakers = new BoundedMap<string, ToObject>(1000);

/** Converts arrays to objects. JSON.stringify is slow with the objects of node:sqlite (docs/performance.md). */
export function objectMaker(columns: readonly string[]): ToObject {
  const key = columns.join('\n');
  const cached = objectMakers.get(key);
  if (cached) return cached;
  // With generated code, V8 knows the shape of the objects before the first row. An unusual column name never becomes code.
  const isPlain = columns.every((name) => /^[a-z_]\w*$/i.test(name) && name !== '__proto__');
  const maker: ToObject = isPlain
    ? (new Function('row', `return { ${columns.map((name, i) => `${name}: row[${i}]`).join(', ')} }`) as ToObject)
    : (row) => Object.fromEntries(columns.map((name, i) => [name, row[i]]));
  objectMakers.set(key, maker);
  return maker;
}

/** Prepared statements by SQL text. The oldest is evicted first. */
export class Statements {
  readonly #file: DatabaseSync;
  readonly #byText = new BoundedMap<string, Prepared>(500);
  readonly #budget: RowBudget;
  readonly #snapshot: SharedSnapshot | undefined;

  constructor(file: DatabaseSync, budget: RowBudget, snapshot?: SharedSnapshot) {
    this.#file = file;
    this.#budget = budget;
    this.#snapshot = snapshot;
  }

  run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const prepared = this.#prepare(sql);
    if (prepared.columns.length > 0) return { rows: this.#rows(prepared, parameters) };
    if (prepared.countsRows) this.#budget.start();
    const { changes } = prepared.statement.run(...toSqliteValues(parameters));
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  all<R>(sql: string, parameters: readonly unknown[]): R[] {
    return this.#rows(this.#prepare(sql), parameters);
  }

  first<R>(sql: string, parameters: readonly unknown[]): R | undefined {
    const prepared = this.#prepare(sql);
    if (prepared.countsRows) this.#budget.start();
    this.#snapshot?.join();
    const row = prepared.statement.get(...toSqliteValues(parameters));
    if (prepared.countsRows) this.#budget.end();
    if (row === undefined) return undefined;
    if (row.length !== prepared.columns.length) this.#nameColumns(prepared);
    return prepared.toObject(row) as R;
  }

  #rows<R>(prepared: Prepared, parameters: readonly unknown[]): R[] {
    if (prepared.countsRows) this.#budget.start();
    this.#snapshot?.join();
    const rows = prepared.statement.all(...toSqliteValues(parameters));
    if (prepared.countsRows) this.#budget.end();
    // After a migration, `select *` returns other columns.
    if (rows[0] && rows[0].length !== prepared.columns.length) this.#nameColumns(prepared);
    const objects: R[] = [];
    for (const row of rows) objects.push(prepared.toObject(row) as R);
    return objects;
  }

  #prepare(sql: string): Prepared {
    const cached = this.#byText.get(sql);
    if (cached) return cached;
    const prepared = this.#nameColumns({
      statement: prepareArrays(this.#file, sql),
      countsRows: sql.includes(rowFunction),
      columns: [],
      toObject: objectMaker([]),
    });
    this.#byText.set(sql, prepared);
    return prepared;
  }

  #nameColumns(prepared: Prepared): Prepared {
    prepared.columns = prepared.statement.columns().map(({ name }) => name);
    prepared.toObject = objectMaker(prepared.columns);
    return prepared;
  }
}

/** SQLite has no booleans and no undefined. A list without such values is not copied. */
export function toSqliteValues(parameters: readonly unknown[]): SQLInputValue[] {
  for (const value of parameters) {
    if (typeof value !== 'boolean' && value !== undefined) continue;
    return parameters.map((each) => (typeof each === 'boolean' ? Number(each) : (each ?? null))) as SQLInputValue[];
  }
  return parameters as SQLInputValue[];
}
