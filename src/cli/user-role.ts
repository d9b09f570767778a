import type { Command } from 'commander';
import { commitAndInvalidate } from '../database/bus.ts';
import { OperatorError } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import { systemSource } from '../http/request-source.ts';
import { hasOtherAdministrator } from '../users/accounts/role-store.ts';
import { rolesOf, updateUser } from '../users/accounts/user-store.ts';
import { findUserByText } from './find-user.ts';
import { withContext } from './with-context.ts';

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
  withContext(async (context) => {
    const { config, database, now } = context;
    const user = await findUserByText(context, text);
    const roles = new Set(rolesOf(user));
    const known = new Set([...config.roles, 'admin']);
    for (const change of changes) {
      const role = change.replace(/^[+-]/, '');
      if (change.startsWith('-')) roles.delete(role);
      else if (known.has(role)) roles.add(role);
      else throw new OperatorError(`"${role}" is not a role. There are: ${[...known].join(', ')} (setting ROLES).`);
    }
    if (changes.length > 0) {
      await commitAndInvalidate(database, async (tx, tell) => {
        const losesAdmin = rolesOf(user).includes('admin') && !roles.has('admin');
        if (losesAdmin && !(await hasOtherAdministrator(tx, database.engine, user.id))) {
          throw new OperatorError('This is the last administrator. Make another user one first.');
        }
        await updateUser(tx, user.id, { roles: JSON.stringify([...roles]), updated_at: now() });
        const data = { roles: [...roles], changes: { roles: { from: rolesOf(user), to: [...roles] } } };
        await recordEvent(context, tx, { type: 'user.roles_changed', userId: user.id, origin: systemSource, data });
        tell({ kind: 'user', id: user.id });
      });
    }
    return [...roles];
  });
