import type { Command } from 'commander';
import { openKeyRing } from '../../../database/keys/key-ring.ts';
import { systemSource } from '../../../http/request-source.ts';
import { type Ended, rotateKeys } from '../../../oauth/rotate-keys.ts';
import { withContext } from '../../operator/with-context.ts';
import { showTime } from '../../terminal/print.ts';

export function addKeysRotate(keys: Command): void {
  keys
    .command('rotate')
    .description('Make new keys. What the old ones made stays good until it expires.')
    .option('--compromised', 'the old keys are known to others: everything that they made ends now, on every instance')
    .addHelpText('after', '\nExamples:\n  gatehouse keys rotate\n  gatehouse keys rotate --compromised')
    .action(async ({ compromised = false }: { compromised?: boolean }) => {
      const key = await withContext(async (context) =>
        rotateKeys(context, await openKeyRing(context), { source: systemSource, compromised }),
      );
      console.log(`The new key ${key.id} (${key.algorithm}) signs from ${showTime(key.signsFrom)} on.`);
      if (key.ended) printEnded(key.ended);
    });
}

export function printEnded({ sessions, clients, links }: Ended): void {
  console.log(`Every other key is gone, on every instance. With them ended:
  ${sessions} sessions: every access token, refresh token and personal access token is void, and everybody logs in again
  ${clients} clients' secrets: give those clients new ones with: gatehouse client secret ID
     (clients of the settings get theirs back by themselves, from the running service or at its next start)
  ${links} links in mail: whoever waits for one asks for another
Passwords, users, clients and their data stay. So does the secret that seals the keys: if that is known too, see
"Encryption of the keys" in docs/configuration.md.`);
}
