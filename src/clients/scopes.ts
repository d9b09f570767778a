import { OAuthError } from '../errors.ts';

/** All that the subject may do, except what must be named. */
export const everyScope = '*';
/** Lets a client ask about tokens of other clients. `*` does not hold it: it is about others, not about the subject. */
export const introspectScope = 'tokens:introspect';

/** OpenID Connect Core 5.4 and 11: what an application learns of whoever signs in, and a refresh token. */
export const openidScope = 'openid';
export const offlineAccessScope = 'offline_access';
export const identityScopes: readonly string[] = [openidScope, 'profile', 'email', 'phone', offlineAccessScope];

/** The scopes there are: two for each resource that is served, and those of the service itself. */
export class KnownScopes {
  readonly #scopes = new Set<string>([everyScope, introspectScope, ...identityScopes]);

  addResource(name: string): void {
    this.#scopes.add(`${name}:read`).add(`${name}:write`);
  }

  /** A scope of an endpoint of the operator's own. */
  add(scope: string): void {
    this.#scopes.add(scope);
  }

  has(scope: string): boolean {
    return this.#scopes.has(scope);
  }

  list(): string[] {
    return [...this.#scopes].sort();
  }
}

/** Whether a holder of `allowed` may have `scope`. Who signs in is no secret to whom they sign in to. */
export const allowsScope = (allowed: readonly string[], scope: string): boolean =>
  scope === openidScope || allowed.includes(scope) || (scope !== introspectScope && allowed.includes(everyScope));

/** Whether a token with `held` may get at something that has `scopes` already: what they are was allowed before. */
export const holdsScopes = (held: readonly string[], scopes: readonly string[]): boolean =>
  held.includes(everyScope) || scopes.every((scope) => held.includes(scope));

/** What remains of `scopes` for a holder who is allowed less today. */
export function narrowScopes(scopes: readonly string[], allowed: readonly string[]): readonly string[] {
  if (allowed.includes(everyScope) || scopes.every((scope) => allowed.includes(scope))) return scopes;
  if (scopes.includes(everyScope)) return allowed;
  return scopes.filter((scope) => allowsScope(allowed, scope));
}

/** RFC 6749 3.3: words with single spaces between; a repeated one counts once. */
export function parseScope(text: string): string[] {
  const words = [...new Set(text.split(' ').filter(Boolean))];
  if (words.some((word) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(word))) {
    throw new OAuthError('invalid_scope', 'scope takes words with spaces between them.');
  }
  return words;
}

/** What a request for `asked` gets: all that is allowed when it asks for nothing, and never more than that. */
export function grantScopes(known: KnownScopes, asked: string, allowed: readonly string[]): readonly string[] {
  const scopes = parseScope(asked);
  if (scopes.length === 0) return allowed;
  for (const scope of scopes) {
    if (!known.has(scope)) throw new OAuthError('invalid_scope', `There is no scope '${scope.slice(0, 80)}'.`);
    if (!allowsScope(allowed, scope)) {
      throw new OAuthError('invalid_scope', `The scope '${scope}' is more than may be granted here.`);
    }
  }
  return scopes;
}
