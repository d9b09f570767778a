import type { Selectable } from 'kysely';
import type { Db, Tx } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

export type KeyRow = Selectable<Tables['signing_keys']>;

export const allKeys = (db: Db | Tx): Promise<KeyRow[]> =>
  db.selectFrom('signing_keys').selectAll().orderBy('signs_from', 'desc').orderBy('id', 'desc').execute();

export const insertKey = (tx: Tx, key: KeyRow): Promise<unknown> => tx.insertInto('signing_keys').values(key).execute();

export async function allIssuers(db: Db | Tx): Promise<string[]> {
  return (await db.selectFrom('issuers').select('url').execute()).map(({ url }) => url);
}

export const rememberIssuer = (tx: Tx, url: string, now: number): Promise<unknown> =>
  tx
    .insertInto('issuers')
    .values({ url, created_at: now })
    .onConflict((clash) => clash.column('url').doNothing())
    .execute();

export const replaceSealed = (tx: Tx, id: string, sealed: string): Promise<unknown> =>
  tx.updateTable('signing_keys').set({ sealed_private: sealed }).where('id', '=', id).execute();

/** Every other signing key that nobody has retired yet gets its end; one already retiring keeps the earlier end. */
export const retireOthers = (tx: Tx, keptId: string, at: number): Promise<unknown> =>
  tx
    .updateTable('signing_keys')
    .set({ retires_at: at })
    .where('purpose', '=', 'sign')
    .where('id', '!=', keptId)
    .where((or) => or.or([or('retires_at', 'is', null), or('retires_at', '>', at)]))
    .execute();

export const deleteRetired = (db: Db | Tx, now: number): Promise<unknown> =>
  db.deleteFrom('signing_keys').where('retires_at', '<', now).execute();

/** When the last of the personal access tokens ends, whatever their life was when they were made. */
export async function lastPersonalExpiry(tx: Tx): Promise<number> {
  const row = await tx
    .selectFrom('sessions')
    .select((select) => select.fn.max('expires_at').as('last'))
    .where('type', '=', 'personal')
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return Number(row?.last ?? 0);
}
