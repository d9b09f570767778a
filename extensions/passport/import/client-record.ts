import { hash } from 'node:crypto';
import { isKnownHash } from '../../../src/identity/passwords/imported-hashes.ts';
import type { SourceRow } from '../source/source.ts';
import type { WallClock } from '../source/wall-clock.ts';
import { isTrue } from './pass.ts';

export const clientColumns = [
  'user_id',
  'owner_type',
  'owner_id',
  'name',
  'secret',
  'provider',
  'redirect',
  'redirect_uris',
  'personal_access_client',
  'password_client',
  'grant_types',
  'scopes',
  'revoked',
  'created_at',
];

/** A client of the old service, of any Passport version. */
export interface ClientRecord {
  readonly id: string;
  readonly name: string;
  /** application: users sign in on a page of the service, or with a device. */
  readonly type: 'password' | 'personal' | 'application';
  /** Its tokens are the personal access tokens of users. */
  readonly issuesPersonalTokens: boolean;
  readonly hasRedirects: boolean;
  /** It may also use client_credentials. */
  readonly actsForItself: boolean;
  /** The grants of its row. Undefined before Passport 13: then other columns define them. */
  readonly grants: readonly string[] | undefined;
  /** Its row limits the scopes that it may request. */
  readonly isLimited: boolean;
  /** Unchanged from the row. */
  readonly redirectUris: readonly string[];
  readonly provider: string;
  readonly owner: { readonly id: string; readonly model: string | null } | null;
  readonly secret: { readonly form: 'plain' | 'hashed'; readonly value: string } | 'none' | 'unknown';
  readonly revoked: boolean;
  readonly createdAt: number | null;
  readonly fingerprint: string;
  readonly secretFingerprint: string;
}

export function readClient(row: SourceRow<'id'>, clock: WallClock): ClientRecord {
  const grants = listIn(row.grant_types);
  // An upgraded schema keeps the old columns, and Passport 13 falls back to them.
  const may = (grant: string, column: string) => (grants ? grants.includes(grant) : isTrue(row[column]));
  const issuesPersonalTokens = may('personal_access', 'personal_access_client');
  const owner = row.owner_id ?? row.user_id;
  const signsIn = signsPeopleIn(row, grants) && !issuesPersonalTokens;
  const type: ClientRecord['type'] = may('password', 'password_client')
    ? 'password'
    : signsIn
      ? 'application'
      : 'personal';
  const record = {
    id: row.id,
    name: row.name ?? '',
    type,
    issuesPersonalTokens,
    hasRedirects: signsIn,
    // Before Passport 13, every client with a secret could use client_credentials.
    actsForItself: secretIn(row.secret) !== 'none' && (grants?.includes('client_credentials') ?? true),
    grants,
    isLimited: listIn(row.scopes) !== undefined,
    provider: row.provider ?? '',
    owner: owner ? { id: owner, model: row.owner_type ?? null } : null,
    secret: secretIn(row.secret),
    // Null counts as revoked: Passport 13 would not find the client.
    revoked: row.revoked === undefined ? false : row.revoked === null || isTrue(row.revoked),
    createdAt: clock.read(row.created_at),
  };
  const redirectUris = signsIn ? redirectUrisOf(row) : [];
  // The fingerprint of other clients excludes the redirect URIs, as in earlier versions. Otherwise a second pass would find them
  // changed.
  const compared = type === 'application' ? { ...record, redirectUris } : record;
  return { ...record, redirectUris, fingerprint: print(compared), secretFingerprint: print(record.secret) };
}

const print = (value: unknown): string => hash('sha256', JSON.stringify(value), 'base64url').slice(0, 22);

function secretIn(secret: string | null | undefined): ClientRecord['secret'] {
  if (secret === null || secret === undefined || secret === '') return 'none';
  if (isKnownHash(secret)) return { form: 'hashed', value: secret };
  return secret.startsWith('$') ? 'unknown' : { form: 'plain', value: secret };
}

const signInGrants = ['authorization_code', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code'];

function signsPeopleIn(row: SourceRow, grants: readonly string[] | undefined): boolean {
  if (grants) return grants.some((grant) => signInGrants.includes(grant));
  return !isTrue(row.password_client) && redirectUrisOf(row).length > 0;
}

const redirectUrisOf = (row: SourceRow): string[] =>
  (listIn(row.redirect_uris) ?? (row.redirect ?? '').split(',')).map((uri) => uri.trim()).filter((uri) => uri !== '');

/** A list in a JSON text. Undefined if it is not a list. */
export function listIn(text: string | null | undefined): string[] | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.filter((item) => typeof item === 'string');
    // A JSON column that was encoded twice.
    return typeof value === 'string' ? listIn(value) : undefined;
  } catch {
    return undefined;
  }
}
