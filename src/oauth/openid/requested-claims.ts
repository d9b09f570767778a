import { isObject } from '../../platform/is-object.ts';
import { tryParseJson } from '../../platform/json-text.ts';
import { invalidRequest } from '../parameters.ts';
import type { RequestedClaims } from '../sessions/store/grant-details.ts';
import { scopeOfClaim } from './claims.ts';

const places = ['userinfo', 'id_token'] as const;

/** OpenID Connect Core 5.5. Unknown claims are ignored (5.5.1). A claim needs the scope that includes it. */
export function readClaims(text: string | undefined): RequestedClaims | undefined {
  if (text === undefined) return undefined;
  const requested = tryParseJson(text);
  if (!isObject(requested)) throw invalidRequest('claims must be a JSON object.');
  const namesIn = (place: (typeof places)[number]): string[] => {
    const members = requested[place] ?? {};
    if (!isObject(members)) throw invalidRequest(`claims: ${place} must be an object.`);
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
