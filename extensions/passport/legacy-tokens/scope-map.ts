import type { Db, Tx } from '../../../src/database/database.ts';
import { offlineAccessScope } from '../../../src/oauth/clients/scopes/scopes.ts';
import { parseJson } from '../../../src/platform/json-text.ts';
import { listLegacyIds } from './legacy-id-store.ts';

/** Maps each scope of the old service to scopes of this service. The empty name stands for a token without scopes. */
export type ScopeMap = ReadonlyMap<string, readonly string[]>;

export const scopeSource = 'scopes';

/** The source of values about the whole import, such as the user table that old ids refer to. */
export const importSource = 'takeover';
export const defaultUsersKey = 'users';

/** The scopes of a token. No scope means all for a first-party login, as in Apiato. The operator maps the rest. */
export function mapScopes(
  map: ScopeMap,
  scopes: readonly string[],
  { isFirstParty, hasUser }: { isFirstParty: boolean; hasUser: boolean },
): { scopes: string[]; unmapped: string[] } {
  if (scopes.length === 0) {
    const none = isFirstParty && hasUser ? ['*'] : (map.get('') ?? []);
    return { scopes: [...none], unmapped: [] };
  }
  const mapped = new Set<string>();
  const unmapped: string[] = [];
  for (const scope of scopes) {
    const newScopes = map.get(scope) ?? (scope === '*' ? ['*'] : undefined);
    if (newScopes) for (const name of newScopes) mapped.add(name);
    else unmapped.push(scope);
  }
  return { scopes: [...mapped], unmapped };
}

/** In Passport, every login has a refresh token. Here, an application needs the scope offline_access. */
export const withOfflineAccess = (type: string | undefined, scopes: readonly string[], hasUser: boolean): string[] =>
  type === 'application' && hasUser ? [...new Set([...scopes, offlineAccessScope])] : [...scopes];

/** The mapping of the import, for logins whose scopes are known only when their refresh token is used. */
export async function readScopeMap(db: Db | Tx): Promise<ScopeMap> {
  const rows = await listLegacyIds(db, scopeSource);
  return new Map(rows.map(({ old_id, new_id }) => [old_id, parseJson(new_id)]));
}
