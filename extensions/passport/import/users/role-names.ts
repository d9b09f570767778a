import { scopesOfRole } from '../../../../src/identity/roles/roles-resource.ts';
import { findLegacyIds, listLegacyIds, saveLegacyIds } from '../../legacy-tokens/legacy-id-store.ts';
import { type FoundTable, select } from '../../source/layout.ts';
import { pages } from '../../source/source.ts';
import { batchSize, type Pass, type UserTable } from '../pass.ts';
import { compareRoles } from './user-record.ts';

/** The roles of users from spatie/laravel-permission: by guard and model class. */
export interface RoleNames {
  /** For one page of a table's users, by their old ids. Roles of `deleted` users are read, but not imported. */
  of(
    table: UserTable,
    ids: readonly string[],
    deleted: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, readonly string[]>>;
}

const roleSource = 'roles.name';

const none: RoleNames = { of: async () => new Map() };

/** Undefined if the roles cannot be imported. Ignores `is_admin`: in Apiato 10 it is true by default. */
export async function readRoleNames(pass: Pass): Promise<RoleNames | undefined> {
  const { layout, rolesWhere } = pass.plan;
  const [roles, holders] = [layout.find('roles'), layout.find('model_has_roles')];
  if (!pass.isComplete) return undefined;
  if (!roles?.columns.has('name') || !holders) return none;
  const roleKey = ['role_id', 'role_pivot_key'].find((name) => holders.columns.has(name));
  const modelKey = ['model_id', 'model_uuid', 'model_ulid', 'model_morph_key'].find((name) =>
    holders.columns.has(name),
  );
  if (!roleKey || !modelKey || !holders.columns.has('model_type')) {
    pass.findings.decide(
      'role-columns',
      `The columns of ${holders.name} are not those of spatie/laravel-permission: no role was imported`,
    );
    return undefined;
  }
  const standardColumns = [roleKey, modelKey, 'model_type'];
  const arePlain = [
    isPlain(pass, holders, (column) => standardColumns.includes(column)),
    isPlain(pass, roles, (column) => describes.test(column)),
  ];
  if (arePlain.includes(false)) return undefined;
  const ofRoles = [...rolesWhere].filter(([column]) => roles.columns.has(column));
  const names = await namesById(pass, roles, ofRoles);
  await compareRoleScopes(pass, names);
  const conditions = [...rolesWhere].filter(([column]) => holders.columns.has(column));
  const from = select(holders, modelKey, [roleKey, 'model_type', ...conditions.map(([column]) => column)]);
  const counts = pass.findings.countsOf(holders.name);
  const classes = await classesThatCount(pass, holders.name);
  if (!classes) return undefined;
  return {
    async of(table, ids, deleted) {
      const found = new Map<string, string[]>();
      for (const row of await pass.source.withKeys(from, ids)) {
        if (isOfOtherTable(pass, classes, table, row.model_type ?? '')) continue;
        counts.read++;
        const meetsConditions = conditions.every(([column, value]) => (row[column] ?? 'null') === value);
        const reason = meetsConditions
          ? reasonToLeave(pass, classes, table, row.model_type ?? '')
          : 'not of --roles-where';
        const name = names.get(row[roleKey] ?? '');
        if (reason !== undefined) counts.skip(reason);
        else if (name === undefined) counts.skip('the role is not imported');
        else {
          const holder = row[modelKey] ?? '';
          found.set(holder, [...(found.get(holder) ?? []), name]);
        }
      }
      const before = await findLegacyIds(pass.context.database.db, table.source, ids);
      for (const [holder, ofHolder] of found) {
        if (deleted.has(holder)) counts.skip('its user was deleted there', ofHolder.length);
        else counts[compareRoles(ofHolder, before.get(holder)?.fingerprint)] += ofHolder.length;
      }
      return found;
    },
  };
}

/** Columns of `roles` that only describe a role. Any other column may limit the role. */
const describes =
  /^(id|uuid|name|guard_name|created_at|updated_at|display_name|description|title|label|level|color|icon)$/;

/** An additional column can limit a role to a tenant. Only the operator knows: --roles-where or --ignore-column. */
function isPlain({ plan, findings }: Pass, { name, columns }: FoundTable, isOwn: (column: string) => boolean): boolean {
  const otherColumns = [...columns.keys()].filter(
    (column) => !isOwn(column) && !plan.rolesWhere.has(column) && !plan.ignoredColumns.has(`${name}.${column}`),
  );
  for (const column of otherColumns) {
    findings.decide(
      'role-columns',
      `The table ${name} has columns beyond those of spatie/laravel-permission, so that a role may hold in one team or tenant alone: no role was imported. Say which rows count by --roles-where COLUMN=VALUE (null for none), or that a column means nothing by --ignore-column TABLE.COLUMN`,
      `${name}.${column}`,
    );
  }
  return otherColumns.length === 0;
}

/** Ignores rows of another class with the same short name. Undefined if the operator must name the class. */
async function classesThatCount(pass: Pass, holders: string): Promise<ReadonlySet<string> | undefined> {
  const { models } = pass.plan;
  const namedTables = [...models.values()];
  const guessed = (await pass.source.distinct(holders, 'model_type')).filter((model) => !models.has(model));
  const byTable = Map.groupBy(guessed, (model) => tableOfModel(pass, model));
  const unsure = [...byTable].filter(([table, { length }]) => table && length > 1 && !namedTables.includes(table));
  for (const [table, classes] of unsure) {
    pass.findings.decide(
      'role-models',
      `Roles of several classes could belong to the table ${table}: no role was imported. Name the class with --model 'CLASS=${table}'`,
      classes.sort().join('; '),
    );
  }
  const counting = [...byTable].filter(([table]) => table === undefined || !namedTables.includes(table));
  return unsure.length > 0 ? undefined : new Set([...models.keys(), ...counting.flatMap(([, classes]) => classes)]);
}

/** Roles of another user table are read and counted with that table. */
function isOfOtherTable({ plan }: Pass, classes: ReadonlySet<string>, table: UserTable, model: string): boolean {
  const meant = tableOfModel({ plan }, model);
  return (
    classes.has(model) && meant !== table.source && [...plan.userTables.values()].some(({ source }) => source === meant)
  );
}

function reasonToLeave(pass: Pass, classes: ReadonlySet<string>, table: UserTable, model: string): string | undefined {
  if (!classes.has(model)) return 'its model_type is not the class of the table';
  if (tableOfModel(pass, model) === table.source) return undefined;
  // A class that is not a user (a team, a device) may have the same id.
  pass.findings.decide(
    'role-models',
    `Roles of "${model}" were not imported: name the table with --model '${model}=TABLE', or leave them`,
  );
  return `its model_type belongs to none of the named tables`;
}

/** Laravel's convention: the class `App\Models\User` (or its short name) means the table `users`. */
export function tableOfModel({ plan }: Pick<Pass, 'plan'>, model: string): string | undefined {
  const override = plan.models.get(model);
  if (override !== undefined) return override;
  const short = model
    .replace(/.*\\/s, '')
    .replace(/(?<=[a-z0-9])([A-Z])/g, '_$1')
    .toLowerCase();
  const tables = [...new Set([...plan.userTables.values()].map(({ source }) => source))];
  const candidates = [short, `${short}s`, `${short}es`, short.replace(/y$/, 'ies'), short.replace(/person$/, 'people')];
  const conventional = tables.find((table) => candidates.includes(table));
  // The default table may have any name. The class User means it, unless there is a table `users` too.
  return conventional ?? (short === 'user' || short === 'users' ? plan.defaultUsers.source : undefined);
}

/** The known roles of the imported guards. */
async function namesById(pass: Pass, table: FoundTable, conditions: readonly (readonly [string, string])[]) {
  const { source, plan, findings, context } = pass;
  const from = select(table, 'id', ['name', 'guard_name', ...conditions.map(([column]) => column)]);
  const rows: { id: string; name: string; guard: string }[] = [];
  for await (const page of pages(source, from, batchSize)) {
    for (const row of page) {
      if (conditions.some(([column, value]) => (row[column] ?? 'null') !== value)) continue;
      rows.push({ id: row.id, name: row.name ?? '', guard: row.guard_name ?? '' });
    }
  }
  const guardNames = [...new Set(rows.map(({ guard }) => guard))];
  const defaultGuards = guardNames.length === 1 ? guardNames : ['api'];
  const guards = plan.guards.length > 0 ? plan.guards : defaultGuards;
  const declaredRoles = new Set([...context.config.roles, 'admin']);
  const names = new Map<string, string>();
  const counts = findings.countsOf(from.table);
  const { db } = context.database;
  const before = new Map((await listLegacyIds(db, roleSource)).map(({ old_id, new_id }) => [old_id, new_id]));
  for (const { id, name, guard } of rows) {
    counts.read++;
    const newName = plan.roles.get(name) ?? name;
    if (!guards.includes(guard)) {
      counts.skip(`its guard is ${guard}`);
      if (plan.guards.length === 0) {
        findings.decide(
          'role-guards',
          `Roles of more than one guard: those of "${guards.join()}" were imported. Choose the guards with --guard NAME, which may be repeated`,
          `${name} of ${guard}`,
        );
      }
    } else if (!declaredRoles.has(newName)) {
      counts.skip('the role does not exist in Gatehouse');
      findings.decide(
        'role-names',
        'Roles that do not exist in Gatehouse: add them to ROLES, or rename them with --role OLD=NEW',
        name,
      );
    } else {
      const known = before.get(id);
      counts[known === undefined ? 'taken' : known === newName ? 'unchanged' : 'updated']++;
      names.set(id, newName);
    }
  }
  const row = { source: roleSource, fingerprint: '', version: 1, pass: pass.number };
  await saveLegacyIds(
    db,
    [...names].map(([old_id, new_id]) => ({ ...row, old_id, new_id })),
  );
  return names;
}

/** Compares role permissions (`--map`) with ROLE_SCOPES, and reports differences. `names`: the roles here by their ids. */
async function compareRoleScopes(pass: Pass, names: ReadonlyMap<string, string>): Promise<void> {
  const { plan, findings, context } = pass;
  if (plan.map.permissions === undefined) return;
  const scopes = new Map<string, Set<string>>();
  for (const role of names.values()) if (role !== 'admin') scopes.set(role, new Set());
  for (const { role, permission } of await readPermissions(pass, [...names.keys()])) {
    const scopesOfThisRole = scopes.get(names.get(role) ?? '');
    const meant = plan.map.permissions.get(permission);
    if (scopesOfThisRole && meant === undefined) {
      findings.decide(
        'permission-names',
        'Permissions of roles that --map does not name: they give no scope',
        permission,
      );
    }
    for (const scope of meant ?? []) scopesOfThisRole?.add(scope);
  }
  for (const [role, meant] of scopes) {
    const set = scopesOfRole(context.config, role);
    if (set?.length === meant.size && set.every((scope) => meant.has(scope))) continue;
    findings.decide(
      'role-scopes',
      'Roles whose permissions give other scopes than ROLE_SCOPES. Set ROLE_SCOPES to the value in brackets, and start the service again',
      `${role}=${[...meant].sort().join(' ')}`,
    );
  }
}

async function readPermissions({ source, plan }: Pass, roles: readonly string[]) {
  const [rolePermissions, permissions] = [plan.layout.find('role_has_permissions'), plan.layout.find('permissions')];
  const roleKey = ['role_id', 'role_pivot_key'].find((column) => rolePermissions?.columns.has(column));
  const key = ['permission_id', 'permission_pivot_key'].find((column) => rolePermissions?.columns.has(column));
  if (!rolePermissions || !permissions || !roleKey || !key) return [];
  const pairs: { role: string; permission: string }[] = [];
  for (let i = 0; i < roles.length; i += batchSize) {
    const rows = await source.withKeys(select(rolePermissions, roleKey, [key]), roles.slice(i, i + batchSize));
    const ids = [...new Set(rows.map((row) => row[key] ?? ''))];
    const namesOfPermissions = new Map<string, string>();
    for (let j = 0; j < ids.length; j += batchSize) {
      const some = await source.withKeys(select(permissions, 'id', ['name']), ids.slice(j, j + batchSize));
      for (const { id, name } of some) namesOfPermissions.set(id, name ?? '');
    }
    for (const row of rows)
      pairs.push({ role: row[roleKey] ?? '', permission: namesOfPermissions.get(row[key] ?? '') ?? '' });
  }
  return pairs;
}
