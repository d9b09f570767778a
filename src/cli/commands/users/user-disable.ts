import type { Command } from 'commander';
import { findUserByText } from '../../operator/find-user.ts';
import { asOperator } from '../../operator/operator.ts';

const disable = (text: string, disabled: boolean) =>
  asOperator(async ({ context, change }) => change('users', (await findUserByText(context, text)).id, { disabled }));

export function addUserDisable(user: Command): void {
  user
    .command('disable')
    .description(
      'Disable a user. Logins are refused like a wrong password, and all tokens stop working at once. The data stays.',
    )
    .argument('<user>', 'an email, a username, a phone number or an id')
    .addHelpText('after', '\nExamples:\n  gatehouse user disable ada@example.com')
    .action(async (text: string) => {
      await disable(text, true);
      console.log(`${text} is disabled.`);
    });
}

export function addUserEnable(user: Command): void {
  user
    .command('enable')
    .description('Enable a disabled user.')
    .argument('<user>', 'an email, a username, a phone number or an id')
    .addHelpText('after', '\nExamples:\n  gatehouse user enable ada@example.com')
    .action(async (text: string) => {
      await disable(text, false);
      console.log(`${text} is enabled.`);
    });
}
