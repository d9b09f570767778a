import type { Config } from '../../config/config.ts';

/** The scopes that ROLE_SCOPES gives a role. Undefined: the role limits nobody. */
export const scopesOfRole = (
  { roleScopes }: Pick<Config, 'roleScopes'>,
  role: string,
): readonly string[] | undefined =>
  Object.hasOwn(roleScopes, role) ? (roleScopes[role] as string).split(' ').filter(Boolean) : undefined;
