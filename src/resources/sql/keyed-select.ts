import { CompiledStatement, type Executor, type StoredRow } from './executor.ts';
import { type Fragment, sql } from './sql-text.ts';

/** Reads a row by its id. On PostgreSQL, one statement reads all ids of one turn of the event loop. */
export class KeyedSelect {
  readonly #selectOne: CompiledStatement;
  readonly #selectManySql: string;
  readonly #prepared: boolean;

  /** `from`: the beginning of the SELECT, with the alias `t`. */
  constructor(from: Fragment, prepared: boolean) {
    this.#selectOne = new CompiledStatement(sql`${from} where t."id" = ${null}`, prepared);
    // With the subquery, PostgreSQL uses one plan for any number of ids.
    this.#selectManySql = `${from.strings[0]} where t."id" = any(array(select unnest($1::text[])))`;
    this.#prepared = prepared;
  }

  readFirst(executor: Executor, id: string): StoredRow | undefined | Promise<StoredRow | undefined> {
    const { readKeyed } = executor;
    return readKeyed && this.#prepared
      ? readKeyed<StoredRow>(this.#selectManySql, id).then(([row]) => row)
      : this.#selectOne.readFirst(executor, [id]);
  }
}
