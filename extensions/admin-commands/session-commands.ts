import type { Command } from 'commander';
import { findUserByText } from '../../src/cli/operator/find-user.ts';
import { withContext } from '../../src/cli/operator/with-context.ts';
import { addListOptions, type ListFlags, printRows, showTime } from '../../src/cli/terminal/print.ts';
import { UsageError } from '../../src/cli/terminal/usage-error.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { listSessions } from '../../src/oauth/sessions/store/session-store.ts';
import { parseJson } from '../../src/platform/json-text.ts';
import { asOperator } from './operator.ts';
import { sessionNames } from './session-name-store.ts';

interface Flags extends ListFlags {
  readonly user?: string;
  readonly client?: string;
}

function addSessionList(session: Command): void {
  addListOptions(session.command('list'))
    .description('List sessions and personal access tokens, with their users and addresses.')
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
      scopes: parseJson(row.scopes),
      address: row.address,
      last_used_at: showTime(row.last_used_at),
      expires_at: showTime(row.expires_at),
    }));
  });

interface EndFlags {
  user?: string;
  client?: string;
  all?: boolean;
  keepPersonal?: boolean;
}

function addSessionEnd(session: Command): void {
  session
    .command('end')
    .description('End sessions and personal access tokens, on every instance, before the command returns.')
    .argument('[ids...]', 'the ids, as `session list` shows them')
    .option('--user <user>', 'all sessions of this user: an email, a username, a phone number or an id')
    .option('--client <client_id>', 'all sessions of this client')
    .option('--all', 'all sessions of all users, and emailed links (after you restore an earlier database)')
    .option('--keep-personal', 'with --all: keep personal access tokens')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse session end 0198c1c2-…\n  gatehouse session end --user ada@example.com\n  gatehouse session end --all',
    )
    .action(async (ids: string[], flags: EndFlags) => console.log(`${await end(ids, flags)} ended.`));
}

async function end(ids: readonly string[], flags: EndFlags): Promise<number> {
  const { all, keepPersonal = false, user, client } = flags;
  if (keepPersonal && !all) throw new UsageError('--keep-personal works only with --all.');
  const isNamed = ids.length > 0 || user !== undefined || client !== undefined;
  if (!all && !isNamed) throw new UsageError('Name the sessions: with their ids, --user, --client or --all.');
  if (!all) return endSome(ids, flags);
  if (isNamed) throw new UsageError('--all ends all sessions: leave out the ids, --user and --client.');
  const { endAllSessions } = await import('./revoke-everything.ts');
  const ended = await withContext((context) => endAllSessions(context, systemSource, { keepPersonal }));
  return ended.sessions;
}

const endSome = (ids: readonly string[], { user, client }: EndFlags): Promise<number> =>
  asOperator(async ({ context, remove }) => {
    const { database, now } = context;
    const all = new Set(ids);
    if (user !== undefined || client !== undefined) {
      const userId = user === undefined ? undefined : (await findUserByText(context, user)).id;
      for (const { id } of await listSessions(database.db, now(), { userId, clientId: client })) all.add(id);
    }
    for (const id of all) await remove('tokens', id);
    return all.size;
  });

export const sessionCommands = [addSessionList, addSessionEnd];
