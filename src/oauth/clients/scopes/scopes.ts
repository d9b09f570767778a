import { type LocalizedText, message } from '../../../config/languages/message.ts';
import { OAuthError } from '../../../platform/errors.ts';

/** The built-in scopes in words, as the end of "It asks to …", for the consent page. */
const ownScopeTexts: Readonly<Record<string, string>> = {
  '*': 'Do everything that you can do here',
  admin: 'Act with your roles: see, change and delete everything of everybody',
  openid: 'Know who you are: the id of your account',
  profile: 'See your name and your username',
  email: 'See your email address',
  phone: 'See your phone number',
  address: 'See your postal address',
  offline_access: 'Keep its access while you are away',
  'tokens:introspect': 'Check anybody’s tokens: whether they are valid and what they allow',
  'tokens:exchange': 'Pass tokens that it receives on to other services',
  'users:read': 'Read your account: your name, your addresses and your roles',
  'users:write': 'Change your account',
  'roles:read': 'Read which roles there are',
  'roles:write': 'Change which roles there are',
  'clients:read': 'See which applications you have created',
  'clients:write': 'Create, change and delete applications in your name',
  'tokens:read': 'See where you are signed in',
  'tokens:write': 'Sign you out, and create access tokens in your name',
  'consents:read': 'See which applications you have authorised, and for what',
  'consents:write': 'Withdraw the access that you gave to applications',
  'events:read': 'See what happened to your account',
  'events:write': 'Change what happened to your account',
};

/** The two scopes of a resource, from what its declaration calls its rows. */
const resourceScopeTexts = (label: string) => ({
  read: `Read your ${label}`,
  write: `Add, change and delete your ${label}`,
});

/** A scope that nobody described: its name is all that is known. */
const undescribedScope = (scope: string): string => `Use “${scope}”`;

/** All that the subject may do, except what must be named. */
export const everyScope = '*';
/** Lets a client ask about tokens of other clients. `*` does not hold it: it is about others, not about the subject. */
export const introspectScope = 'tokens:introspect';
/** Lets a client pass on tokens of other clients that it received (RFC 8693). */
export const exchangeScope = 'tokens:exchange';
/** Scopes that a client gets for itself. No user can give them. */
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
export const named: readonly string[] = [...clientScopes, adminScope, ...identityScopes];

/** The scopes there are: two for each resource that is served, those of the service itself, and the operator's own. */
export class KnownScopes {
  readonly #texts = new Map<string, string>();
  /** Of those that are the service's own, or of a resource: the same in any language. */
  readonly #messages = new Map<string, LocalizedText>();
  readonly #labels = new Map<string, string>();

  constructor() {
    for (const scope of [everyScope, ...named]) this.add(scope);
  }

  /** `label`: the readable name of its rows; the default is its name. */
  addResource(name: string, label = name.replaceAll('_', ' ')): void {
    this.#labels.set(name, label);
    const { read, write } = resourceScopeTexts(label);
    this.add(`${name}:read`, ownScopeTexts[`${name}:read`] ?? read);
    this.add(`${name}:write`, ownScopeTexts[`${name}:write`] ?? write);
    for (const right of ['read', 'write']) {
      const scope = `${name}:${right}`;
      if (!(scope in ownScopeTexts)) this.#messages.set(scope, message(`scope.resource.${right}`, { label }));
    }
  }

  /** A scope of an endpoint or a setting of the operator's own. With a text, one that is there gets another text. */
  add(scope: string, text?: string): void {
    if (text === undefined && this.#texts.has(scope)) return;
    this.#texts.set(scope, text ?? ownScopeTexts[scope] ?? undescribedScope(scope));
    this.#messages.delete(scope);
  }

  has(scope: string): boolean {
    return this.#texts.has(scope);
  }

  /** The readable name of a resource's rows. */
  labelOf(resource: string): string {
    const label = this.#labels.get(resource) ?? resource;
    return label.charAt(0).toUpperCase() + label.slice(1);
  }

  /** The description of a scope, for the consent page. */
  textOf(scope: string): string {
    return this.#texts.get(scope) ?? undescribedScope(scope);
  }

  /** The same text, in the language of the reader. */
  describe(scope: string): LocalizedText {
    const text = this.textOf(scope);
    if (text === ownScopeTexts[scope]) return message(`scope.${scope}`);
    return (
      this.#messages.get(scope) ?? (text === undescribedScope(scope) ? message('scope.undescribed', { scope }) : text)
    );
  }

  list(): string[] {
    return [...this.#texts.keys()].sort();
  }
}

/** Whether a holder of `allowed` may have `scope`. `openid` is always allowed. */
export const allowsScope = (allowed: readonly string[], scope: string): boolean =>
  scope === openidScope ||
  allowed.includes(scope) ||
  (!clientScopes.includes(scope) && scope !== adminScope && allowed.includes(everyScope));

/** Contract 8.9: an application acts for the user, but with the user's roles only where it was given the scope for that. */
export const rolesThrough = (
  { application, scopes }: { readonly application: boolean; readonly scopes: readonly string[] },
  roles: readonly string[],
): readonly string[] => (application && !scopes.includes(adminScope) ? [] : roles);

/** Whether a token with `held` may use something that already has `scopes`. */
export const holdsScopes = (held: readonly string[], scopes: readonly string[]): boolean =>
  held.includes(everyScope) || scopes.every((scope) => held.includes(scope));

/** The part of `scopes` that is still allowed. */
export function narrowScopes(scopes: readonly string[], allowed: readonly string[]): readonly string[] {
  if (allowed.includes(everyScope) || scopes.every((scope) => allowed.includes(scope))) return scopes;
  if (scopes.includes(everyScope)) return allowed.filter((scope) => scopes.includes(scope) || !named.includes(scope));
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

/** OpenID Connect Core 3.1.2.1: of what an authorization request asks for, all that exists and is allowed. */
export function knownAndAllowed(
  known: KnownScopes,
  asked: readonly string[],
  allowed: readonly string[],
): readonly string[] {
  return asked.filter((scope) => known.has(scope) && allowsScope(allowed, scope));
}

/** The granted scopes: all allowed ones if `asked` is empty, and never more than the allowed ones. */
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
