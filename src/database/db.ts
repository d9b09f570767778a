import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables/tables.ts';

export type Db = Kysely<Tables>;
/** For what must happen in a transaction: a function that takes one cannot be called outside. */
export type Tx = Transaction<Tables>;

/** The service's own tables, and those of declared resources: of these nobody here knows the columns. */
interface AllTables extends Tables {
  // biome-ignore lint/suspicious/noExplicitAny: an operator declares them.
  [table: string]: any;
}
/** What an operator's own code reads and writes with. */
export type OperatorDb = Kysely<AllTables>;
export type OperatorTx = Transaction<AllTables>;
