import type { Selectable } from 'kysely';
import { compiledQuery } from '../compiled-query.ts';
import type { Database, Db, Tx } from '../database.ts';
import { insertIfAbsent } from '../insert-if-absent.ts';
import type { Tables } from '../tables/tables.ts';

export type KeyRow = Selectable<Tables['signing_keys']>;

const keysQuery = compiledQuery((db) =>
  db.selectFrom('signing_keys').selectAll().orderBy('signs_from', 'desc').orderBy('id', 'desc'),
);
const issuersQuery = compiledQuery((db) => db.selectFrom('issuers').select('url'));

export const allKeys = (db: Db | Tx): Promise<KeyRow[]> => keysQuery.run(db, {});

export const readKeys = (database: Database): KeyRow[] | Promise<KeyRow[]> => keysQuery.read(database, {});
export const readIssuers = (database: Database) => issuersQuery.read(database, {});

export const insertKey = (tx: Tx, key: KeyRow): Promise<unknown> => tx.insertInto('signing_keys').values(key).execute();

export const rememberIssuer = (tx: Tx, url: string, now: number): Promise<unknown> =>
  insertIfAbsent(tx, 'issuers', { url, created_at: now }, 'url');

export const replaceSealed = (tx: Tx, id: string, sealed: string): Promise<unknown> =>
  tx.updateTable('signing_keys').set({ sealed_private: sealed }).where('id', '=', id).execute();
