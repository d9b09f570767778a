import { type CompiledQuery, InsertQueryNode, RawNode, SelectQueryNode, TableNode } from 'kysely';
import type { Database, Db, Engine, Tx } from '../../database/database.ts';
import type { Reader } from '../../database/reader.ts';
import { placeholder } from '../../database/sqlite/placeholder.ts';
import { replaceRowMarks } from '../../database/sqlite/row-mark.ts';
import type { Fragment } from './sql-text.ts';

/** Faster reads of committed data. Not available in a transaction. */
type CommittedReads = Pick<Database, 'read' | 'readFirst' | 'readKeyed' | 'changes' | 'revision'>;

/** Runs statements in the database or in a transaction. */
export interface Executor extends Partial<CommittedReads> {
  readonly engine: Engine;
  readonly db: Db | Tx;
  /** The caller that waits for the result. */
  readonly reader?: Reader | undefined;
}

function compileSql(engine: Engine, { strings }: Fragment): string {
  let [text = ''] = strings;
  for (let i = 1; i < strings.length; i++) text += (engine === 'sqlite' ? placeholder : `$${i}`) + strings[i];
  return engine === 'sqlite' ? replaceRowMarks(text) : text;
}

// The drivers only check the kind of the node. It distinguishes reads from writes, and prepared statements from others.
const selectNode = SelectQueryNode.create();
const insertNode = InsertQueryNode.create(TableNode.create('resource'));
const rawNode = RawNode.create([''], []);

async function run<R>(executor: Executor, text: string, parameters: readonly unknown[], query: CompiledQuery['query']) {
  const statement: CompiledQuery<R> = { query, queryId: { queryId: 'resource' }, sql: text, parameters };
  return (await executor.db.executeQuery(statement)).rows;
}

const runFragment = <R>(executor: Executor, fragment: Fragment, query: CompiledQuery['query']): Promise<R[]> =>
  run(executor, compileSql(executor.engine, fragment), fragment.values, query);

export type StoredRow = Record<string, unknown> & { readonly id: string };

/** A statement whose text is built once. With the same string object, its prepared statement is found faster. */
export class CompiledStatement {
  readonly #fragment: Fragment;
  readonly #prepared: boolean;
  readonly #sql: Partial<Record<Engine, string>> = {};

  /** The methods get the values. `prepared`: false for a text that depends on the request, which PostgreSQL must not prepare. */
  constructor(fragment: Fragment, prepared = true) {
    this.#fragment = fragment;
    this.#prepared = prepared;
  }

  read<R = StoredRow>(executor: Executor, values: readonly unknown[]): R[] | Promise<R[]> {
    return executor.read
      ? executor.read<R>(this.#sqlFor(executor.engine), values, executor.reader, !this.#prepared)
      : this.#run(executor, values);
  }

  readFirst<R = StoredRow>(executor: Executor, values: readonly unknown[]): R | undefined | Promise<R | undefined> {
    return executor.readFirst
      ? executor.readFirst<R>(this.#sqlFor(executor.engine), values, executor.reader, !this.#prepared)
      : this.#run<R>(executor, values).then(([row]) => row);
  }

  write<R = StoredRow>(executor: Executor, values: readonly unknown[]): Promise<R[]> {
    return run(executor, this.#sqlFor(executor.engine), values, insertNode);
  }

  #sqlFor(engine: Engine): string {
    this.#sql[engine] ??= compileSql(engine, this.#fragment);
    return this.#sql[engine];
  }

  #run<R>(executor: Executor, values: readonly unknown[]): Promise<R[]> {
    return run(executor, this.#sqlFor(executor.engine), values, this.#prepared ? selectNode : rawNode);
  }
}

/** Runs a query whose text is always the same for its resource. */
export const readPrepared = <R = StoredRow>(executor: Executor, fragment: Fragment): R[] | Promise<R[]> =>
  executor.read
    ? executor.read<R>(compileSql(executor.engine, fragment), fragment.values, executor.reader)
    : runFragment(executor, fragment, selectNode);
/** Runs a query whose text depends on the request. PostgreSQL must not prepare it. */
export const readUnprepared = <R = StoredRow>(executor: Executor, fragment: Fragment): R[] | Promise<R[]> =>
  executor.read
    ? executor.read<R>(compileSql(executor.engine, fragment), fragment.values, executor.reader, true)
    : runFragment(executor, fragment, rawNode);
export const writePrepared = <R = StoredRow>(executor: Executor, fragment: Fragment): Promise<R[]> =>
  runFragment(executor, fragment, insertNode);
/** Runs changes of tables, and writes whose text differs from call to call. */
export const writeUnprepared = <R = StoredRow>(executor: Executor, fragment: Fragment): Promise<R[]> =>
  runFragment(executor, fragment, rawNode);
