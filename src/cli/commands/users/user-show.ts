import type { Command } from 'commander';
import { rolesOf } from '../../../identity/accounts/user-store.ts';
import { listClients } from '../../../oauth/clients/client-store.ts';
import { listSessions } from '../../../oauth/sessions/store/session-store.ts';
import { findUserByText } from '../../operator/find-user.ts';
import { withContext } from '../../operator/with-context.ts';
import { printFields, showTime } from '../../terminal/print.ts';

export function addUserShow(user: Command): void {
  user
    .command('show')
    .description('Show a user: identifiers, roles, and the number of sessions and clients.')
    .argument('<user>', 'an email, a username, a phone number or an id')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  gatehouse user show ada@example.com')
    .action(async (text: string, { json }: { json?: boolean }) => printFields(await describe(text), json));
}

const describe = (text: string) =>
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
