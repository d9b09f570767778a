import type { Command } from 'commander';
import { openKeyRing } from '../../../database/keys/key-ring.ts';
import { withContext } from '../../operator/with-context.ts';
import { addListOptions, type ListFlags } from '../../terminal/list-options.ts';
import { printRows, showTime } from '../../terminal/print.ts';

export function addKeysList(keys: Command): void {
  addListOptions(keys.command('list'))
    .description('List the signing keys: the active keys, and the time at which each other key retires.')
    .addHelpText('after', '\nExamples:\n  gatehouse keys list\n  gatehouse keys list --json')
    .action(async (flags: ListFlags) => {
      const rows = await withContext(async (context) => {
        const ring = await openKeyRing(context);
        return ring.signingKeys.list().map(({ id, signs, algorithm, state, createdAt, signsFrom, retiresAt }) => ({
          id,
          signs,
          algorithm,
          state,
          created_at: showTime(createdAt),
          signs_from: showTime(signsFrom),
          retires_at: retiresAt === null ? null : showTime(retiresAt),
        }));
      });
      printRows(rows, flags);
    });
}
