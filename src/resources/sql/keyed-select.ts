import { type Executor, PreparedSelect, type StoredRow } from './executor.ts';
import { type Fragment, sql } from './sql-text.ts';

/** The row with an id. Where reading is a journey, those of one turn of the event loop are fetched by one statement. */
export class KeyedSelect {
  readonly #one: PreparedSelect;
  readonly #many: string;
  readonly #repeated: boolean;

  /** `from`: what is selected, of rows named `t`. */
  constructor(from: Fragment, repeated: boolean) {
    this.#one = new PreparedSelect(sql`${from} where t."id" = ${null}`, repeated);
    // How many there are shows only inside of the subquery, so that PostgreSQL keeps its plan.
    this.#many = `${from.strings[0]} where t."id" = any(array(select unnest($1::text[])))`;
    this.#repeated = repeated;
  }

  readFirst(executor: Executor, id: string): StoredRow | undefined | Promise<StoredRow | undefined> {
    const { readKeyed } = executor;
    return readKeyed && this.#repeated ? readKeyed(this.#many, id) : this.#one.readFirst(executor, [id]);
  }
}
