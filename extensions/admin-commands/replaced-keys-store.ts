import type { Tx } from '../../src/database/database.ts';
import type { KeyRow } from '../../src/database/keys/key-store.ts';

/** Retires all other keys of this purpose. A key with an earlier retirement keeps it. */
export const retireOtherKeys = (tx: Tx, purpose: KeyRow['purpose'], ids: readonly string[], at: number) =>
  tx
    .updateTable('signing_keys')
    .set({ retires_at: at })
    .where('purpose', '=', purpose)
    .where('id', 'not in', ids)
    .where((eb) => eb.or([eb('retires_at', 'is', null), eb('retires_at', '>', at)]))
    .execute();

/** Deletes all other keys at once. With a retirement date, an instance with a slow clock would still accept them. */
export const deleteOtherKeys = (tx: Tx, ids: readonly string[]): Promise<unknown> =>
  tx.deleteFrom('signing_keys').where('id', 'not in', ids).execute();

export const deleteRetiredKeys = (tx: Tx, now: number): Promise<unknown> =>
  tx
    .deleteFrom('signing_keys')
    .where('retires_at', '<', now)
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb('purpose', '=', 'sign'),
        not(
          exists(
            selectFrom('client_secrets')
              .select('client_secrets.id')
              .where((secret) =>
                secret.or([
                  secret('client_secrets.key_id', 'is', null),
                  secret('client_secrets.key_id', '=', secret.ref('signing_keys.id')),
                ]),
              ),
          ),
        ),
      ]),
    )
    .execute();

export async function lastExpiry(tx: Tx, type: 'personal' | 'session'): Promise<number> {
  const row = await tx
    .selectFrom('sessions')
    .select((select) => select.fn.max('expires_at').as('last'))
    .where('type', '=', type)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return Number(row?.last ?? 0);
}
