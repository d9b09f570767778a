import type { Command } from 'commander';
import { systemSource } from '../../../http/request-source.ts';
import { createUser } from '../../../identity/registration/create-user.ts';
import { withContext } from '../../operator/with-context.ts';
import { readPassword } from '../../terminal/read-password.ts';
import { UsageError } from '../../terminal/usage-error.ts';

interface Flags {
  email?: string;
  username?: string;
  phone?: string;
  name?: string;
  role?: string[];
  passwordStdin?: boolean;
  unconfirmed?: boolean;
  json?: boolean;
}

export function addUserCreate(user: Command): void {
  user
    .command('create')
    .description('Create a user. Without --password-stdin, the command generates a random password and shows it once.')
    .option('--email <email>', 'an email to sign in with; one of these three is required')
    .option('--username <username>', 'a username to sign in with, if LOGIN_ATTRIBUTES enables it')
    .option('--phone <phone>', 'a phone number with its country code, if LOGIN_ATTRIBUTES enables it')
    .option('--name <name>', 'the name that people see')
    .option('--role <role...>', 'one or several roles')
    .option('--password-stdin', 'read the password from standard input')
    .option('--unconfirmed', 'the owner must still confirm the email')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse user create --email ada@example.com --name Ada\n  pass show ada |\n    gatehouse user create --email ada@example.com --role admin --password-stdin',
    )
    .action(async (flags: Flags) => {
      if ([flags.email, flags.username, flags.phone].every((one) => one === undefined)) {
        throw new UsageError('Say what the user signs in with: --email, --username or --phone.');
      }
      const { password, isMade } = await readPassword(flags.passwordStdin);
      const { id, email } = await make(flags, password);
      const shown = isMade ? { password } : {};
      if (flags.json) return console.log(JSON.stringify({ id, email, ...shown }, null, 2));
      console.log(`id        ${id}`);
      if (isMade) console.log(`password  ${password}   (shown only this once)`);
    });
}

const make = ({ email, username, phone, name, role = [], unconfirmed = false }: Flags, password: string) =>
  withContext(async (context) => {
    const { createServices } = await import('../../../main/services.ts');
    const { accounts } = await createServices(context);
    const profile = { email, username, phone, name };
    return createUser(context, accounts, { ...profile, password, roles: role, confirmed: !unconfirmed }, systemSource);
  });
