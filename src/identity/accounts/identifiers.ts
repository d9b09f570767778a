import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { LoginAttribute } from '../../config/config.ts';
import { foldEmail, normaliseEmail } from '../../platform/email-address.ts';
import { toNfc } from '../../platform/normal-form.ts';

/** An email holds `@`, a phone starts with `+`, a username with a letter: nobody can take another's as a username. */
export interface Identifier {
  readonly attribute: LoginAttribute;
  readonly value: string;
}

export const usernameRule = '3 to 32 letters, digits, dots, dashes and underscores, starting with a letter';
const username = /^[a-z][a-z0-9._-]{2,31}$/;

/** Lowercase: two users never differ by case alone. */
export function normaliseUsername(text: string): string | undefined {
  const folded = text.trim().toLowerCase();
  return username.test(folded) ? folded : undefined;
}

/** Loaded with the first number: the tables of all countries would slow every start. */
let phoneNumbers: typeof import('libphonenumber-js/min') | undefined;
const loadPhoneNumbers = () => {
  phoneNumbers ??= createRequire(import.meta.url)('libphonenumber-js/min') as typeof import('libphonenumber-js/min');
  return phoneNumbers;
};

/** E.164. There is no home country here, so a number starts with `+` and its country code. */
export function normalisePhone(text: string): string | undefined {
  // A form that was not encoded turns the plus sign into a space: no number starts with one.
  const trimmed = text.replace(/^ (?=\d)/, '+').trim();
  if (trimmed.length > 40 || !/^\+[\d\s()./-]+$/.test(trimmed)) return undefined;
  const number = loadPhoneNumbers().parsePhoneNumberFromString(trimmed);
  // Its country and length must be right. Which ranges are in use changes too often to refuse people by it.
  return number?.isPossible() ? number.number : undefined;
}

/** Longer than any identifier, in any spelling. */
const longestLogin = 1024;

/** A text with `@` that is no address belongs to nobody, and is counted like one. */
const readEmail = (text: string): Identifier | undefined =>
  text.includes('@')
    ? { attribute: 'email', value: normaliseEmail(text) ?? foldEmail(text.normalize('NFC')).normalize('NFC') }
    : undefined;

const plainly =
  (attribute: LoginAttribute, normalise: (text: string) => string | undefined) =>
  (text: string): Identifier | undefined => {
    const value = normalise(text);
    return value === undefined ? undefined : { attribute, value };
  };

const forms: readonly [LoginAttribute, (text: string) => Identifier | undefined][] = [
  ['email', readEmail],
  ['phone', plainly('phone', normalisePhone)],
  ['username', plainly('username', normaliseUsername)],
];

/** Which enabled identifier a login is, in the form in which it is stored. */
export function readLogin(login: string, enabled: readonly LoginAttribute[]): Identifier | undefined {
  if (login.length > longestLogin) return undefined;
  for (const [attribute, read] of forms) {
    const identifier = enabled.includes(attribute) ? read(attribute === 'email' ? login.trim() : login) : undefined;
    if (identifier) return identifier;
  }
  return undefined;
}

/** Names a login that belongs to nobody, without keeping what somebody typed (at times a password). */
export const fingerprintOfLogin = (login: string): string =>
  createHash('sha256').update(toNfc(login.trim()).toLowerCase()).digest('base64url');
