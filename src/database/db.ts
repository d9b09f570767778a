import type { Kysely, Transaction } from 'kysely';

export type { Generated } from 'kysely';

import type { Tables } from './tables/tables.ts';

export type Db = Kysely<Tables>;
/** For what must happen in a transaction: a function that takes one cannot be called outside. */
export type Tx = Transaction<Tables>;

declare global {
  /** The tables of the declared resources. `gatehouse types` fills it in. */
  interface GatehouseTables {}
}

/** Without the types of a project, nobody knows the columns of its tables. */
interface AnyTables extends Tables {
  // biome-ignore lint/suspicious/noExplicitAny: an operator declares them.
  [table: string]: any;
}
/** The service's own tables, and those of declared resources. */
type AllTables = [keyof GatehouseTables] extends [never] ? AnyTables : Tables & GatehouseTables;

/** The database as an operator's own code sees it. */
export type OperatorDb = Kysely<AllTables>;
export type OperatorTx = Transaction<AllTables>;
