import { type Selectable, sql } from 'kysely';
import type { Tx } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';
import type { WholeRow } from '../../resources/declaration/fields/row-types.ts';
import type { clientFields } from './client-fields.ts';

type ClientRow = Selectable<Tables['clients']>;

export type IdTokenAlgorithm = NonNullable<ClientRow['id_token_signed_response_alg']>;
export type ClientAuthMethod = NonNullable<ClientRow['token_endpoint_auth_method']>;

/** The fields of a client that are not only for applications. */
type CommonField =
  | 'client_id'
  | 'type'
  | 'name'
  | 'scopes'
  | 'registration'
  | 'realm'
  | 'user_id'
  | 'created_at'
  | 'updated_at';

/** The fields that only applications have, by the names of the API, which are also the names of the columns. */
export interface ApplicationFields extends Readonly<Omit<WholeRow<typeof clientFields>, CommonField | 'id'>> {
  /** Empty: all grants of an application. */
  readonly grant_types: readonly string[];
}

/** The values of omitted fields. Clients that are not applications have these values. */
const defaults: ApplicationFields = {
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
};

export const applicationColumns = Object.keys(defaults) as (keyof ApplicationFields)[];

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
  Object.fromEntries(applicationColumns.map((name) => [name, value(name)]));

/** Converts fields to columns. Omitted fields get their defaults. */
export const toColumns = (fields: Partial<ApplicationFields>): Partial<ClientRow> =>
  eachField((name) => toColumn(name, fields[name] ?? defaults[name]));

export const fromColumns = (row: Partial<ClientRow>) =>
  eachField((name) => fromColumn(name, row[name])) as unknown as ApplicationFields;

/** All fields of an application. Omitted fields get their defaults. */
export const withDefaults = (values: { readonly [K in keyof ApplicationFields]?: ApplicationFields[K] | null }) =>
  eachField((name) => values[name] ?? defaults[name]) as unknown as ApplicationFields;

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
