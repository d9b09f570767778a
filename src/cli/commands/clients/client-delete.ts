import type { Command } from 'commander';
import { asOperator } from '../../operator/operator.ts';

export function addClientDelete(client: Command): void {
  client
    .command('delete')
    .description('Delete a client. Its secrets and tokens stop working at once.')
    .argument('<client_id>', 'the client_id, as `client list` shows it')
    .addHelpText('after', '\nExamples:\n  gatehouse client delete reports')
    .action(async (id: string) => {
      await asOperator(({ remove }) => remove('clients', id));
      console.log(`${id} is deleted.`);
    });
}
