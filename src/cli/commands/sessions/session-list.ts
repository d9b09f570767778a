import type { Command } from 'commander';
import { sessionNames } from '../../../oauth/sessions/store/session-name-store.ts';
import { listSessions } from '../../../oauth/sessions/store/session-store.ts';
import { findUserByText } from '../../operator/find-user.ts';
import { withContext } from '../../operator/with-context.ts';
import { addListOptions, type ListFlags } from '../../terminal/list-options.ts';
import { printRows, showTime } from '../../terminal/print.ts';

interface Flags extends ListFlags {
  readonly user?: string;
  readonly client?: string;
}

export function addSessionList(session: Command): void {
  addListOptions(session.command('list'))
    .description('List sessions with their users and origins, and personal access tokens.')
    .option('--user <user>', 'only sessions of this user: an email, a username, a phone number or an id')
    .option('--client <client_id>', 'only sessions of this client')
    .addHelpText('after', '\nExamples:\n  gatehouse session list --user ada@example.com')
    .action(async (flags: Flags) => printRows(await list(flags), flags));
}

const list = ({ user, client }: Flags) =>
  withContext(async (context) => {
    const { database, now } = context;
    const userId = user === undefined ? undefined : (await findUserByText(context, user)).id;
    const rows = await listSessions(database.db, now(), { userId, clientId: client });
    const names = await sessionNames(database.db, rows);
    return rows.map((row) => ({
      id: row.id,
      type: row.type,
      user: names.users.get(row.user_id ?? '') ?? row.user_id,
      client: names.clients.get(row.client_id ?? '') ?? row.client_id,
      name: row.name,
      scopes: JSON.parse(row.scopes) as string[],
      address: row.address,
      last_used_at: showTime(row.last_used_at),
      expires_at: showTime(row.expires_at),
    }));
  });
