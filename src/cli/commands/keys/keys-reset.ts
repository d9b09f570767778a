import type { Command } from 'commander';
import type { Context } from '../../../database/context.ts';
import { KeyRing, listKeys } from '../../../database/keys/key-ring.ts';
import { createSealing } from '../../../database/keys/sealing.ts';
import { systemSource } from '../../../http/request-source.ts';
import { rotateKeys } from '../../../oauth/rotate-keys.ts';
import { OperatorError } from '../../../platform/errors.ts';
import { withContext } from '../../operator/with-context.ts';
import { printEnded } from './keys-rotate.ts';

const question = `The keys in the database cannot be opened with what is here. New ones can be made. That ends
  every session: access tokens, refresh tokens and personal access tokens
  every client's secret
  every link in mail
and leaves people with their passwords, clients, resources and everything else as they are.
If the key file or ENCRYPTION_KEY may still turn up, put it back instead: then nothing ends.
Stop the service, and run this again with --force.`;

export function addKeysReset(keys: Command): void {
  keys
    .command('reset')
    .description('Create new keys if the secret that encrypts the old keys (encryption.key, ENCRYPTION_KEY) is lost.')
    .option('--force', 'create the keys; without this option, the command only shows what would end')
    .addHelpText('after', '\nExamples:\n  gatehouse keys reset\n  gatehouse keys reset --force')
    .action(async ({ force }: { force?: boolean }) => {
      await withContext(async (context) => {
        await refuseWhereTheyOpen(context);
        if (!force) throw new OperatorError(question);
        const ring = new KeyRing(context, createSealing(context.config));
        const { id, algorithm, ended } = await rotateKeys(context, ring, { source: systemSource, compromised: true });
        console.log(`The new key ${id} (${algorithm}) signs from now on.`);
        if (ended) printEnded(ended);
      });
    });
}

async function refuseWhereTheyOpen(context: Context): Promise<void> {
  let found: number;
  try {
    found = (await listKeys(context, context.database.db)).length;
  } catch (error) {
    if (error instanceof OperatorError) return;
    throw error;
  }
  throw new OperatorError(
    found === 0
      ? 'There are no keys yet. The first start creates them.'
      : 'The keys can be opened: nothing is lost. To replace them all at once: gatehouse keys rotate --compromised',
  );
}
