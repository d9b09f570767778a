import type { Command } from 'commander';
import { listClients } from '../../../oauth/clients/client-store.ts';
import { withContext } from '../../operator/with-context.ts';
import { addListOptions, type ListFlags } from '../../terminal/list-options.ts';
import { printRows, showTime } from '../../terminal/print.ts';

export function addClientList(client: Command): void {
  addListOptions(client.command('list'))
    .description('List the clients. Secrets are stored hashed: none can be shown.')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse client list\n  gatehouse client list --json | jq -r ".[].client_id"',
    )
    .action(async (flags: ListFlags) => {
      const rows = await withContext(({ database }) => listClients(database.db));
      printRows(
        rows.map(({ id, type, name, user_id, scopes, created_at }) => ({
          client_id: id,
          type,
          name,
          owner: user_id,
          scopes: JSON.parse(scopes) as string[],
          created_at: showTime(created_at),
        })),
        flags,
      );
    });
}
