import { isDeepStrictEqual } from 'node:util';
import { type Selectable, sql } from 'kysely';
import type { Invalidate } from '../../database/bus.ts';
import type { Db, Tx } from '../../database/database.ts';
import { isPostgres, lockForRevocation, sharedLock } from '../../database/locks/revocation-locks.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { parseJson } from '../../platform/json-text.ts';
import type { WholeRow } from '../../resources/declaration/fields/row-types.ts';
import type { clientFields } from './client-fields.ts';
import type { SecretRow } from './secrets/secret-store.ts';

type ClientRow = Selectable<Tables['clients']>;

type WholeClient = WholeRow<typeof clientFields>;

/** The values of omitted fields. Clients that are not applications have these values. */
const defaults = {
  public: false,
  trusted: false,
  redirect_uris: [],
  post_logout_redirect_uris: [],
  homepage_uri: null,
  logo_uri: null,
  tos_uri: null,
  policy_uri: null,
  backchannel_logout_uri: null,
  require_pkce: false,
  id_token_signed_response_alg: null,
  id_token_claims: true,
  grant_types: [],
  token_endpoint_auth_method: null,
  default_max_age: null,
  jwks: null,
  jwks_uri: null,
  require_pushed_authorization_requests: false,
  require_signed_request_object: false,
  dpop_bound_access_tokens: false,
  fapi: false,
} satisfies Partial<WholeClient> & { grant_types: readonly string[] };

/** The fields that only applications have, by the names of the API, which are also the names of the columns. */
export interface ApplicationFields extends Readonly<Pick<WholeClient, Exclude<keyof typeof defaults, 'grant_types'>>> {
  /** Empty: all grants of an application. */
  readonly grant_types: readonly string[];
}

const applicationColumns = Object.keys(defaults) as (keyof ApplicationFields)[];

const isFlag = (name: keyof ApplicationFields): boolean => typeof defaults[name] === 'boolean';
const isJson = (name: keyof ApplicationFields): boolean => name === 'jwks' || Array.isArray(defaults[name]);

function toColumn(name: keyof ApplicationFields, value: unknown): unknown {
  if (isFlag(name)) return value ? 1 : 0;
  return isJson(name) && value !== null ? JSON.stringify(value) : value;
}

function fromColumn(name: keyof ApplicationFields, value: unknown): unknown {
  if (isFlag(name)) return value === 1;
  return isJson(name) && value !== null ? JSON.parse(value as string) : value;
}

const eachField = (value: (name: keyof ApplicationFields) => unknown) =>
  Object.fromEntries(applicationColumns.map((name) => [name, value(name)])) as Record<keyof ApplicationFields, unknown>;

/** Converts fields to columns. Omitted fields get their defaults. */
const toColumns = (fields: Partial<ApplicationFields>): Partial<ClientRow> =>
  eachField((name) => toColumn(name, fields[name] ?? defaults[name])) as Partial<ClientRow>;

export const fromColumns = (row: Partial<ClientRow>) =>
  eachField((name) => fromColumn(name, row[name])) as ApplicationFields;

/** All fields of an application. Omitted fields get their defaults. */
export const withDefaults = (values: { readonly [K in keyof ApplicationFields]?: ApplicationFields[K] | null }) =>
  eachField((name) => values[name] ?? defaults[name]) as ApplicationFields;

/** An application as it describes itself. */
export interface Application extends ApplicationFields {
  readonly name: string;
  readonly scopes: readonly string[];
}

/** Replaces the metadata of an application. Its secret and `trusted` do not change. */
export function updateApplication(tx: Tx, id: string, application: Application, now: number) {
  const { public: _public, trusted: _trusted, ...columns } = toColumns(application);
  return tx
    .updateTable('clients')
    .set({
      name: application.name,
      scopes: JSON.stringify(application.scopes),
      ...columns,
      updated_at: now,
      version: sql`version + 1`,
    })
    .where('id', '=', id)
    .where('type', '=', 'application')
    .returningAll()
    .executeTakeFirst();
}

/** Removes the address for back-channel logout and returns it. Undefined if there is none. */
export async function clearBackchannelLogoutUri(tx: Tx, id: string, now: number) {
  const before = await tx
    .selectFrom('clients')
    .select(['user_id', 'name', 'backchannel_logout_uri as uri'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!before?.uri) return undefined;
  await tx
    .updateTable('clients')
    .set({ backchannel_logout_uri: null, updated_at: now, version: sql`version + 1` })
    .where('id', '=', id)
    .execute();
  return { ...before, uri: before.uri };
}

/** Removes the public keys of a client, so that it cannot authenticate by them. */
export async function removeKeys(tx: Tx, id: string, now: number): Promise<void> {
  await lockForRevocation(tx, [id]);
  await tx
    .updateTable('clients')
    .set({ jwks: null, jwks_uri: null, updated_at: now, version: sql`version + 1` })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('jwks', 'is not', null), eb('jwks_uri', 'is not', null)]))
    .execute();
}

/** Whether a client still has the public keys by which it authenticated. They do not change until the transaction ends. */
export async function lockKeys(tx: Tx, { id, jwks, jwks_uri }: StoredClient): Promise<boolean> {
  const query = tx.selectFrom('clients').select(['jwks', 'jwks_uri']).where('id', '=', id);
  const row = await (isPostgres(tx) ? query.where(sharedLock(sql.ref('id'))).forShare() : query).executeTakeFirst();
  if (!row) return false;
  return row.jwks_uri === jwks_uri && isDeepStrictEqual(fromColumn('jwks', row.jwks), jwks);
}

export type ClientType = ClientRow['type'];

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

/** Finds a client. By default, a client whose owner is disabled is not found. */
export async function findClient(
  db: Db | Tx,
  id: string,
  { ofDisabledOwners = false } = {},
): Promise<StoredClient | undefined> {
  const rows = await db
    .selectFrom('clients')
    .leftJoin('client_secrets', 'client_secrets.client_id', 'clients.id')
    .leftJoin('users', 'users.id', 'clients.user_id')
    .select(['clients.id', 'clients.type', 'clients.name', 'clients.user_id', 'clients.scopes', 'clients.realm'])
    .select('clients.registration')
    .select(applicationColumns.map((column) => `clients.${column}` as const))
    .select(['client_secrets.id as secret_id', 'secret_hash', 'key_id', 'expires_at'])
    .where('clients.id', '=', id)
    .$if(!ofDisabledOwners, (query) =>
      query.where((eb) => eb.or([eb('users.disabled', 'is', null), eb('users.disabled', '=', 0)])),
    )
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
