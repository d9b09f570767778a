import { readProfileField } from '../../../src/identity/accounts/user-fields.ts';
import { normaliseEmail } from '../../../src/platform/email-address.ts';
import type { Claims, ProviderDefinition } from '../declaration/define-provider.ts';

/** The user who signed in at a provider, according to the provider. */
export type Upstream = ReturnType<typeof readUpstream>;

const textOf = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null);

/** An invalid name is omitted. It does not prevent the sign-in. */
function readName(name: unknown): string | null {
  const read = readProfileField('name', textOf(name));
  return read.error ? null : read.value;
}

/** OpenID Connect Core 2: a subject has at most 255 ASCII characters. The same limit applies to sessions. */
export const isPrintable = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value);

/** Apple sends a text. */
const isEmailVerified = ({ email_verified }: Claims): boolean => email_verified === true || email_verified === 'true';

export function readUpstream(
  { name, email: trust = 'verified', emailVerified = isEmailVerified, acr = {} }: ProviderDefinition,
  issuer: string,
  claims: Claims & { readonly sub: string },
) {
  /** In the stored form of addresses. Null if missing or invalid. */
  const email = normaliseEmail(textOf(claims.email) ?? '') ?? null;
  const level = textOf(claims.acr);
  return {
    provider: name,
    issuer,
    subject: claims.sub,
    email,
    /** The provider says that the address is verified, and the declaration trusts it. */
    emailVerified: email !== null && trust === 'verified' && emailVerified(claims),
    name: readName(claims.name),
    // Null if the provider does not name the time. Rounded up to the end of the second, so that it is not before the event that caused it.
    authTime: typeof claims.auth_time === 'number' ? claims.auth_time * 1000 + 999 : null,
    /** The number of factors for the provider's `acr`, from the declaration. */
    factors: (level !== null && Object.hasOwn(acr, level) && acr[level]) || (1 as const),
    /** The session at the provider, for its back-channel logout. */
    sid: isPrintable(claims.sid) ? claims.sid : null,
    claims: claims as Claims,
  };
}
