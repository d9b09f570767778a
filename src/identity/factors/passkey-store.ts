import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import { insertIfAbsent } from '../../database/insert-if-absent.ts';
import type { Tables } from '../../database/tables/tables.ts';

export type PasskeyRow = Selectable<Tables['passkeys']>;

/** False if the credential is already stored. */
export const insertPasskey = (tx: Tx, row: Omit<PasskeyRow, 'version'>): Promise<boolean> =>
  insertIfAbsent(tx, 'passkeys', row, 'credential_id');

export const deletePasskey = (tx: Tx, id: string) => tx.deleteFrom('passkeys').where('id', '=', id).execute();

export const findPasskeys = (db: Db | Tx, userId: string): Promise<PasskeyRow[]> =>
  db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id').execute();

export const findPasskey = (db: Db | Tx, credentialId: string): Promise<PasskeyRow | undefined> =>
  db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();

/** A counter that does not increase means a copied key (WebAuthn 7.2, step 22). Synced passkeys always send 0. */
export async function recordPasskeyUse(
  tx: Tx,
  { id, counter, backedUp, now }: { id: string; counter: number; backedUp: boolean; now: number },
): Promise<boolean> {
  const update = tx
    .updateTable('passkeys')
    .set({ last_used_at: now, backed_up: Number(backedUp), ...(counter > 0 ? { counter } : {}) })
    .where('id', '=', id);
  const ascending = counter > 0 ? update.where('counter', '<', counter) : update;
  return (await ascending.executeTakeFirstOrThrow()).numUpdatedRows > 0n;
}

/** The random user handle of passkeys. The first call creates it. */
export async function passkeyHandle(db: Db | Tx, userId: string): Promise<string> {
  const created = { user_id: userId, handle: randomBytes(32).toString('base64url') };
  await insertIfAbsent(db, 'passkey_handles', created, 'user_id');
  const query = db.selectFrom('passkey_handles').select('handle').where('user_id', '=', userId);
  return (await query.executeTakeFirstOrThrow()).handle;
}
