import { hash } from 'node:crypto';
import {
  type Profile,
  type ProfileField,
  profileFields,
  readLocale,
  readProfileField,
} from '../../../../src/identity/accounts/user-fields.ts';
import { isKnownHash } from '../../../../src/identity/passwords/imported-hashes.ts';
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

/** A user of the old service, converted to the fields of this service. */
export interface UserRecord {
  readonly oldId: string;
  readonly deleted: boolean;
  readonly profile: Profile;
  /** Null if there is no hash of a known format. */
  readonly passwordHash: string | null;
  readonly emailConfirmed: boolean;
  /** Undefined if roles could not be read. Then users keep their roles. */
  readonly roles: readonly string[] | undefined;
  /** Undefined: the user has not chosen a language. */
  readonly locale: string | undefined | null;
  /** A `--disable-where` matches. */
  readonly disabled: boolean;
  /** Still encrypted by Fortify. */
  readonly twoFactor: { readonly sealed: string; readonly confirmed: boolean } | null;
  readonly createdAt: number | null;
  /** The fields whose values could not be read. */
  readonly unreadable: readonly (ProfileField | 'password' | 'locale')[];
  readonly fingerprint: string;
}

interface ReadUserOptions {
  readonly clock: WallClock;
  readonly roles: readonly string[] | undefined;
  readonly disabled: boolean;
  /** From `--map`: the target field of each column. */
  readonly fields: ReadonlyMap<string, string>;
}

export function readUser(source: SourceRow<'id'>, { clock, roles, disabled, fields }: ReadUserOptions): UserRecord {
  const row = renamed(source, fields);
  const unreadable: (ProfileField | 'password' | 'locale')[] = [];
  const profile: Profile = { email: null, username: null, phone: null, name: null };
  for (const field of profileFields) {
    const read = readProfileField(field, fieldOf(row, field));
    if (read.error) unreadable.push(field);
    else profile[field] = read.value;
  }
  const hashed = row.password?.trim() ?? '';
  const isKnown = hashed !== '' && isKnownHash(hashed);
  if (hashed !== '' && !isKnown) unreadable.push('password');
  // Read only if --map names a column for it.
  const language = readLocale(row.locale?.replaceAll('_', '-') || undefined);
  if (language.error) unreadable.push('locale');
  const record = {
    oldId: source.id,
    deleted: isDeleted(source, fields),
    profile,
    passwordHash: isKnown ? hashed : null,
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

/** The row with its columns renamed to their target fields. */
function renamed(row: SourceRow, fields: ReadonlyMap<string, string>): SourceRow {
  const renamedColumns = [...fields].filter(([column, field]) => row[column] !== undefined && !field.includes('.'));
  return renamedColumns.length === 0
    ? row
    : { ...row, ...Object.fromEntries(renamedColumns.map(([column, field]) => [field, row[column] ?? null])) };
}

const print = (value: unknown): string => hash('sha256', JSON.stringify(value), 'base64url').slice(0, 22);

/** Marks a user with an open decision. The next pass checks the user again. */
const open = '!';

/** Marks a user whom a `--disable-where` disabled. */
const locked = '.locked';

/** Marks a user whose row says that the user was deleted. */
const deletedMark = 'deleted';

/** The fingerprint of a user whose row no longer exists. */
export const goneFingerprint = 'gone';

export const wasDeleted = (fingerprint: string): boolean =>
  fingerprint === goneFingerprint || fingerprint.split('.')[2] === deletedMark;

export const wasLocked = (fingerprint: string | undefined): boolean => fingerprint?.endsWith(locked) ?? false;

/** The fingerprint to store. If roles could not be read, the old fingerprint of the roles is kept. */
export function fingerprintToStore(
  { fingerprint, disabled, deleted }: UserRecord,
  before: string | undefined,
  isSettled: boolean,
): string {
  const [recordPrint = '', roles = ''] = fingerprint.split('.');
  const storedRoles = roles === '' ? (before?.split('.')[1] ?? '') : roles;
  return `${isSettled ? '' : open}${recordPrint}.${storedRoles}${deleted ? `.${deletedMark}` : ''}${disabled ? locked : ''}`;
}

/** Whether the user is unchanged since the previous pass, and whether a decision is open. */
export function compareFingerprints(record: UserRecord, before: string): 'changed' | 'open' | 'same' {
  const isOpen = before.startsWith(open);
  const storedFingerprint = isOpen ? before.slice(open.length) : before;
  if (fingerprintToStore(record, storedFingerprint, true) !== storedFingerprint) return 'changed';
  return isOpen ? 'open' : 'same';
}

/** How the roles of a user count, by the fingerprint of the user's previous pass. */
export function compareRoles(roles: readonly string[], before: string | undefined): 'taken' | 'unchanged' | 'updated' {
  const stored = before?.split('.')[1];
  if (!stored || stored === print([])) return 'taken';
  return stored === print([...roles].sort()) ? 'unchanged' : 'updated';
}

function twoFactorOf(row: SourceRow): UserRecord['twoFactor'] {
  const sealed = row.two_factor_secret?.trim() ?? '';
  if (sealed === '') return null;
  // Older versions of Fortify have no confirmation.
  const confirmedAt = row.two_factor_confirmed_at;
  return { sealed, confirmed: confirmedAt === undefined || (confirmedAt !== null && confirmedAt !== '') };
}

/** An invalid date (0000-00-00) counts as not set. */
export function isDeleted(row: SourceRow, fields: ReadonlyMap<string, string>): boolean {
  const { deleted_at } = renamed(row, fields);
  return deleted_at !== null && deleted_at !== undefined && deleted_at !== '' && !deleted_at.startsWith('0000-');
}

function fieldOf(row: SourceRow, field: ProfileField): string | null | undefined {
  if (field === 'phone') return row.phone ?? row.phone_number;
  if (field !== 'name') return row[field];
  return row.name ?? ([row.first_name, row.last_name].filter(Boolean).join(' ') || null);
}

/** The hash, or a hash that no password matches and that takes as long to check. */
export const passwordHashOf = ({ passwordHash }: UserRecord): string => passwordHash ?? unusablePassword();

/** A user without an identifier keeps the session, and gets a username by which an administrator can find the user. */
export const generatedUsername = (source: string, oldId: string): string =>
  `${source}-${oldId}`
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .replace(/^[^a-z]/, 'u')
    .slice(0, 32);
