import { type Config, roleNames } from '../../src/config/config.ts';
import { newUserRow } from '../../src/identity/accounts/user.ts';
import { readProfile } from '../../src/identity/accounts/user-fields.ts';
import { isKnownHash } from '../../src/identity/passwords/imported-hashes.ts';
import { isOneOf } from '../../src/platform/is-one-of.ts';
import { type ImportRecord, importColumns } from './read-import.ts';

/** Converts a record to a row, or returns all of its errors. */
export function readImportRecord(config: Config, { values, problem }: ImportRecord, now: number) {
  if (!values) return { reasons: [problem ?? 'unreadable'] };
  const reasons = Object.keys(values)
    .filter((name) => !isOneOf(importColumns, name))
    .map((name) => `${name} is not a field that can be imported`);
  const { profile, errors } = readProfile(values);
  reasons.push(...errors.map(({ message }) => message.replace(/\.$/, '')));
  if (reasons.length === 0 && profile.email === null && profile.username === null && profile.phone === null) {
    reasons.push('it has neither email nor username nor phone');
  }
  const { password_hash: hash } = values;
  const isHash = typeof hash === 'string' && isKnownHash(hash);
  if (!isHash)
    reasons.push('password_hash has an unknown format (known: bcrypt, argon2i, argon2id, scrypt, pbkdf2_sha256)');
  const roles = collect(reasons, () => readRoles(config, values.roles));
  const confirmed = collect(reasons, () => readFlag(values.email_confirmed));
  const createdAt = collect(reasons, () => readTime(values.created_at, now));
  if (reasons.length > 0) return { reasons };
  const user = newUserRow({ profile, passwordHash: hash as string, confirmed, roles, now });
  return { row: { ...user, created_at: createdAt as number } };
}

type Read<T> = { value: T } | { reason: string };

function collect<T>(reasons: string[], read: () => Read<T>): T | undefined {
  const result = read();
  if ('value' in result) return result.value;
  reasons.push(result.reason);
  return undefined;
}

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === '';

/** A list in JSON. In CSV: names separated by spaces, commas or semicolons. */
function readRoles(config: Config, value: unknown): Read<string[]> {
  const names: unknown =
    typeof value === 'string' ? value.split(/[\s,;]+/).filter(Boolean) : isBlank(value) ? [] : value;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
    return { reason: 'roles must be a list of names' };
  }
  const unknown = names.filter((name) => !roleNames(config).includes(name));
  return unknown.length === 0 ? { value: names } : { reason: `there is no role ${unknown.join(', ')} (setting ROLES)` };
}

const flags = new Map<unknown, boolean>([
  [true, true],
  [1, true],
  ['true', true],
  ['1', true],
  ['yes', true],
  ['t', true],
  [false, false],
  [0, false],
  ['false', false],
  ['0', false],
  ['no', false],
  ['f', false],
]);

function readFlag(value: unknown): Read<boolean> {
  if (isBlank(value)) return { value: false };
  const flag = flags.get(typeof value === 'string' ? value.toLowerCase() : value);
  return flag === undefined ? { reason: 'email_confirmed must be true or false' } : { value: flag };
}

function readTime(value: unknown, now: number): Read<number> {
  if (isBlank(value)) return { value: now };
  const isTime =
    typeof value === 'string' && /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(value);
  // A time without a zone is read as UTC: the result must not depend on the machine.
  const time = isTime ? Date.parse(/(Z|[+-]\d\d:?\d\d)$|^.{10}$/.test(value) ? value : `${value}Z`) : Number.NaN;
  return time >= 0 && time <= now
    ? { value: time }
    : { reason: 'created_at must be a past date such as 2020-05-17T08:30:00Z' };
}
