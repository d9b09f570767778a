import type { Command } from 'commander';
import { listUsers, rolesOf } from '../../../identity/accounts/user-store.ts';
import { withContext } from '../../operator/with-context.ts';
import { addListOptions, type ListFlags } from '../../terminal/list-options.ts';
import { printRows, showTime } from '../../terminal/print.ts';

interface Flags extends ListFlags {
  readonly role?: string;
}

export function addUserList(user: Command): void {
  addListOptions(user.command('list'))
    .description('List the users.')
    .option('--role <role>', 'only users with this role')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse user list\n  gatehouse user list --search example.com --limit 20\n  gatehouse user list --role admin --json',
    )
    .action(async ({ role, ...flags }: Flags) => {
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
      printRows(role === undefined ? rows : rows.filter(({ roles }) => roles.includes(role)), flags, 'email');
    });
}
