import { type LocalizedText, message } from '../../../config/languages/message.ts';
import type { Caller } from '../../../platform/caller.ts';
import { OAuthError } from '../../../platform/errors.ts';

/** All rights of the subject, except `explicitScopes`. */
export const everyScope = '*';
/** Lets a client inspect and revoke tokens of other clients. `*` does not include it: the subject has no such right. */
export const introspectScope = 'tokens:introspect';
/** Lets a client exchange tokens of other clients that it received (RFC 8693). */
export const exchangeScope = 'tokens:exchange';
/** Scopes for clients only. Users cannot grant them. */
export const clientScopes: readonly string[] = [introspectScope, exchangeScope];

/** Lets an application act with the roles of the signed-in user. `*` does not include it. */
export const adminScope = 'admin';

/** OpenID Connect Core 5.4 and 11: scopes for claims about the user, and for a refresh token. */
export const openidScope = 'openid';
export const offlineAccessScope = 'offline_access';
export const identityScopes: readonly string[] = [
  openidScope,
  'profile',
  'email',
  'phone',
  'address',
  offlineAccessScope,
];

/** Scopes that `*` does not include. */
export const explicitScopes: readonly string[] = [...clientScopes, adminScope, ...identityScopes];

/** The known scopes: two for each resource, the scopes of the service, and the scopes of the operator. */
export class KnownScopes {
  readonly #texts = new Map<string, LocalizedText>();
  readonly #labels = new Map<string, string>();

  constructor() {
    for (const scope of [everyScope, ...explicitScopes]) this.add(scope);
  }

  /** `label`: the readable name of the resource's rows. The default is the resource name. */
  addResource(name: string, label = name.replaceAll('_', ' ')): void {
    this.#labels.set(name, label);
    for (const right of ['read', 'write']) {
      const scope = `${name}:${right}`;
      this.#texts.set(scope, message(`scope.${scope}`, {}, message(`scopes.of_resource.${right}`, { label })));
    }
  }

  /** Adds a scope of a custom endpoint or a setting. `text` replaces the description of a known scope. */
  add(scope: string, text?: string): void {
    if (text === undefined && this.#texts.has(scope)) return;
    this.#texts.set(scope, text ?? builtinOrName(scope));
  }

  has(scope: string): boolean {
    return this.#texts.has(scope);
  }

  labelOf(resource: string): string {
    const label = this.#labels.get(resource) ?? resource;
    return label.charAt(0).toUpperCase() + label.slice(1);
  }

  /** The meaning of a scope for the consent page, as the end of "It asks to …". */
  describe(scope: string): LocalizedText {
    return this.#texts.get(scope) ?? builtinOrName(scope);
  }

  list(): string[] {
    return [...this.#texts.keys()].sort();
  }
}

/** A scope without a description is shown by its name. */
const builtinOrName = (scope: string): LocalizedText =>
  message(`scope.${scope}`, {}, message('scopes.undescribed', { scope }));

/** Whether `allowed` includes `scope`. `openid` is always allowed. */
export const allowsScope = (allowed: readonly string[], scope: string): boolean =>
  scope === openidScope ||
  allowed.includes(scope) ||
  (!clientScopes.includes(scope) && scope !== adminScope && allowed.includes(everyScope));

/** A login that may only set up a second factor has no roles. An application has the user's roles only with the admin scope. */
export const effectiveRoles = (
  { application, scopes, setUpOnly }: Pick<Caller, 'application' | 'scopes' | 'setUpOnly'>,
  roles: readonly string[],
): readonly string[] => (setUpOnly || (application && !scopes.includes(adminScope)) ? [] : roles);

/** Whether a token with `tokenScopes` may use an object that has `scopes`. */
export const holdsScopes = (tokenScopes: readonly string[], scopes: readonly string[]): boolean =>
  tokenScopes.includes(everyScope) || scopes.every((scope) => tokenScopes.includes(scope));

/** The part of `scopes` that is still allowed. */
export function narrowScopes(scopes: readonly string[], allowed: readonly string[]): readonly string[] {
  if (allowed.includes(everyScope) || scopes.every((scope) => allowed.includes(scope))) return scopes;
  if (scopes.includes(everyScope))
    return allowed.filter((scope) => scopes.includes(scope) || !explicitScopes.includes(scope));
  return scopes.filter((scope) => allowsScope(allowed, scope));
}

/** RFC 6749 3.3: words separated by single spaces. Repeated words count once. */
export function parseScope(text: string): string[] {
  const scopes = [...new Set(text.split(' ').filter(Boolean))];
  if (scopes.some((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
    throw new OAuthError('invalid_scope', 'scope takes names separated by spaces.');
  }
  return scopes;
}

/** OpenID Connect Core 3.1.2.1: the requested scopes that exist and are allowed. */
export function filterScopes(knownScopes: KnownScopes, requested: readonly string[], allowed: readonly string[]) {
  return requested.filter((scope) => knownScopes.has(scope) && allowsScope(allowed, scope));
}

/** The granted scopes: all allowed scopes if `requested` is empty, and never more than the allowed scopes. */
export function grantScopes(knownScopes: KnownScopes, requested: string, allowed: readonly string[]) {
  const scopes = parseScope(requested);
  if (scopes.length === 0) return allowed;
  for (const scope of scopes) {
    if (!knownScopes.has(scope)) throw new OAuthError('invalid_scope', `There is no scope '${scope.slice(0, 80)}'.`);
    if (!allowsScope(allowed, scope)) {
      throw new OAuthError('invalid_scope', `The scope '${scope}' cannot be granted to this client.`);
    }
  }
  return scopes;
}
