import type { Config } from '../../config/config.ts';
import type { Context } from '../../database/context.ts';
import { findUser, rolesOf } from '../../identity/accounts/user-store.ts';
import { scopesOfRole } from '../../identity/roles/roles-resource.ts';
import { explicitScopes, narrowScopes } from './scopes/scopes.ts';

/** The name in ROLE_SCOPES that stands for every user. */
const everybody = '*';

/** Limits `scopes` by the roles in ROLE_SCOPES. Administrators are not limited. Roles that the setting does not name are not limited. */
export function limitByRoles(config: Pick<Config, 'roleScopes'>, roles: readonly string[], scopes: readonly string[]) {
  if (roles.includes('admin')) return scopes;
  const limits = [everybody, ...roles].map((role) => scopesOfRole(config, role)).filter((limit) => limit !== undefined);
  return limits.length === 0 ? scopes : narrowScopes(scopes, [...new Set([...limits.flat(), ...explicitScopes])]);
}

/** Like `limitByRoles`, for a user by id. Without ROLE_SCOPES it costs no query. */
export async function limitByRolesOfUser(
  { config, database }: Pick<Context, 'config' | 'database'>,
  userId: string | null,
  scopes: readonly string[],
): Promise<readonly string[]> {
  if (userId === null || Object.keys(config.roleScopes).length === 0) return scopes;
  const user = await findUser(database.db, userId);
  return user ? limitByRoles(config, rolesOf(user), scopes) : scopes;
}
