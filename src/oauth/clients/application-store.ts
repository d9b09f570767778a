import { type Selectable, sql } from 'kysely';
import type { Tx } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';

type ClientRow = Selectable<Tables['clients']>;

export type IdTokenAlgorithm = NonNullable<ClientRow['id_token_signed_response_alg']>;
export type ClientAuthMethod = NonNullable<ClientRow['token_endpoint_auth_method']>;

/** The fields that only applications have. Other clients leave them empty. */
export interface ApplicationFields {
  /** A public client has no secret. */
  readonly public: boolean;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly homepageUri: string | null;
  readonly logoUri: string | null;
  readonly tosUri: string | null;
  readonly policyUri: string | null;
  readonly backchannelLogoutUri: string | null;
  /** Users are not asked for consent. */
  readonly trusted: boolean;
  /** Requires PKCE even if the client has a secret. */
  readonly requirePkce: boolean;
  /** Null: RS256. */
  readonly idTokenSignedResponseAlg: IdTokenAlgorithm | null;
  /** Whether ID tokens hold the claims of the granted scopes. */
  readonly idTokenClaims: boolean;
  /** Empty: all grants of an application. */
  readonly grantTypes: readonly string[];
  /** Null: the secret, by Basic or by parameters. */
  readonly tokenEndpointAuthMethod: ClientAuthMethod | null;
  /** Seconds. */
  readonly defaultMaxAge: number | null;
  /** RFC 7517. */
  readonly jwks: unknown;
  readonly jwksUri: string | null;
  /** RFC 9126 6. */
  readonly requirePushedAuthorizationRequests: boolean;
  /** RFC 9101 10.5. */
  readonly requireSignedRequestObject: boolean;
  /** RFC 9449 5.2. */
  readonly dpopBoundAccessTokens: boolean;
  /** Enforces all requirements of FAPI 2.0. */
  readonly fapi: boolean;
}

type Kind = 'flag' | 'list' | 'plain' | 'json';

/** Each field with its column and its kind. A column has the name that the API uses. */
const columns: readonly (readonly [keyof ApplicationFields, keyof ClientRow, Kind])[] = [
  ['public', 'public', 'flag'],
  ['trusted', 'trusted', 'flag'],
  ['redirectUris', 'redirect_uris', 'list'],
  ['postLogoutRedirectUris', 'post_logout_redirect_uris', 'list'],
  ['homepageUri', 'homepage_uri', 'plain'],
  ['logoUri', 'logo_uri', 'plain'],
  ['tosUri', 'tos_uri', 'plain'],
  ['policyUri', 'policy_uri', 'plain'],
  ['backchannelLogoutUri', 'backchannel_logout_uri', 'plain'],
  ['requirePkce', 'require_pkce', 'flag'],
  ['idTokenSignedResponseAlg', 'id_token_signed_response_alg', 'plain'],
  ['idTokenClaims', 'id_token_claims', 'flag'],
  ['grantTypes', 'grant_types', 'list'],
  ['tokenEndpointAuthMethod', 'token_endpoint_auth_method', 'plain'],
  ['defaultMaxAge', 'default_max_age', 'plain'],
  ['jwks', 'jwks', 'json'],
  ['jwksUri', 'jwks_uri', 'plain'],
  ['requirePushedAuthorizationRequests', 'require_pushed_authorization_requests', 'flag'],
  ['requireSignedRequestObject', 'require_signed_request_object', 'flag'],
  ['dpopBoundAccessTokens', 'dpop_bound_access_tokens', 'flag'],
  ['fapi', 'fapi', 'flag'],
];

export const applicationColumns: readonly (keyof ClientRow)[] = columns.map(([, column]) => column);

const emptyOf = (name: string, kind: Kind): unknown =>
  kind === 'flag' ? name === 'idTokenClaims' : kind === 'list' ? [] : null;

function store(kind: Kind, value: unknown): unknown {
  if (kind === 'flag') return value ? 1 : 0;
  if (kind === 'plain' || value === null) return value;
  return JSON.stringify(value);
}

function read(kind: Kind, value: unknown): unknown {
  if (kind === 'flag') return value === 1;
  if (kind === 'plain' || value === null) return value;
  return JSON.parse(value as string);
}

/** Converts fields to columns. Omitted fields get their defaults. */
export const columnsOf = (fields: Partial<ApplicationFields>): Partial<ClientRow> =>
  Object.fromEntries(columns.map(([name, column, kind]) => [column, store(kind, fields[name] ?? emptyOf(name, kind))]));

const fieldsFrom = (value: (name: string, column: keyof ClientRow, kind: Kind) => unknown): ApplicationFields =>
  Object.fromEntries(
    columns.map(([name, column, kind]) => [name, value(name, column, kind)]),
  ) as unknown as ApplicationFields;

export const fieldsOfRow = (row: Partial<ClientRow>): ApplicationFields =>
  fieldsFrom((_name, column, kind) => read(kind, row[column]));

/** Reads values by their API names. */
export const fieldsOfInput = (values: Readonly<Record<string, unknown>>): ApplicationFields =>
  fieldsFrom((name, column, kind) => values[column] ?? emptyOf(name, kind));

/** Converts fields to their API names, for users and for the audit trail. */
export const describeFields = (fields: Partial<ApplicationFields>): Record<string, unknown> =>
  Object.fromEntries(columns.map(([name, column, kind]) => [column, fields[name] ?? emptyOf(name, kind)]));

interface Described extends Omit<ApplicationFields, 'public' | 'trusted'> {
  readonly name: string;
  readonly scopes: readonly string[];
}

/** Replaces the metadata of an application. Its secret and `trusted` do not change. */
export function updateApplication(tx: Tx, id: string, of: Described, now: number): Promise<ClientRow | undefined> {
  const { public: _public, trusted: _trusted, ...columns } = columnsOf(of);
  return tx
    .updateTable('clients')
    .set({
      name: of.name,
      scopes: JSON.stringify(of.scopes),
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
export async function clearLogoutAddress(
  tx: Tx,
  id: string,
  now: number,
): Promise<{ user_id: string | null; name: string; uri: string } | undefined> {
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
