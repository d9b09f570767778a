import type { Config } from '../../config/config.ts';
import { foldEmail, normaliseEmail } from '../../platform/email-address.ts';
import { type FieldError, unprocessable } from '../../platform/errors.ts';
import { toNfc } from '../../platform/normal-form.ts';
import { isCommonPassword } from '../passwords/common-passwords.ts';
import { isTooLong, maxPasswordBytes } from '../passwords/passwords.ts';
import { normalisePhone, normaliseUsername, usernameRule } from './identifiers.ts';

export const minPasswordLength = 8;
export const maxNameLength = 200;

export interface Profile {
  email: string | null;
  username: string | null;
  phone: string | null;
  name: string | null;
}
export type ProfileField = keyof Profile;

interface Rule {
  read(text: string): string | undefined;
  /** The end of the sentence "email must be …". */
  readonly mustBe: string;
}

const rules: Readonly<Record<ProfileField, Rule>> = {
  email: { read: normaliseEmail, mustBe: 'an email address such as ada@example.com' },
  username: { read: normaliseUsername, mustBe: usernameRule },
  phone: { read: normalisePhone, mustBe: 'a phone number with its country code, such as +1 213 373 4253' },
  name: { read: readName, mustBe: `at most ${maxNameLength} characters, none of them a control character` },
};

export const profileFields = Object.keys(rules) as ProfileField[];

function readName(text: string): string | undefined {
  const name = toNfc(text.trim());
  return name.length <= maxNameLength && name.isWellFormed() && !/\p{Cc}/u.test(name) ? name : undefined;
}

/** The stored form of a field, or its error. An omitted, null or (from forms) empty field means no value. */
export function readProfileField(field: ProfileField, value: unknown) {
  if (value === undefined || value === null) return { value: null };
  if (typeof value !== 'string') return { error: { field, code: 'type', message: `${field} must be text.` } };
  if (value.trim() === '') return { value: null };
  const read = rules[field].read(value);
  if (read !== undefined) return { value: read };
  return { error: { field, code: 'invalid', message: `${field} must be ${rules[field].mustBe}.` } };
}

/** The language that a user has chosen, as a BCP 47 tag. Any language is accepted, because it may be added later. */
export function readLocale(value: unknown): { value?: string | null; error?: undefined } | { error: FieldError } {
  if (value === undefined || value === null) return value === null ? { value } : {};
  try {
    const [tag] = typeof value === 'string' ? Intl.getCanonicalLocales(value) : [];
    if (tag !== undefined) return { value: tag };
  } catch {
    // Not a valid tag.
  }
  const message = 'locale must be a language tag (BCP 47), such as de or pt-BR.';
  return { error: { field: 'locale', code: 'invalid', message } };
}

type ProfileInput = Readonly<Partial<Record<ProfileField, unknown>>>;

/** The fields of a profile that the input contains, and their errors. */
export function readProfileFields(input: ProfileInput) {
  const profile: Partial<Profile> = {};
  const errors: FieldError[] = [];
  for (const field of profileFields) {
    if (!(field in input)) continue;
    const read = readProfileField(field, input[field]);
    if (read.error) errors.push(read.error);
    else profile[field] = read.value;
  }
  return { profile, errors };
}

/** All fields of a new user's profile, and their errors. */
export function readProfile(input: ProfileInput): { profile: Profile; errors: FieldError[] } {
  const { profile, errors } = readProfileFields(input);
  return { profile: { email: null, username: null, phone: null, name: null, ...profile }, errors };
}

/** The error of a user who could not log in. */
export function missingIdentifier({ loginAttributes }: Pick<Config, 'loginAttributes'>, profile: Partial<Profile>) {
  if (loginAttributes.some((attribute) => profile[attribute])) return undefined;
  const [field = 'email'] = loginAttributes;
  return { field, code: 'required', message: `${loginAttributes.join(' or ')} is required.` };
}

/** The error in a new password. Undefined if there is none. */
export async function checkNewPassword(
  password: unknown,
  { email, username }: Partial<Profile> = {},
  field = 'password',
): Promise<FieldError | undefined> {
  const fieldError = (code: string, message: string): FieldError => ({ field, code, message });
  if (password === undefined || password === null || password === '')
    return fieldError('required', `${field} is required.`);
  if (typeof password !== 'string' || !password.isWellFormed()) return fieldError('type', `${field} must be text.`);
  // Checked before any expensive check.
  if (isTooLong(password)) return fieldError('too_long', `${field} must have at most ${maxPasswordBytes} bytes.`);
  if ([...password.normalize('NFC')].length < minPasswordLength) {
    return fieldError('too_short', `${field} must have at least ${minPasswordLength} characters.`);
  }
  const folded = password.trim().normalize('NFC').toLowerCase();
  if (folded === foldEmail(email ?? '') || folded === username) {
    return fieldError('common', `${field} must not be an identifier of the user.`);
  }
  if (await isCommonPassword(password)) {
    return fieldError('common', `${field} is a common password. Choose another one.`);
  }
  return undefined;
}

export const unknownField = (field: string): FieldError => ({
  field,
  code: 'unknown',
  message: `${field} is not a field that can be sent here.`,
});

export const takenField = (field: string): FieldError => ({
  field,
  code: 'taken',
  message: `Another user has this ${field}.`,
});

type Body = Readonly<Record<string, unknown>>;

export function rejectUnknownFields(body: Body, ...allowed: readonly string[]): void {
  const unknown = Object.keys(body).filter((name) => !allowed.includes(name));
  if (unknown.length > 0) throw unprocessable(unknown.map(unknownField));
}

/** The only allowed field of a body. Other fields are rejected. */
export function readSingleField(body: Body, field: string): unknown {
  rejectUnknownFields(body, field);
  return body[field];
}

/** The stored form of `email`. Undefined only if `optional` and omitted. */
export function readEmailField(body: Body): string;
export function readEmailField(body: Body, options: { optional: boolean }): string | undefined;
export function readEmailField(body: Body, { optional = false } = {}): string | undefined {
  const read = readProfileField('email', readSingleField(body, 'email'));
  if (read.error) throw unprocessable([read.error]);
  if (read.value === null && !optional) {
    throw unprocessable([{ field: 'email', code: 'required', message: 'email is required.' }]);
  }
  return read.value ?? undefined;
}
