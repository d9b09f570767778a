import { Type } from 'typebox';
import type { UserRow } from '../../identity/accounts/user-store.ts';
import { everyScope } from '../clients/scopes/scopes.ts';

/** OpenID Connect Core 5.1: the claims that this service has. */
export const UserInfo = Type.Object(
  {
    sub: Type.String({ format: 'uuid', description: "the user's id" }),
    name: Type.Optional(Type.String({ description: 'profile' })),
    preferred_username: Type.Optional(Type.String({ description: 'profile' })),
    locale: Type.Optional(Type.String({ description: 'profile; BCP 47' })),
    updated_at: Type.Optional(Type.Integer({ description: 'profile; seconds since 1970' })),
    email: Type.Optional(Type.String({ description: 'email' })),
    email_verified: Type.Optional(Type.Boolean({ description: 'email' })),
    phone_number: Type.Optional(Type.String({ description: 'phone; E.164' })),
    phone_number_verified: Type.Optional(Type.Boolean({ description: 'phone' })),
  },
  { description: 'The claims that the scopes of the access token allow' },
);
export type UserInfo = Type.Static<typeof UserInfo>;

/** OpenID Connect Core 5.4: the claims of each scope. Missing values are omitted. Users have no postal address. */
const claimsByScope = new Map<string, (user: UserRow) => Partial<UserInfo>>([
  [
    'profile',
    ({ name, username, locale, updated_at }) => ({
      ...(name === null ? {} : { name }),
      ...(username === null ? {} : { preferred_username: username }),
      ...(locale === null ? {} : { locale }),
      updated_at: Math.floor(updated_at / 1000),
    }),
  ],
  ['email', ({ email, email_confirmed }) => (email === null ? {} : { email, email_verified: email_confirmed === 1 })],
  // Phone numbers are not verified.
  ['phone', ({ phone }) => (phone === null ? {} : { phone_number: phone, phone_number_verified: false })],
]);

const scopes: Readonly<Record<string, string>> = {
  ...{ name: 'profile', preferred_username: 'profile', locale: 'profile', updated_at: 'profile' },
  ...{ email: 'email', email_verified: 'email', phone_number: 'phone', phone_number_verified: 'phone' },
};
const scopeByClaim = new Map(Object.entries(scopes));

/** The scope that includes a claim. Undefined if this service does not have the claim. */
export const scopeOfClaim = (name: string): string | undefined => scopeByClaim.get(name);

/** The claims of a user that these scopes allow, and the claims that were requested by name. */
export function claimsOf(user: UserRow, granted: readonly string[], names: readonly string[] = []): UserInfo {
  const claims: UserInfo & Record<string, unknown> = { sub: user.id };
  for (const [scope, read] of claimsByScope) {
    const isGranted = granted.includes(scope) || granted.includes(everyScope);
    for (const [name, value] of Object.entries(read(user))) {
      if (isGranted || names.includes(name)) claims[name] = value;
    }
  }
  return claims;
}
