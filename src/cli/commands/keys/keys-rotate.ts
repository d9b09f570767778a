import type { Command } from 'commander';
import { openKeyRing } from '../../../database/keys/key-ring.ts';
import { systemSource } from '../../../http/request-source.ts';
import { type Ended, rotateKeys } from '../../../oauth/rotate-keys.ts';
import { withContext } from '../../operator/with-context.ts';
import { showTime } from '../../terminal/print.ts';

export function addKeysRotate(keys: Command): void {
  keys
    .command('rotate')
    .description('Create new keys. Tokens of the old keys stay valid until they expire.')
    .option('--compromised', 'the old keys are known to others: everything that they made ends now, on every instance')
    .addHelpText('after', '\nExamples:\n  gatehouse keys rotate\n  gatehouse keys rotate --compromised')
    .action(async ({ compromised = false }: { compromised?: boolean }) => {
      const key = await withContext(async (context) =>
        rotateKeys(context, await openKeyRing(context), { source: systemSource, compromised }),
      );
      console.log(`The new key ${key.id} (${key.algorithm}) signs tokens from ${showTime(key.signsFrom)}.`);
      if (key.ended) printEnded(key.ended);
    });
}

export function printEnded({ sessions, clients, links }: Ended): void {
  console.log(`All other keys are removed, on every instance. This ended:
  ${sessions} sessions: all access tokens, refresh tokens and personal access tokens are invalid, and everybody has to log in again
  ${clients} clients' secrets: create new secrets with: gatehouse client secret ID
     (the running service, or its next start, restores the secrets of clients in the settings)
  ${links} links in mail: users have to request new ones
Passwords, users, clients and their data stay. The secret that encrypts the keys stays too. If somebody else knows it, see
"Encryption of the keys" in docs/configuration.md.`);
}
