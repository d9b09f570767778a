import { type Executor, PreparedStatement, type StoredRow } from './executor.ts';
import { type Fragment, sql } from './sql-text.ts';

/** Reads a row by its id. On PostgreSQL, one statement reads all ids of one turn of the event loop. */
export class KeyedSelect {
  readonly #one: PreparedStatement;
  readonly #many: string;
  readonly #repeated: boolean;

  /** `from`: the beginning of the SELECT, with the alias `t`. */
  constructor(from: Fragment, repeated: boolean) {
    this.#one = new PreparedStatement(sql`${from} where t."id" = ${null}`, repeated);
    // With the subquery, PostgreSQL uses one plan for any number of ids.
    this.#many = `${from.strings[0]} where t."id" = any(array(select unnest($1::text[])))`;
    this.#repeated = repeated;
  }

  readFirst(executor: Executor, id: string): StoredRow | undefined | Promise<StoredRow | undefined> {
    const { readKeyed } = executor;
    return readKeyed && this.#repeated
      ? readKeyed<StoredRow>(this.#many, id).then(([row]) => row)
      : this.#one.readFirst(executor, [id]);
  }
}
