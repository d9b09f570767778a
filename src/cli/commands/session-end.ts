import type { Command } from 'commander';
import { OperatorError } from '../../errors.ts';
import { listSessions } from '../../sessions/store/session-store.ts';
import { findUserByText } from '../operator/find-user.ts';
import { asOperator } from '../operator/operator.ts';

interface Flags {
  user?: string;
  client?: string;
}

export function addSessionEnd(session: Command): void {
  session
    .command('end')
    .description('End sessions and personal access tokens, on every instance, before the command returns.')
    .argument('[ids...]', 'as `session list` shows them')
    .option('--user <user>', 'all of this user’s: an email, a username, a phone number or an id')
    .option('--client <client_id>', 'all of those through this client')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse session end 0198c1c2-…\n  gatehouse session end --user ada@example.com',
    )
    .action(async (ids: string[], flags: Flags) => console.log(`${await end(ids, flags)} ended.`));
}

const end = (ids: readonly string[], { user, client }: Flags) =>
  asOperator(async ({ context, remove }) => {
    const { database, now } = context;
    if (ids.length === 0 && user === undefined && client === undefined) {
      throw new OperatorError('Say which: their ids, --user or --client.');
    }
    const all = new Set(ids);
    if (user !== undefined || client !== undefined) {
      const userId = user === undefined ? undefined : (await findUserByText(context, user)).id;
      for (const { id } of await listSessions(database.db, now(), { userId, clientId: client })) all.add(id);
    }
    for (const id of all) await remove('tokens', id);
    return all.size;
  });
