import type { Command } from 'commander';
import { openKeyRing } from '../../crypto/key-ring.ts';
import { withContext } from '../operator/with-context.ts';
import { printRows, showTime } from '../terminal/print.ts';

export function addKeysList(keys: Command): void {
  keys
    .command('list')
    .description('List the signing keys: which one signs, and when the others retire.')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  gatehouse keys list\n  gatehouse keys list --json')
    .action(async ({ json }: { json?: boolean }) => {
      const rows = await withContext(async (context) => {
        const ring = await openKeyRing(context);
        return ring.list().map(({ id, algorithm, state, createdAt, signsFrom, retiresAt }) => ({
          id,
          algorithm,
          state,
          created_at: showTime(createdAt),
          signs_from: showTime(signsFrom),
          retires_at: retiresAt === null ? null : showTime(retiresAt),
        }));
      });
      printRows(rows, json);
    });
}
