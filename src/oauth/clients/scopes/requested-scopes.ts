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
  const fieldError = (code: string, message: string): FieldError[] => [{ field: 'scopes', code, message }];
  if (scopes.length === 0) return fieldError('required', 'scopes must contain at least one scope.');
  // Only an administrator can let a client inspect or exchange the tokens of other clients.
  const isGrantable = type !== undefined && isAdmin(caller) && caller.scopes.includes(everyScope);
  for (const scope of scopes) {
    if (!knownScopes.has(scope)) {
      const known = knownScopes.list().join(', ');
      return fieldError('unknown', `scopes: there is no scope "${scope}". Expected one of: ${known}.`);
    }
    // These scopes give no access until the user consents.
    if (type === 'application' && identityScopes.includes(scope)) continue;
    if (scope === adminScope) {
      if (type === 'application' && isGrantable) continue;
      return fieldError('beyond_own', 'scopes: "admin" is only for applications, and only administrators can give it.');
    }
    if (clientScopes.includes(scope) ? isGrantable : allowsScope(caller.scopes, scope)) continue;
    return fieldError('beyond_own', `scopes: you cannot give "${scope}", because your token does not have it.`);
  }
  return [];
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
