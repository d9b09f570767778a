import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

export type Db = Kysely<Tables>;
/** For what must happen in a transaction: a function that takes one cannot be called outside. */
export type Tx = Transaction<Tables>;
