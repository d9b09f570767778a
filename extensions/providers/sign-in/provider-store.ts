import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../../src/database/database.ts';
import { insertIfAbsent } from '../../../src/database/insert-if-absent.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import type { ProviderFailure } from '../client/failure-meanings.ts';

type ProviderRow = Selectable<Tables['providers']>;

/** The columns from the declaration of a provider. The other columns record the results of sign-ins. */
export type DeclaredProvider = Pick<
  ProviderRow,
  'id' | 'label' | 'issuer' | 'client_id' | 'redirect_uri' | 'enabled' | 'secret_expires_at'
>;

export const findProviders = (db: Db | Tx): Promise<ProviderRow[]> =>
  db.selectFrom('providers').selectAll().orderBy('id').execute();

/** False if another instance inserted it first. */
export const insertProvider = (tx: Tx, declared: DeclaredProvider, now: number): Promise<boolean> =>
  insertIfAbsent(tx, 'providers', { ...declared, created_at: now }, 'id');

export async function updateProvider(db: Db | Tx, id: string, changes: Partial<ProviderRow>): Promise<void> {
  await db.updateTable('providers').set(changes).where('id', '=', id).execute();
}

export const deleteProvider = (tx: Tx, id: string) => tx.deleteFrom('providers').where('id', '=', id).execute();

export const recordProviderSuccess = (db: Db, id: string, now: number): Promise<void> =>
  updateProvider(db, id, { last_success_at: now });

export const recordProviderFailure = (
  db: Db,
  id: string,
  { code, detail }: ProviderFailure,
  now: number,
): Promise<void> => updateProvider(db, id, { last_failure_at: now, failure: code, failure_detail: detail });
