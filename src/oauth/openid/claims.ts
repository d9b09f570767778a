import { Type } from 'typebox';
import type { UserRow } from '../../identity/accounts/user-store.ts';
import { isObject } from '../../platform/is-object.ts';
import { tryParseJson } from '../../platform/json-text.ts';
import { everyScope } from '../clients/scopes/scopes.ts';
import { invalidRequest } from '../parameters.ts';
import type { RequestedClaims } from '../sessions/store/grant-details.ts';

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
const scopeOfClaim = (name: string): string | undefined => scopeByClaim.get(name);

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

const places = ['userinfo', 'id_token'] as const;

/** OpenID Connect Core 5.5. Unknown claims are ignored (5.5.1). A claim needs the scope that includes it. */
export function readClaims(text: string | undefined): RequestedClaims | undefined {
  if (text === undefined) return undefined;
  const requested = tryParseJson(text);
  if (!isObject(requested)) throw invalidRequest('claims must be a JSON object.');
  const namesIn = (place: (typeof places)[number]): string[] => {
    const members = requested[place] ?? {};
    if (!isObject(members)) throw invalidRequest(`claims: ${place} must be an object.`);
    // An ignored `sub` would accept any user.
    const { sub = null } = members;
    if (sub !== null && (!isObject(sub) || !Array.isArray(sub.values ?? []))) {
      throw invalidRequest(`claims: in ${place}, sub must be null or an object, and its values a list.`);
    }
    return Object.keys(members).filter((name) => scopeOfClaim(name) !== undefined);
  };
  const claims = { userinfo: namesIn('userinfo'), id_token: namesIn('id_token') };
  return claims.userinfo.length + claims.id_token.length > 0 ? claims : undefined;
}

/** The scopes that the user must allow for these claims. */
export const scopesOfClaims = (claims: RequestedClaims | undefined): readonly string[] =>
  claims ? [...new Set(places.flatMap((place) => claims[place].flatMap((name) => scopeOfClaim(name) ?? [])))] : [];

/** The claims whose scopes are allowed. Undefined if none is left. */
export function allowedClaims(claims: RequestedClaims | undefined, isAllowed: (scope: string) => boolean) {
  if (!claims) return undefined;
  const keep = (names: readonly string[]) => names.filter((name) => isAllowed(scopeOfClaim(name) ?? ''));
  const allowed = { userinfo: keep(claims.userinfo), id_token: keep(claims.id_token) };
  return allowed.userinfo.length + allowed.id_token.length > 0 ? allowed : undefined;
}
