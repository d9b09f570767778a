import { hash } from 'node:crypto';
import {
  type Profile,
  type ProfileField,
  profileFields,
  readLocale,
  readProfileField,
} from '../../../../src/identity/accounts/user-fields.ts';
import { isKnownHash } from '../../../../src/identity/passwords/foreign-hashes.ts';
import { unusablePassword } from '../../../../src/identity/passwords/passwords.ts';
import type { SourceRow } from '../../source/source.ts';
import type { WallClock } from '../../source/wall-clock.ts';
import { isTrue } from '../pass.ts';

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
  'two_factor_secret',
  'two_factor_confirmed_at',
];

/** A user of the old service in the words of this one. */
export interface UserRecord {
  readonly oldId: string;
  readonly deleted: boolean;
  readonly profile: Profile;
  /** Null where there is none that could be checked. */
  readonly passwordHash: string | null;
  readonly emailConfirmed: boolean;
  /** Undefined where roles could not be read: then everybody keeps theirs. */
  readonly roles: readonly string[] | undefined;
  /** Undefined: the user has chosen none. */
  readonly locale: string | undefined | null;
  /** By a `--disable-where`. */
  readonly disabled: boolean;
  /** As Fortify sealed it. */
  readonly twoFactor: { readonly sealed: string; readonly confirmed: boolean } | null;
  readonly createdAt: number | null;
  /** The values that could not be read, by field. */
  readonly unreadable: readonly (ProfileField | 'password' | 'locale')[];
  readonly fingerprint: string;
}

interface Circumstances {
  readonly clock: WallClock;
  readonly roles: readonly string[] | undefined;
  readonly disabled: boolean;
  /** By `--map`: the field that a column becomes. */
  readonly fields: ReadonlyMap<string, string>;
}

export function readUser(source: SourceRow, { clock, roles, disabled, fields }: Circumstances): UserRecord {
  const row = renamed(source, fields);
  const unreadable: (ProfileField | 'password' | 'locale')[] = [];
  const profile: Profile = { email: null, username: null, phone: null, name: null };
  for (const field of profileFields) {
    const read = readProfileField(field, fieldOf(row, field));
    if (read.error) unreadable.push(field);
    else profile[field] = read.value;
  }
  const hashed = row.password?.trim() ?? '';
  const known = hashed !== '' && isKnownHash(hashed);
  if (hashed !== '' && !known) unreadable.push('password');
  // Read only where --map names a column for it.
  const language = readLocale(row.locale?.replaceAll('_', '-') || undefined);
  if (language.error) unreadable.push('locale');
  const record = {
    oldId: row.id as string,
    deleted: isDeleted(row),
    profile,
    passwordHash: known ? hashed : null,
    emailConfirmed: profile.email !== null && (clock.read(row.email_verified_at) !== null || isTrue(row.confirmed)),
    disabled,
    locale: language.error ? undefined : language.value,
    twoFactor: twoFactorOf(row),
    createdAt: clock.read(row.created_at),
    unreadable,
  };
  const sorted = roles && [...roles].sort();
  return { ...record, roles: sorted, fingerprint: `${print(record)}.${sorted ? print(sorted) : ''}` };
}

/** The row with its columns under the names of the fields of users that they become. */
function renamed(row: SourceRow, fields: ReadonlyMap<string, string>): SourceRow {
  const own = [...fields].filter(([column, field]) => row[column] !== undefined && !field.includes('.'));
  return own.length === 0
    ? row
    : { ...row, ...Object.fromEntries(own.map(([column, field]) => [field, row[column] ?? null])) };
}

const print = (value: unknown): string => hash('sha256', JSON.stringify(value), 'base64url').slice(0, 22);

/** Marks a user on whom a decision is open: the next pass looks at the user again. */
const open = '!';

/** Marks a user whom a `--disable-where` locked. */
const locked = '.locked';

export const wasLocked = (fingerprint: string | undefined): boolean => fingerprint?.endsWith(locked) ?? false;

/** The fingerprint to keep of a user. Where roles could not be read, that of the roles stays. */
export function fingerprintToKeep(
  { fingerprint, disabled }: UserRecord,
  before: string | undefined,
  isSettled: boolean,
): string {
  const [own = '', roles = ''] = fingerprint.split('.');
  const kept = roles === '' ? (before?.split('.')[1] ?? '') : roles;
  return `${isSettled ? '' : open}${own}.${kept}${disabled ? locked : ''}`;
}

/** Whether the user is there as the pass before found it, and whether a decision on it is open since then. */
export function compareFingerprints(record: UserRecord, before: string): 'changed' | 'open' | 'same' {
  const isOpen = before.startsWith(open);
  const known = isOpen ? before.slice(open.length) : before;
  if (fingerprintToKeep(record, known, true) !== known) return 'changed';
  return isOpen ? 'open' : 'same';
}

function twoFactorOf(row: SourceRow): UserRecord['twoFactor'] {
  const sealed = row.two_factor_secret?.trim() ?? '';
  if (sealed === '') return null;
  // Older versions of Fortify know no confirmation.
  const confirmedAt = row.two_factor_confirmed_at;
  return { sealed, confirmed: confirmedAt === undefined || (confirmedAt !== null && confirmedAt !== '') };
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

/** A user without an identifier keeps the session, and gets a username that an administrator can find. */
export const generatedUsername = (source: string, oldId: string): string =>
  `${source}-${oldId}`
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .replace(/^[^a-z]/, 'u')
    .slice(0, 32);
