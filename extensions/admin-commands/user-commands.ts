import { randomBytes } from 'node:crypto';
import { text as readText } from 'node:stream/consumers';
import type { Command } from 'commander';
import { findUserByText } from '../../src/cli/operator/find-user.ts';
import { withContext } from '../../src/cli/operator/with-context.ts';
import { addListOptions, type ListFlags, printFields, printRows, showTime } from '../../src/cli/terminal/print.ts';
import { UsageError } from '../../src/cli/terminal/usage-error.ts';
import { roleNames } from '../../src/config/config.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { listUsers, rolesOf } from '../../src/identity/accounts/user-store.ts';
import { countFactors } from '../../src/identity/factors/factor-count-store.ts';
import { removeFactors } from '../../src/identity/factors/factor-services.ts';
import { createUser } from '../../src/identity/registration/store-new-user.ts';
import { listClients } from '../../src/oauth/clients/client-store.ts';
import { listSessions } from '../../src/oauth/sessions/store/session-store.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { changeRoles } from './change-roles.ts';
import { asOperator } from './operator.ts';

const anIdentifier = 'an email, a username, a phone number or an id';

interface CreateFlags {
  email?: string;
  username?: string;
  phone?: string;
  name?: string;
  role?: string[];
  passwordStdin?: boolean;
  unconfirmed?: boolean;
  json?: boolean;
}

function addUserCreate(user: Command): void {
  user
    .command('create')
    .description('Create a user. Without --password-stdin, the command generates a random password and shows it once.')
    .option('--email <email>', 'an email to sign in with; one of these three is required')
    .option('--username <username>', 'a username to sign in with, if LOGIN_ATTRIBUTES enables it')
    .option('--phone <phone>', 'a phone number with its country code, if LOGIN_ATTRIBUTES enables it')
    .option('--name <name>', 'the display name')
    .option('--role <role...>', 'one or more roles')
    .option('--password-stdin', 'read the password from standard input')
    .option('--unconfirmed', 'the user must still confirm the email')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse user create --email ada@example.com --name Ada\n  pass show ada |\n    gatehouse user create --email ada@example.com --role admin --password-stdin',
    )
    .action(async (flags: CreateFlags) => {
      if ([flags.email, flags.username, flags.phone].every((identifier) => identifier === undefined)) {
        throw new UsageError('Give an identifier: --email, --username or --phone.');
      }
      const { password, isMade } = await readPassword(flags.passwordStdin);
      const { username, phone, name, role: roles = [], unconfirmed = false } = flags;
      const profile = { email: flags.email, username, phone, name, password, roles, confirmed: !unconfirmed };
      const { id, email } = await withContext(async (context) => {
        const { createServices } = await import('../../src/main/services.ts');
        return createUser((await createServices(context)).accounts, profile, systemSource);
      });
      const createdPassword = isMade ? { password } : {};
      if (flags.json) return console.log(JSON.stringify({ id, email, ...createdPassword }, null, 2));
      console.log(`id        ${id}`);
      if (isMade) console.log(`password  ${password}   (shown only this once)`);
    });
}

interface UserListFlags extends ListFlags {
  readonly role?: string;
}

function addUserList(user: Command): void {
  addListOptions(user.command('list'))
    .description('List the users.')
    .option('--role <role>', 'only users with this role')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse user list\n  gatehouse user list --search example.com --limit 20\n  gatehouse user list --role admin --json',
    )
    .action(async ({ role, ...flags }: UserListFlags) => {
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

function addUserShow(user: Command): void {
  user
    .command('show')
    .description('Show a user: identifiers, roles, and the number of sessions and clients.')
    .argument('<user>', anIdentifier)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  gatehouse user show ada@example.com')
    .action(async (text: string, { json }: { json?: boolean }) => printFields(await describeUser(text), json));
}

const describeUser = (text: string) =>
  withContext(async (context) => {
    const { database, now } = context;
    const user = await findUserByText(context, text);
    const sessions = await listSessions(database.db, now(), { userId: user.id });
    const clients = (await listClients(database.db)).filter(({ user_id }) => user_id === user.id);
    return {
      id: user.id,
      email: user.email,
      confirmed: user.email_confirmed === 1,
      username: user.username,
      phone: user.phone,
      name: user.name,
      roles: rolesOf(user),
      disabled: user.disabled === 1,
      sessions: sessions.filter(({ type }) => type === 'session').length,
      personal_tokens: sessions.filter(({ type }) => type === 'personal').length,
      clients: clients.map(({ id }) => id),
      created_at: showTime(user.created_at),
      updated_at: showTime(user.updated_at),
    };
  });

function addUserPassword(user: Command): void {
  user
    .command('password')
    .description(
      'Set a new password for a user. Ends their sessions, personal access tokens, client secrets and keys, and lifts a lockout.',
    )
    .argument('<user>', anIdentifier)
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

function addUserRole(user: Command): void {
  user
    .command('role')
    .description('Add roles to a user, or remove them. Prints the roles that the user then has.')
    .argument('<user>', anIdentifier)
    .argument('[changes...]', '+role or role adds a role, -role removes it (put -- before a leading -)')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse user role ada@example.com admin\n  gatehouse user role ada@example.com -- -admin +editor',
    )
    .action(async (text: string, changes: string[]) => {
      const roles = await changeRolesOf(text, changes);
      console.log(roles.length > 0 ? roles.join(' ') : '(no roles)');
    });
}

const changeRolesOf = (text: string, changes: readonly string[]) =>
  withContext(async (context) => {
    const { id: userId } = await findUserByText(context, text);
    const declaredRoles = roleNames(context.config);
    const nameOf = (word: string) => word.replace(/^[+-]/, '');
    const take = changes.filter((word) => word.startsWith('-')).map(nameOf);
    const give = changes.filter((word) => !word.startsWith('-')).map(nameOf);
    const unknown = give.find((role) => !declaredRoles.includes(role));
    if (unknown !== undefined) {
      throw new OperatorError(
        `"${unknown}" is not a role. Expected one of: ${declaredRoles.join(', ')} (setting ROLES).`,
      );
    }
    return changeRoles(context, { userId, give, take, source: systemSource });
  });

function addUserFactors(user: Command): void {
  user
    .command('factors')
    .description('Show the factors of a user. With --remove, removes them and notifies the user by email.')
    .argument('<user>', anIdentifier)
    .option('--remove', 'remove all factors except the password')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse user factors ada@example.com\n  gatehouse user factors ada@example.com --remove',
    )
    .action(async (text: string, { remove, json }: { remove?: boolean; json?: boolean }) => {
      const counts = await withContext(async (context) => {
        const { db } = context.database;
        const { id: userId } = await findUserByText(context, text);
        if (!remove) return countFactors(db, userId);
        const { createServices } = await import('../../src/main/services.ts');
        const { factors } = await createServices(context);
        const removal = { userId, actorId: null, source: systemSource };
        return db.transaction().execute((tx) => removeFactors(factors, tx, removal));
      });
      if (counts) printFields(counts, json);
      else console.log(`The factors of ${text} are removed, except the password.`);
    });
}

const addUserSwitch = (name: 'disable' | 'enable', description: string) => (user: Command) =>
  user
    .command(name)
    .description(description)
    .argument('<user>', anIdentifier)
    .addHelpText('after', `\nExamples:\n  gatehouse user ${name} ada@example.com`)
    .action(async (text: string) => {
      await asOperator(async ({ context, change }) =>
        change('users', (await findUserByText(context, text)).id, { disabled: name === 'disable' }),
      );
      console.log(`${text} is ${name}d.`);
    });

const addUserDisable = addUserSwitch(
  'disable',
  'Disable a user. A login gets the same response as a wrong password, and all tokens stop working immediately. The data stays.',
);
const addUserEnable = addUserSwitch('enable', 'Enable a disabled user.');

function addUserDelete(user: Command): void {
  user
    .command('delete')
    .description('Delete a user with their sessions, tokens and clients. Only a backup can restore the user.')
    .argument('<user>', anIdentifier)
    .addHelpText('after', '\nExamples:\n  gatehouse user delete ada@example.com')
    .action(async (text: string) => {
      await asOperator(async ({ context, remove }) => remove('users', (await findUserByText(context, text)).id));
      console.log(`${text} is deleted.`);
    });
}

export const userCommands = [
  ...[addUserCreate, addUserList, addUserShow, addUserPassword, addUserRole],
  ...[addUserFactors, addUserDisable, addUserEnable, addUserDelete],
];

/** Reads a password from standard input, or makes a random one that is shown once. */
async function readPassword(fromStdin: boolean | undefined): Promise<{ password: string; isMade: boolean }> {
  if (!fromStdin) return { password: randomBytes(15).toString('base64url'), isMade: true };
  const password = (await readText(process.stdin)).replace(/\r?\n$/, '');
  if (password === '') throw new OperatorError('--password-stdin: standard input was empty.');
  return { password, isMade: false };
}
