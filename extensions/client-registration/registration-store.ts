import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../src/database/database.ts';
import type { Tables } from '../../src/database/tables/tables.ts';
import { setRegistration } from '../../src/oauth/clients/client-store.ts';
import type { JsonText } from '../../src/platform/json-text.ts';
import type { StoredMetadata } from './client-information.ts';

export type RegistrationRow = Selectable<Tables['client_registrations']> & {
  readonly metadata: JsonText<StoredMetadata>;
};

export const findRegistration = (db: Db | Tx, clientId: string): Promise<RegistrationRow | undefined> =>
  db.selectFrom('client_registrations').selectAll().where('client_id', '=', clientId).executeTakeFirst();

/** Stores or replaces the registration of a client. */
export async function upsertRegistration(tx: Tx, row: RegistrationRow): Promise<void> {
  const { metadata, fresh_until } = row;
  await tx
    .insertInto('client_registrations')
    .values(row)
    .onConflict((conflict) => conflict.column('client_id').doUpdateSet({ metadata, fresh_until }))
    .execute();
  await setRegistration(tx, row.client_id, row.kind);
}

/** The registration, if this is the first use of its client. */
export const writeFirstUse = (db: Db, clientId: string, now: number): Promise<RegistrationRow | undefined> =>
  db
    .updateTable('client_registrations')
    .set({ last_used_at: sql`case when created_at < ${now} then ${now} else created_at + 1 end` })
    .where('client_id', '=', clientId)
    .whereRef('last_used_at', '=', 'created_at')
    .returningAll()
    .executeTakeFirst();

/** Writes the last use if the stored time is older than `stale`, so that not every request writes. */
export async function writeClientUse(db: Db, clientId: string, now: number, stale: number): Promise<void> {
  await db
    .updateTable('client_registrations')
    .set({ last_used_at: now })
    .where('client_id', '=', clientId)
    .where('last_used_at', '<', now - stale)
    .execute();
}

/** Registered clients that were not used since `before`, without sessions and consents. */
export async function findUnusedClients(tx: Tx, { before, limit }: { before: number; limit: number }) {
  const rows = await tx
    .selectFrom('client_registrations as r')
    .select('r.client_id')
    .where('r.last_used_at', '<', before)
    .where(sql<boolean>`not exists (select 1 from sessions where sessions.client_id = r.client_id)`)
    .where(sql<boolean>`not exists (select 1 from consents where consents.client_id = r.client_id)`)
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map(({ client_id }) => client_id);
}

interface InitialToken {
  readonly hash: string;
  readonly created_at: number;
  readonly expires_at: number;
}

export async function insertInitialToken(db: Db, token: InitialToken): Promise<void> {
  await db.deleteFrom('registration_tokens').where('expires_at', '<=', token.created_at).execute();
  await db.insertInto('registration_tokens').values(token).execute();
}

export async function hasInitialToken(db: Db, hash: string, now: number): Promise<boolean> {
  const query = db.selectFrom('registration_tokens').select('hash').where('hash', '=', hash);
  return (await query.where('expires_at', '>', now).executeTakeFirst()) !== undefined;
}

/** Deletes a token of either kind. Returns the client that it managed, if any. */
export async function endRegistrationToken(tx: Tx, hash: string): Promise<string | undefined> {
  await tx.deleteFrom('registration_tokens').where('hash', '=', hash).execute();
  const update = tx.updateTable('client_registrations').set({ token_hash: null }).where('token_hash', '=', hash);
  return (await update.returning('client_id').executeTakeFirst())?.client_id;
}
