import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { domainToASCII } from 'node:url';
import type { LoginAttribute } from '../config.ts';
import { toNfc } from '../normal-form.ts';

/**
 * Who a user is to the outside. The three forms never overlap: an email holds `@`, a phone starts with `+`, and a username
 * starts with a letter and holds neither. So nobody can take another user's email or phone as a username.
 */
export interface Identifier {
  readonly attribute: LoginAttribute;
  readonly value: string;
}

const longestEmail = 254;
const localPart = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const domainLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Lowercase and NFC, so that equal addresses are equal text; undefined when it is no address. */
export function normaliseEmail(text: string): string | undefined {
  if (text.length > longestEmail * 2) return undefined;
  const email = text.trim().normalize('NFC').toLowerCase().normalize('NFC');
  const at = email.lastIndexOf('@');
  const [local, domain] = [email.slice(0, at), email.slice(at + 1)];
  if (at < 1 || Buffer.byteLength(local) > 64 || Buffer.byteLength(email) > longestEmail) return undefined;
  if (!localPart.test(local)) return undefined;
  const labels = domainToASCII(domain).split('.');
  return labels.every((label) => domainLabel.test(label)) ? email : undefined;
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

const forms: readonly [LoginAttribute, (text: string) => string | undefined][] = [
  ['email', normaliseEmail],
  ['phone', normalisePhone],
  ['username', normaliseUsername],
];

/** Which enabled identifier a login is, in the form in which it is stored. */
export function readLogin(login: string, enabled: readonly LoginAttribute[]): Identifier | undefined {
  for (const [attribute, normalise] of forms) {
    if (!enabled.includes(attribute)) continue;
    const value = normalise(login);
    if (value !== undefined) return { attribute, value };
  }
  return undefined;
}

/** Names a login that belongs to nobody, without keeping what somebody typed (at times a password). */
export const fingerprintOfLogin = (login: string): string =>
  createHash('sha256').update(toNfc(login.trim()).toLowerCase()).digest('base64url');
