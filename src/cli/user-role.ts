import type { Command } from 'commander';
import { OperatorError } from '../errors.ts';
import { rolesOf } from '../users/accounts/user-store.ts';
import { findUserByText } from './find-user.ts';
import { asOperator } from './operator.ts';

export function addUserRole(user: Command): void {
  user
    .command('role')
    .description('Give a user roles, or take them away. Says what the user has then.')
    .argument('<user>', 'an email, a username, a phone number or an id')
    .argument('[changes...]', '+role or role gives, -role takes away (put -- before a leading -)')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse user role ada@example.com admin\n  gatehouse user role ada@example.com -- -admin +editor',
    )
    .action(async (text: string, changes: string[]) => {
      const roles = await changeRoles(text, changes);
      console.log(roles.length > 0 ? roles.join(' ') : '(no roles)');
    });
}

const changeRoles = (text: string, changes: readonly string[]) =>
  asOperator(async ({ context, change }) => {
    const user = await findUserByText(context, text);
    const roles = new Set(rolesOf(user));
    const known = new Set([...context.config.roles, 'admin']);
    for (const one of changes) {
      const role = one.replace(/^[+-]/, '');
      if (one.startsWith('-')) roles.delete(role);
      else if (known.has(role)) roles.add(role);
      else throw new OperatorError(`"${role}" is not a role. There are: ${[...known].join(', ')} (setting ROLES).`);
    }
    if (changes.length > 0) await change('users', user.id, { roles: [...roles] });
    return [...roles];
  });
