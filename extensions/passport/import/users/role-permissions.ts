import { scopesOfRole } from '../../../../src/identity/roles/scopes-of-role.ts';
import { select } from '../../source/layout.ts';
import { batchSize, type Pass } from '../pass.ts';

/**
 * Compares what the permissions of roles stand for (`--map`) with ROLE_SCOPES. Where they differ, the operator is told what
 * the setting has to be. `names`: the names of the roles here, by their ids there.
 */
export async function compareRoleScopes(pass: Pass, names: ReadonlyMap<string, string>): Promise<void> {
  const { plan, findings, context } = pass;
  if (plan.map.permissions === undefined) return;
  const scopes = new Map<string, Set<string>>();
  for (const role of names.values()) if (role !== 'admin') scopes.set(role, new Set());
  for (const { role, permission } of await readPermissions(pass, [...names.keys()])) {
    const own = scopes.get(names.get(role) as string);
    const meant = plan.map.permissions.get(permission);
    if (own && meant === undefined) {
      findings.decide(
        'permission-names',
        'Permissions of roles that --map does not name stand for no scope',
        permission,
      );
    }
    for (const scope of meant ?? []) own?.add(scope);
  }
  for (const [role, meant] of scopes) {
    const set = scopesOfRole(context.config, role);
    if (set?.length === meant.size && set.every((scope) => meant.has(scope))) continue;
    findings.decide(
      'role-scopes',
      'Roles whose permissions stand for other scopes than ROLE_SCOPES gives them. Set ROLE_SCOPES to what is in brackets, and start the service again',
      `${role}=${[...meant].sort().join(' ')}`,
    );
  }
}

async function readPermissions(
  { source, plan }: Pass,
  roles: readonly string[],
): Promise<{ role: string; permission: string }[]> {
  const [held, permissions] = [plan.layout.find('role_has_permissions'), plan.layout.find('permissions')];
  const roleKey = ['role_id', 'role_pivot_key'].find((column) => held?.columns.has(column));
  const key = ['permission_id', 'permission_pivot_key'].find((column) => held?.columns.has(column));
  if (!held || !permissions || !roleKey || !key) return [];
  const found: { role: string; permission: string }[] = [];
  for (let i = 0; i < roles.length; i += batchSize) {
    const rows = await source.withKeys(select(held, roleKey, [key]), roles.slice(i, i + batchSize));
    const ids = [...new Set(rows.map((row) => row[key] as string))];
    const named = new Map<string, string>();
    for (let j = 0; j < ids.length; j += batchSize) {
      const some = await source.withKeys(select(permissions, 'id', ['name']), ids.slice(j, j + batchSize));
      for (const { id, name } of some) named.set(id as string, name ?? '');
    }
    for (const row of rows)
      found.push({ role: row[roleKey] as string, permission: named.get(row[key] as string) ?? '' });
  }
  return found;
}
