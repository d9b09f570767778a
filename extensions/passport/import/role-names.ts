import { select } from '../source/layout.ts';
import { pages } from '../source/source.ts';
import { batchSize, type Pass, type UserTable } from './pass.ts';

/** The roles of users, as spatie/laravel-permission keeps them: by guard, and by the class of who has them. */
export interface RoleNames {
  /** For one page of a table's users, by their old ids. */
  of(table: UserTable, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

const none: RoleNames = { of: async () => new Map() };

/** A column such as `is_admin` says nothing: in Apiato 10 it is true unless somebody says otherwise. */
export async function readRoleNames(pass: Pass): Promise<RoleNames> {
  const { layout } = pass.plan;
  const [roles, holders] = [layout.find('roles'), layout.find('model_has_roles')];
  if (!roles?.columns.has('name') || !holders) return none;
  const roleKey = ['role_id', 'role_pivot_key'].find((name) => holders.columns.has(name));
  const modelKey = ['model_id', 'model_uuid', 'model_ulid', 'model_morph_key'].find((name) =>
    holders.columns.has(name),
  );
  if (!roleKey || !modelKey || !holders.columns.has('model_type')) {
    pass.findings.decide(
      `The columns of ${holders.name} are not those of spatie/laravel-permission: no role was taken.`,
    );
    return none;
  }
  const teamKey = ['team_id', 'team_foreign_key'].find((name) => holders.columns.has(name));
  const names = await namesById(pass, select(roles, 'id', ['name', 'guard_name']));
  const from = select(holders, modelKey, [roleKey, 'model_type', ...(teamKey ? [teamKey] : [])]);
  const tally = pass.findings.of(holders.name);
  return {
    async of(table, ids) {
      const found = new Map<string, string[]>();
      for (const row of await pass.source.withKeys(from, ids)) {
        tally.read++;
        const reason = reasonToLeave(pass, table, row.model_type ?? '', teamKey ? (row[teamKey] ?? null) : null);
        const name = names.get(row[roleKey] ?? '');
        if (reason !== undefined) tally.leave(reason);
        else if (name === undefined) tally.leave('the role is not taken');
        else {
          tally.taken++;
          const held = found.get(row[modelKey] as string) ?? [];
          found.set(row[modelKey] as string, [...held, name]);
        }
      }
      return found;
    },
  };
}

function reasonToLeave(pass: Pass, table: UserTable, model: string, team: string | null): string | undefined {
  if (team !== null && team !== '0') {
    pass.findings.note('Roles within a team stay behind: there are no teams here', 1);
    return 'it holds within a team only';
  }
  const meant = tableOfModel(pass, model);
  if (meant === table.source) return undefined;
  // Another table of users has it with its own page; a class that is none of them (a team, a device) may share the number.
  if ([...pass.plan.userTables.values()].some(({ source }) => source === meant))
    return `it is of another table (${meant})`;
  pass.findings.decide(
    `Roles of "${model}" were not taken: say which table that is by --model '${model}=TABLE', or leave them`,
  );
  return `its model_type is none of the named tables`;
}

/** By Laravel's own convention: the class `App\Models\User` (or its short name) is the table `users`. */
export function tableOfModel({ plan }: Pick<Pass, 'plan'>, model: string): string | undefined {
  const said = plan.models.get(model);
  if (said !== undefined) return said;
  const short = (model.split('\\').at(-1) as string).replace(/(?<=[a-z0-9])([A-Z])/g, '_$1').toLowerCase();
  const tables = [...new Set([...plan.userTables.values()].map(({ source }) => source))];
  const candidates = [short, `${short}s`, `${short}es`, short.replace(/y$/, 'ies'), short.replace(/person$/, 'people')];
  const conventional = tables.find((table) => candidates.includes(table));
  // The default table may have any name; the class User is its own unless a table `users` is named beside it.
  return conventional ?? (short === 'user' || short === 'users' ? plan.userTables.get('')?.source : undefined);
}

/** The roles that are known here, of the one guard that counts. */
async function namesById(pass: Pass, from: ReturnType<typeof select>): Promise<ReadonlyMap<string, string>> {
  const { source, plan, findings, context } = pass;
  const rows: { id: string; name: string; guard: string }[] = [];
  for await (const page of pages(source, from, batchSize)) {
    for (const row of page) rows.push({ id: row.id as string, name: row.name ?? '', guard: row.guard_name ?? '' });
  }
  const guards = [...new Set(rows.map(({ guard }) => guard))];
  const guard = plan.guard ?? (guards.includes('api') || guards.length !== 1 ? 'api' : guards[0]);
  const known = new Set([...context.config.roles, 'admin']);
  const names = new Map<string, string>();
  const tally = findings.of(from.table);
  for (const { id, name, guard: own } of rows) {
    tally.read++;
    const here = plan.roles.get(name) ?? name;
    if (own !== guard) {
      tally.leave(`its guard is ${own}`);
      if (plan.guard === undefined) {
        findings.decide(
          `Roles of more than one guard: those of "${guard}" were taken. Say which count by --guard`,
          `${name} of ${own}`,
        );
      }
    } else if (!known.has(here)) {
      tally.leave('there is no such role here');
      findings.decide('Roles that are none here: add them to ROLES, or name another by --role OLD=NEW', name);
    } else {
      tally.taken++;
      names.set(id, here);
    }
  }
  return names;
}
