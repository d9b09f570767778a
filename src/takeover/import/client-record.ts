import { hash } from 'node:crypto';
import { isKnownHash } from '../../users/passwords/stored-hash.ts';
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
  'revoked',
  'created_at',
];

/** A client of the old service, whichever version wrote it. */
export interface ClientRecord {
  readonly id: string;
  readonly name: string;
  readonly type: 'password' | 'personal';
  /** Its tokens are the personal access tokens of users. */
  readonly issuesPersonalTokens: boolean;
  /** People sign in to it by a page of the service. */
  readonly hasRedirects: boolean;
  readonly provider: string;
  readonly owner: { readonly id: string; readonly model: string | null } | null;
  readonly secret: { readonly form: 'plain' | 'hashed'; readonly value: string } | 'none' | 'unknown';
  readonly revoked: boolean;
  readonly createdAt: number | null;
  readonly fingerprint: string;
}

export function readClient(row: SourceRow, clock: WallClock): ClientRecord {
  const grants = listIn(row.grant_types);
  // A schema that was upgraded keeps the old columns, and Passport 13 falls back to them.
  const may = (grant: string, column: string) => (grants ? grants.includes(grant) : isTrue(row[column]));
  const issuesPersonalTokens = may('personal_access', 'personal_access_client');
  const owner = row.owner_id ?? row.user_id;
  const record = {
    id: row.id as string,
    name: row.name ?? '',
    type: may('password', 'password_client') ? ('password' as const) : ('personal' as const),
    issuesPersonalTokens,
    hasRedirects: hasRedirects(row, grants) && !issuesPersonalTokens,
    provider: row.provider ?? '',
    owner: owner ? { id: owner, model: row.owner_type ?? null } : null,
    secret: secretIn(row.secret),
    // Null is not false: Passport 13 would not find it.
    revoked: row.revoked === undefined ? false : row.revoked === null || isTrue(row.revoked),
    createdAt: clock.read(row.created_at),
  };
  return { ...record, fingerprint: hash('sha256', JSON.stringify(record), 'base64url').slice(0, 22) };
}

function secretIn(secret: string | null | undefined): ClientRecord['secret'] {
  if (secret === null || secret === undefined || secret === '') return 'none';
  if (isKnownHash(secret)) return { form: 'hashed', value: secret };
  return secret.startsWith('$') ? 'unknown' : { form: 'plain', value: secret };
}

function hasRedirects(row: SourceRow, grants: readonly string[] | undefined): boolean {
  if (grants) return grants.includes('authorization_code') || grants.includes('implicit');
  if (isTrue(row.password_client)) return false;
  return (listIn(row.redirect_uris) ?? (row.redirect ?? '').split(',')).some((uri) => uri.trim() !== '');
}

/** JSON in a text. Undefined for what is no list. */
export function listIn(text: string | null | undefined): string[] | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.filter((item) => typeof item === 'string');
    // A JSON column that was written as text once more.
    return typeof value === 'string' ? listIn(value) : undefined;
  } catch {
    return undefined;
  }
}
