import type { Command } from 'commander';
import { findUserByText } from '../../operator/find-user.ts';
import { asOperator } from '../../operator/operator.ts';

export function addUserDelete(user: Command): void {
  user
    .command('delete')
    .description('Delete a user with its sessions, tokens and clients. Only a backup can restore it.')
    .argument('<user>', 'an email, a username, a phone number or an id')
    .addHelpText('after', '\nExamples:\n  gatehouse user delete ada@example.com')
    .action(async (text: string) => {
      await asOperator(async ({ context, remove }) => remove('users', (await findUserByText(context, text)).id));
      console.log(`${text} is deleted.`);
    });
}
