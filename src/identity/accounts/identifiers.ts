import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { LoginAttribute } from '../../config/config.ts';
import { foldEmail, normaliseEmail } from '../../platform/email-address.ts';
import { toNfc } from '../../platform/normal-form.ts';

/** An email contains `@`, a phone starts with `+`, a username with a letter. So a username cannot equal another user's email or phone. */
export interface Identifier {
  readonly attribute: LoginAttribute;
  readonly value: string;
}

export const usernameRule = '3 to 32 letters, digits, dots, dashes and underscores, starting with a letter';
const username = /^[a-z][a-z0-9._-]{2,31}$/;

/** Lowercase, so that two usernames never differ only by case. */
export function normaliseUsername(text: string): string | undefined {
  const folded = text.trim().toLowerCase();
  return username.test(folded) ? folded : undefined;
}

/** Loaded with the first number: the tables of all countries would slow down every start. */
let phoneNumbers: typeof import('libphonenumber-js/min') | undefined;
const loadPhoneNumbers = () => {
  phoneNumbers ??= createRequire(import.meta.url)('libphonenumber-js/min') as typeof import('libphonenumber-js/min');
  return phoneNumbers;
};

/** E.164. There is no default country, so a number must start with `+` and its country code. */
export function normalisePhone(text: string): string | undefined {
  // Without form encoding, a plus sign becomes a space. No number starts with a space.
  const trimmed = text.replace(/^ (?=\d)/, '+').trim();
  if (trimmed.length > 40 || !/^\+[\d\s()./-]+$/.test(trimmed)) return undefined;
  const number = loadPhoneNumbers().parsePhoneNumberFromString(trimmed);
  // Only the country code and the length are checked. The number ranges in use change too often.
  return number?.isPossible() ? number.number : undefined;
}

/** Longer than any identifier in any spelling. */
const maxLoginLength = 1024;

/** A text with `@` that is not an address matches no user. It is counted like an address. */
function readEmail(login: string): string | undefined {
  const text = login.trim();
  if (!text.includes('@')) return undefined;
  return normaliseEmail(text) ?? foldEmail(text.normalize('NFC')).normalize('NFC');
}

const readers = [
  ['email', readEmail],
  ['phone', normalisePhone],
  ['username', normaliseUsername],
] as const;

/** The enabled identifier that a login matches, in its stored form. */
export function readLogin(login: string, enabled: readonly LoginAttribute[]): Identifier | undefined {
  if (login.length > maxLoginLength) return undefined;
  for (const [attribute, read] of readers) {
    const value = enabled.includes(attribute) ? read(login) : undefined;
    if (value !== undefined) return { attribute, value };
  }
  return undefined;
}

/** Identifies a login without a user, without storing the typed text (which may be a password). */
export const fingerprintOfLogin = (login: string): string =>
  createHash('sha256').update(toNfc(login.trim()).toLowerCase()).digest('base64url');
