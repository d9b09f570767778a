import { normaliseEmail } from '../../platform/email-address.ts';
import { readProfileField } from '../accounts/user-fields.ts';
import type { Claims, ProviderDefinition } from './define-provider.ts';

/** The user who signed in at a provider, according to the provider. */
export interface Upstream {
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** In the form in which addresses are stored; null where there is none that could be. */
  readonly email: string | null;
  /** Whether the provider says that it is verified, and is trusted to say so. */
  readonly emailVerified: boolean;
  readonly name: string | null;
  /** Milliseconds; null where the provider does not say when the person authenticated there. */
  readonly authTime: number | null;
  /** How many factors the provider's `acr` stands for, by the declaration. */
  readonly factors: 1 | 2;
  /** The session at the provider, for its back-channel logout. */
  readonly sid: string | null;
  readonly claims: Claims;
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** A name that cannot be stored is left out: nobody's sign-in depends on it. */
function readName(name: unknown): string | null {
  const read = readProfileField('name', textOf(name));
  return read.error ? null : read.value;
}

/** OpenID Connect Core 2: a subject has at most 255 ASCII characters. The same holds for sessions here. */
export const isPrintable = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value);

/** Apple writes it as a text. */
const saysVerified = ({ email_verified }: Claims): boolean => email_verified === true || email_verified === 'true';

export function readUpstream(
  { name, email: trust = 'verified', emailVerified = saysVerified, acr = {} }: ProviderDefinition,
  issuer: string,
  claims: Claims,
): Upstream {
  const email = normaliseEmail(textOf(claims.email) ?? '') ?? null;
  const level = textOf(claims.acr);
  return {
    provider: name,
    issuer,
    subject: claims.sub as string,
    email,
    emailVerified: email !== null && trust === 'verified' && emailVerified(claims),
    name: readName(claims.name),
    // Whole seconds: the end of the second counts, so that it is not before what caused it.
    authTime: typeof claims.auth_time === 'number' ? claims.auth_time * 1000 + 999 : null,
    factors: level !== null && Object.hasOwn(acr, level) ? (acr[level] as 1 | 2) : 1,
    sid: isPrintable(claims.sid) ? claims.sid : null,
    claims,
  };
}
