import { type Caller, isAdmin } from '../../../platform/caller.ts';
import type { FieldError } from '../../../platform/errors.ts';
import type { ClientType } from '../client-store.ts';
import { adminScope, allowsScope, clientScopes, everyScope, identityScopes, type KnownScopes } from './scopes.ts';

/** The errors in scopes that a caller wants to grant. A caller can grant only scopes of the caller's own token. */
export function scopeErrors(
  knownScopes: KnownScopes,
  caller: Caller,
  scopes: readonly string[],
  { for: type }: { for?: ClientType } = {},
): FieldError[] {
  const errorOf = (scope: string): FieldError | undefined => {
    if (!knownScopes.has(scope)) {
      const message = `scopes: there is no scope "${scope}". There are: ${knownScopes.list().join(', ')}.`;
      return { field: 'scopes', code: 'unknown', message };
    }
    // Only an administrator can let a client inspect or exchange the tokens of other clients.
    const isGrantable = type !== undefined && isAdmin(caller) && caller.scopes.includes(everyScope);
    // These scopes give no access until the user consents.
    if (type === 'application' && identityScopes.includes(scope)) return undefined;
    if (scope === adminScope) {
      if (type === 'application' && isGrantable) return undefined;
      const message = 'scopes: "admin" is only for applications, and only administrators can give it.';
      return { field: 'scopes', code: 'beyond_own', message };
    }
    if (clientScopes.includes(scope) ? isGrantable : allowsScope(caller.scopes, scope)) return undefined;
    return {
      field: 'scopes',
      code: 'beyond_own',
      message: `scopes: you cannot give "${scope}", because your token does not have it.`,
    };
  };
  if (scopes.length === 0)
    return [{ field: 'scopes', code: 'required', message: 'scopes must contain at least one scope.' }];
  return scopes
    .map(errorOf)
    .filter((error) => error !== undefined)
    .slice(0, 1);
}

interface ScopeServices {
  readonly scopes: KnownScopes;
  /** Maps each scope of an imported service to scopes of this service. */
  legacyScopes(): Promise<ReadonlyMap<string, readonly string[]>>;
}

/**
 * Translates the requested scopes into scopes of this service, because clients of an imported service still request its old
 * scopes. Dropped scopes are left out. If only dropped scopes are requested, the request stays as it is and is rejected:
 * no scope must not become all scopes.
 */
export async function translateScope({ scopes: knownScopes, legacyScopes }: ScopeServices, text: string) {
  const requestedScopes = text.split(' ').filter(Boolean);
  if (requestedScopes.every((scope) => knownScopes.has(scope))) return text;
  const legacyMap = await legacyScopes();
  const translated = requestedScopes.flatMap((scope) =>
    knownScopes.has(scope) ? [scope] : (legacyMap.get(scope) ?? [scope]),
  );
  return translated.length === 0 ? text : [...new Set(translated)].join(' ');
}
