import { type FoundTable, select } from '../source/layout.ts';
import { pages } from '../source/source.ts';
import { batchSize, isTrue, type Pass } from './pass.ts';

/** Data that has no counterpart in this service, or that nobody can import. */
const tables: readonly [table: string, what: string, why: string][] = [
  ['oauth_auth_codes', 'authorization codes', 'those under way are asked for again by whoever signs in'],
  ['oauth_device_codes', 'device codes', 'those under way are asked for again by the device'],
  ['permissions', 'permissions', 'what may be done is said by roles and scopes here'],
  ['model_has_permissions', 'permissions of single users', 'what may be done is said by roles and scopes here'],
  ['role_has_permissions', 'permissions of roles', 'what may be done is said by roles and scopes here'],
  ['role_user', 'roles of users in a table of another package', 'only those of spatie/laravel-permission are read'],
  [
    'assigned_roles',
    'roles of users in a table of another package',
    'only those of spatie/laravel-permission are read',
  ],
  [
    'sessions',
    "sessions of Laravel's own pages",
    'their cookies are encrypted for Laravel: people sign in to pages once more',
  ],
  ['personal_access_tokens', 'tokens of Sanctum', 'they are not of Passport'],
  ['password_resets', 'links to set a new password', 'they are asked for again'],
  ['password_reset_tokens', 'links to set a new password', 'they are asked for again'],
];

/** Codes that were not used, and have not expired. */
async function countWaiting({ source, plan, at }: Pass, table: FoundTable): Promise<number> {
  let count = 0;
  for await (const rows of pages(source, select(table, 'id', ['revoked', 'expires_at']), batchSize)) {
    count += rows.filter((row) => !isTrue(row.revoked) && (plan.clock.read(row.expires_at) ?? 0) > at).length;
  }
  return count;
}

export async function listNotTaken(pass: Pass): Promise<void> {
  const { plan, source, findings } = pass;
  for (const [name, what, why] of tables) {
    const table = plan.layout.find(name);
    if (!table || (plan.map.permissions && ['permissions', 'role_has_permissions'].includes(name))) continue;
    const count = name.endsWith('_codes') ? await countWaiting(pass, table) : await source.count(table.name);
    findings.notTaken(`${what} (${table.name})`, count, why);
  }
  // Laravel keeps them in files or cookies unless it is told otherwise: nobody can count those from here.
  if (!plan.layout.find('sessions'))
    findings.note("Cookies of Laravel's own sessions do not come over: people sign in to its pages once more");
}
