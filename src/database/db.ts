import type { Kysely, Transaction } from 'kysely';

export type { Generated } from 'kysely';

import type { Tables } from './tables/tables.ts';

export type Db = Kysely<Tables>;
/** A function that must run in a transaction takes a `Tx`. So it cannot be called outside of a transaction. */
export type Tx = Transaction<Tables>;

declare global {
  /** The tables of the declared resources. `gatehouse types` fills it in. */
  interface GatehouseTables {}
}

/** Without the generated types of a project, the columns of its tables are unknown. */
interface AnyTables extends Tables {
  // biome-ignore lint/suspicious/noExplicitAny: the operator declares the columns.
  [table: string]: any;
}
/** The built-in tables and the tables of declared resources. */
type AllTables = [keyof GatehouseTables] extends [never] ? AnyTables : Tables & GatehouseTables;

/** The database as the code of an operator sees it. */
export type OperatorDb = Kysely<AllTables>;
export type OperatorTx = Transaction<AllTables>;
