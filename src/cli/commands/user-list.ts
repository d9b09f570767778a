import type { Command } from 'commander';
import { listUsers, rolesOf } from '../../users/accounts/user-store.ts';
import { withContext } from '../operator/with-context.ts';
import { printRows, showTime } from '../terminal/print.ts';

interface Flags {
  role?: string;
  json?: boolean;
}

export function addUserList(user: Command): void {
  user
    .command('list')
    .description('List the users.')
    .option('--role <role>', 'only those with this role')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  gatehouse user list\n  gatehouse user list --role admin --json')
    .action(async ({ role, json }: Flags) => {
      const users = await withContext(({ database }) => listUsers(database.db));
      const rows = users.map((row) => ({
        id: row.id,
        email: row.email,
        username: row.username,
        phone: row.phone,
        name: row.name,
        confirmed: row.email_confirmed === 1,
        disabled: row.disabled === 1,
        roles: rolesOf(row),
        created_at: showTime(row.created_at),
      }));
      printRows(role === undefined ? rows : rows.filter(({ roles }) => roles.includes(role)), json);
    });
}
