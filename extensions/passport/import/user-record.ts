import { hash } from 'node:crypto';
import {
  type Profile,
  type ProfileField,
  profileFields,
  readProfileField,
} from '../../../src/identity/accounts/user-fields.ts';
import { unusablePassword } from '../../../src/identity/passwords/passwords.ts';
import { isKnownHash } from '../../../src/identity/passwords/stored-hash.ts';
import type { SourceRow } from '../source/source.ts';
import type { WallClock } from '../source/wall-clock.ts';
import { isTrue } from './pass.ts';

export const userColumns = [
  'email',
  'username',
  'phone',
  'phone_number',
  'name',
  'first_name',
  'last_name',
  'password',
  'email_verified_at',
  'confirmed',
  'deleted_at',
  'created_at',
];

/** A user of the old service in the words of this one. */
export interface UserRecord {
  readonly oldId: string;
  readonly deleted: boolean;
  readonly profile: Profile;
  /** Null where there is none that could be checked. */
  readonly passwordHash: string | null;
  readonly emailConfirmed: boolean;
  readonly roles: readonly string[];
  readonly createdAt: number | null;
  /** What could not be read, by field. */
  readonly unreadable: readonly (ProfileField | 'password')[];
  readonly fingerprint: string;
}

export function readUser(row: SourceRow, clock: WallClock, roles: readonly string[]): UserRecord {
  const unreadable: (ProfileField | 'password')[] = [];
  const profile: Profile = { email: null, username: null, phone: null, name: null };
  for (const field of profileFields) {
    const read = readProfileField(field, fieldOf(row, field));
    if (read.error) unreadable.push(field);
    else profile[field] = read.value;
  }
  const hashed = row.password?.trim() ?? '';
  const known = hashed !== '' && isKnownHash(hashed);
  if (hashed !== '' && !known) unreadable.push('password');
  const record = {
    oldId: row.id as string,
    deleted: isDeleted(row),
    profile,
    passwordHash: known ? hashed : null,
    emailConfirmed: profile.email !== null && (clock.read(row.email_verified_at) !== null || isTrue(row.confirmed)),
    roles: [...roles].sort(),
    createdAt: clock.read(row.created_at),
    unreadable,
  };
  return { ...record, fingerprint: hash('sha256', JSON.stringify(record), 'base64url').slice(0, 22) };
}

/** A date that is none (0000-00-00) was never set. */
const isDeleted = ({ deleted_at }: SourceRow): boolean =>
  deleted_at !== null && deleted_at !== undefined && deleted_at !== '' && !deleted_at.startsWith('0000-');

function fieldOf(row: SourceRow, field: ProfileField): string | null | undefined {
  if (field === 'phone') return row.phone ?? row.phone_number;
  if (field !== 'name') return row[field];
  return row.name ?? ([row.first_name, row.last_name].filter(Boolean).join(' ') || null);
}

/** A hash that no password matches, and that takes as long to check as any other. */
export const passwordHashOf = ({ passwordHash }: UserRecord): string => passwordHash ?? unusablePassword();

/** Who has nothing to be known by keeps the session, and gets a name that an administrator can find. */
export const generatedUsername = (source: string, oldId: string): string =>
  `${source}-${oldId}`
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .replace(/^[^a-z]/, 'u')
    .slice(0, 32);
