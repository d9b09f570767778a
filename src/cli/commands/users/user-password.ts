import type { Command } from 'commander';
import { findUserByText } from '../../operator/find-user.ts';
import { asOperator } from '../../operator/operator.ts';
import { readPassword } from '../../terminal/read-password.ts';

export function addUserPassword(user: Command): void {
  user
    .command('password')
    .description(
      'Give a user a new password. Ends its sessions, its personal access tokens and the secrets of its clients, and lifts a lockout.',
    )
    .argument('<user>', 'an email, a username, a phone number or an id')
    .option(
      '--password-stdin',
      'read the password from standard input; otherwise the command generates a random one and shows it once',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse user password ada@example.com\n  pass show ada | gatehouse user password ada@example.com --password-stdin',
    )
    .action(async (text: string, { passwordStdin }: { passwordStdin?: boolean }) => {
      const { password, isMade } = await readPassword(passwordStdin);
      await asOperator(async ({ context, change }) => {
        const user = await findUserByText(context, text);
        await change('users', user.id, { password });
      });
      if (isMade) console.log(`password  ${password}   (shown only this once)`);
      else console.log('The password is set.');
    });
}
