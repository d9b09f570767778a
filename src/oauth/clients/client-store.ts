import { type Selectable, sql } from 'kysely';
import type { Invalidate } from '../../database/bus.ts';
import type { Db, Tx } from '../../database/database.ts';
import { lockForRevocation } from '../../database/locks/revocation-locks.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { parseJson } from '../../platform/json-text.ts';
import {
  type Application,
  type ApplicationFields,
  applicationColumns,
  fromColumns,
  toColumns,
} from './application-store.ts';

export type ClientRow = Selectable<Tables['clients']>;
export type ClientType = ClientRow['type'];
type SecretRow = Selectable<Tables['client_secrets']>;

/** A client with its stored secrets. */
export interface StoredClient extends Application {
  readonly id: string;
  readonly type: ClientType;
  readonly userId: string | null;
  /** Only users of this realm can sign in through the client. Null: all users. */
  readonly realm: string | null;
  /** How the client registered itself. Its metadata is unverified. Null: it was not registered by itself. */
  readonly registration: 'dynamic' | 'document' | null;
  readonly secrets: readonly Pick<SecretRow, 'id' | 'secret_hash' | 'key_id' | 'expires_at'>[];
}

export interface NewClient
  extends Partial<ApplicationFields>,
    Pick<StoredClient, 'type' | 'name' | 'userId' | 'scopes'> {
  /** Default: a new UUID. */
  readonly id?: string | undefined;
  readonly realm?: string | null;
}

/** Creates a client without a secret. Undefined if the id is taken. */
export const createClient = (tx: Tx, client: NewClient, now: number): Promise<ClientRow | undefined> =>
  tx
    .insertInto('clients')
    .values({
      id: client.id ?? uuidv7(now),
      type: client.type,
      name: client.name,
      user_id: client.userId,
      scopes: JSON.stringify(client.scopes),
      realm: client.realm ?? null,
      ...toColumns(client),
      created_at: now,
      updated_at: now,
      version: 1,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returningAll()
    .executeTakeFirst();

/** Sets how the client registered itself. */
export async function setRegistration(tx: Tx, id: string, registration: ClientRow['registration']): Promise<void> {
  await tx.updateTable('clients').set({ registration }).where('id', '=', id).execute();
}

/** Finds a client. A client whose owner is disabled is not found. */
export async function findClient(db: Db | Tx, id: string): Promise<StoredClient | undefined> {
  const rows = await db
    .selectFrom('clients')
    .leftJoin('client_secrets', 'client_secrets.client_id', 'clients.id')
    .leftJoin('users', 'users.id', 'clients.user_id')
    .select(['clients.id', 'clients.type', 'clients.name', 'clients.user_id', 'clients.scopes', 'clients.realm'])
    .select('clients.registration')
    .select(applicationColumns.map((column) => `clients.${column}` as const))
    .select(['client_secrets.id as secret_id', 'secret_hash', 'key_id', 'expires_at'])
    .where('clients.id', '=', id)
    .where((eb) => eb.or([eb('users.disabled', 'is', null), eb('users.disabled', '=', 0)]))
    .execute();
  const [row] = rows;
  if (!row) return undefined;
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    userId: row.user_id,
    scopes: parseJson(row.scopes),
    realm: row.realm,
    ...fromColumns(row),
    registration: row.registration,
    secrets: rows.flatMap(({ secret_id: id, secret_hash, key_id, expires_at }) =>
      id === null || secret_hash === null ? [] : [{ id, secret_hash, key_id, expires_at }],
    ),
  };
}

/** Locks the client: until the transaction ends, no other transaction changes its secrets. */
export async function lockClient(tx: Tx, id: string): Promise<ClientRow | undefined> {
  await lockForRevocation(tx, [id]);
  return tx.selectFrom('clients').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export interface HashedSecret {
  readonly hash: string;
  readonly keyId: string;
  /** The hash of a secret that this service made. A leak report finds the secret by it. */
  readonly valueHash?: string | null;
}

export const insertSecret = (tx: Tx, clientId: string, { hash, keyId, valueHash }: HashedSecret, now: number) =>
  tx
    .insertInto('client_secrets')
    .values({
      id: uuidv7(now),
      client_id: clientId,
      secret_hash: hash,
      key_id: keyId,
      value_hash: valueHash ?? null,
      created_at: now,
      expires_at: null,
    })
    .execute();

/** Ends the secrets of all clients. Returns the number of clients that had one. */
export async function endAllSecrets(tx: Tx): Promise<number> {
  const ended = await tx.deleteFrom('client_secrets').returning('client_id').execute();
  return new Set(ended.map(({ client_id }) => client_id)).size;
}

/** Sets the end of a client's secrets. Secrets that end earlier do not change. */
export async function endSecrets(tx: Tx, clientId: string, at: number, now: number): Promise<void> {
  await tx
    .updateTable('client_secrets')
    .set({ expires_at: at })
    .where('client_id', '=', clientId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]))
    .execute();
  await tx.deleteFrom('client_secrets').where('client_id', '=', clientId).where('expires_at', '<=', now).execute();
}

/** Removes all secrets of a client. The client stays and can get a new secret. */
export async function removeSecrets(tx: Tx, clientId: string): Promise<void> {
  await tx.deleteFrom('client_secrets').where('client_id', '=', clientId).execute();
}

/** Turns a client into an application, or replaces the redirect URIs and scopes of an application. */
export async function convertToApplication(
  tx: Tx,
  invalidate: Invalidate,
  id: string,
  application: Pick<Application, 'public' | 'redirect_uris' | 'scopes'>,
  now: number,
): Promise<void> {
  await tx
    .updateTable('clients')
    .set((eb) => ({
      type: 'application',
      public: application.public ? 1 : 0,
      redirect_uris: JSON.stringify(application.redirect_uris),
      scopes: JSON.stringify(application.scopes),
      updated_at: now,
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .execute();
  invalidate({ kind: 'client', id });
}

/** Deletes the client with its secrets and sessions. Its tokens are rejected from the next request on. */
export async function removeClient(tx: Tx, invalidate: Invalidate, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('clients').where('id', '=', id).executeTakeFirstOrThrow();
  invalidate({ kind: 'client', id });
  return numDeletedRows > 0n;
}

export const listClients = (db: Db): Promise<ClientRow[]> =>
  db.selectFrom('clients').selectAll().orderBy('id').execute();

/** Whether an application has a redirect URI with this origin. */
export async function isOriginOfApplication(db: Db, origin: string): Promise<boolean> {
  if (origin.length > 300 || !/^https?:\/\/[\w.:[\]-]+$/.test(origin)) return false;
  const uriPrefix = `%"${origin.replaceAll('_', '\\_')}`;
  const found = await db
    .selectFrom('clients')
    .select('id')
    .where('type', '=', 'application')
    .where(
      sql<boolean>`(redirect_uris like ${`${uriPrefix}/%`} escape '\\' or redirect_uris like ${`${uriPrefix}"%`} escape '\\')`,
    )
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** The active secrets of a client. */
export const listSecrets = (db: Db, clientId: string, now: number): Promise<SecretRow[]> =>
  db
    .selectFrom('client_secrets')
    .selectAll()
    .where('client_id', '=', clientId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .execute();
