import { Type } from 'typebox';
import type { UserRow } from '../../identity/accounts/user-store.ts';
import { everyScope } from '../clients/scopes.ts';

/** OpenID Connect Core 5.1, as far as a user has it. */
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
  { description: 'What the scopes of the access token tell of its user' },
);
export type UserInfo = Type.Static<typeof UserInfo>;

/** OpenID Connect Core 5.4: what each scope tells. What a user does not have is left out. */
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
  // Nothing proves that a number is its user's.
  ['phone', ({ phone }) => (phone === null ? {} : { phone_number: phone, phone_number_verified: false })],
]);

/** What a holder of these scopes may know of a user. */
export function claimsOf(user: UserRow, scopes: readonly string[]): UserInfo {
  const claims: UserInfo = { sub: user.id };
  for (const [scope, read] of claimsByScope) {
    if (scopes.includes(scope) || scopes.includes(everyScope)) Object.assign(claims, read(user));
  }
  return claims;
}
