import type { Command } from 'commander';
import { openKeyRing } from '../crypto/key-ring.ts';
import { systemOrigin } from '../http/origin.ts';
import { rotateKeys } from '../oauth/rotate-keys.ts';
import { showTime } from './print.ts';
import { withContext } from './with-context.ts';

export function addKeysRotate(keys: Command): void {
  keys
    .command('rotate')
    .description('Make a new signing key. Tokens signed with the old ones stay good until they expire.')
    .option('--compromised', 'the old keys are known to others: let them sign and verify nothing from now on')
    .addHelpText('after', '\nExamples:\n  gatehouse keys rotate\n  gatehouse keys rotate --compromised')
    .action(async ({ compromised = false }: { compromised?: boolean }) => {
      const key = await withContext(async (context) =>
        rotateKeys(context, await openKeyRing(context), { origin: systemOrigin, compromised }),
      );
      console.log(`The new key ${key.id} (${key.algorithm}) signs from ${showTime(key.signsFrom)} on.`);
      if (compromised) console.log('Every access token that the old keys signed is void.');
    });
}
