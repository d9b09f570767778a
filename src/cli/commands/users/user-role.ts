import type { Command } from 'commander';
import { systemSource } from '../../../http/request-source.ts';
import { changeRoles } from '../../../identity/roles/change-roles.ts';
import { roleNames } from '../../../identity/roles/roles-resource.ts';
import { OperatorError } from '../../../platform/errors.ts';
import { findUserByText } from '../../operator/find-user.ts';
import { withContext } from '../../operator/with-context.ts';

export function addUserRole(user: Command): void {
  user
    .command('role')
    .description('Add roles to a user, or remove them. Prints the roles that the user then has.')
    .argument('<user>', 'an email, a username, a phone number or an id')
    .argument('[changes...]', '+role or role adds a role, -role removes it (put -- before a leading -)')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse user role ada@example.com admin\n  gatehouse user role ada@example.com -- -admin +editor',
    )
    .action(async (text: string, changes: string[]) => {
      const roles = await change(text, changes);
      console.log(roles.length > 0 ? roles.join(' ') : '(no roles)');
    });
}

const change = (text: string, changes: readonly string[]) =>
  withContext(async (context) => {
    const { id: userId } = await findUserByText(context, text);
    const known = roleNames(context.config);
    const nameOf = (word: string) => word.replace(/^[+-]/, '');
    const take = changes.filter((word) => word.startsWith('-')).map(nameOf);
    const give = changes.filter((word) => !word.startsWith('-')).map(nameOf);
    const unknown = give.find((role) => !known.includes(role));
    if (unknown !== undefined) {
      throw new OperatorError(`"${unknown}" is not a role. There are: ${known.join(', ')} (setting ROLES).`);
    }
    return changeRoles(context, { userId, give, take, source: systemSource });
  });
