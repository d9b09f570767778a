import { normaliseEmail } from '../../platform/email-address.ts';
import type { Claims, ProviderDefinition } from './define-provider.ts';

/** Who signed in at a provider, as the provider says. */
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

const longestName = 200;
const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

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
    name: textOf(claims.name)?.slice(0, longestName) ?? null,
    // Whole seconds: the end of the second counts, so that it is not before what caused it.
    authTime: typeof claims.auth_time === 'number' ? claims.auth_time * 1000 + 999 : null,
    factors: level !== null && Object.hasOwn(acr, level) ? (acr[level] as 1 | 2) : 1,
    sid: textOf(claims.sid)?.slice(0, 255) ?? null,
    claims,
  };
}
