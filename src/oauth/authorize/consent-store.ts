import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { parseJson } from '../../platform/json-text.ts';

type ConsentRow = Selectable<Tables['consents']>;

export interface Consent {
  readonly id: string;
  readonly scopes: readonly string[];
  /** The requested scopes, allowed or not. */
  readonly requestedScopes: readonly string[];
}

export interface ConsentKey {
  readonly userId: string;
  readonly clientId: string;
}

const toConsent = ({ id, scopes, asked }: ConsentRow): Consent => ({
  id,
  scopes: parseJson(scopes),
  requestedScopes: parseJson(asked),
});

const selectConsent = (db: Db | Tx, { userId, clientId }: ConsentKey) =>
  db.selectFrom('consents').selectAll().where('user_id', '=', userId).where('client_id', '=', clientId);

export async function findConsent(db: Db, parties: ConsentKey): Promise<Consent | undefined> {
  const row = await selectConsent(db, parties).executeTakeFirst();
  return row && toConsent(row);
}

/** Finds the consent and locks it, so that it cannot be withdrawn before the transaction ends. */
export async function lockConsent(tx: Tx, parties: ConsentKey): Promise<Consent | undefined> {
  const row = await selectConsent(tx, parties).forUpdate().executeTakeFirst();
  return row && toConsent(row);
}

export async function upsertConsent(
  tx: Tx,
  { userId, clientId }: ConsentKey,
  { scopes, requestedScopes }: Omit<Consent, 'id'>,
  now: number,
): Promise<void> {
  const client_name = tx.selectFrom('clients').select('name').where('id', '=', clientId);
  const lists = { scopes: JSON.stringify(scopes), asked: JSON.stringify(requestedScopes) };
  await tx
    .insertInto('consents')
    .values({
      id: uuidv7(now),
      user_id: userId,
      client_id: clientId,
      ...lists,
      client_name,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'client_id'])
        .doUpdateSet((set) => ({ ...lists, client_name, updated_at: now, version: set('consents.version', '+', 1) })),
    )
    .execute();
}

export const deleteConsent = (tx: Tx, id: string) => tx.deleteFrom('consents').where('id', '=', id).execute();

export async function deleteConsentsOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('consents').where('user_id', '=', userId).execute();
}
