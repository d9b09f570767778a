import type { Command } from 'commander';
import { withContext } from '../../src/cli/operator/with-context.ts';
import { addListOptions, type ListFlags, printRows, showTime } from '../../src/cli/terminal/print.ts';
import type { Context } from '../../src/database/context.ts';
import { KeyRing, listKeys, openKeyRing } from '../../src/database/keys/key-ring.ts';
import { createSealing } from '../../src/database/keys/sealing.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { type EndedCredentials, rotateKeys } from './revoke-everything.ts';

function addKeysRotate(keys: Command): void {
  keys
    .command('rotate')
    .description('Create new keys. Tokens that the old keys signed stay valid until they expire.')
    .option(
      '--compromised',
      'the old keys have leaked: invalidate everything that they signed, on every instance, before the command returns',
    )
    .addHelpText('after', '\nExamples:\n  gatehouse keys rotate\n  gatehouse keys rotate --compromised')
    .action(async ({ compromised = false }: { compromised?: boolean }) => {
      const key = await withContext(async (context) =>
        rotateKeys(context, await openKeyRing(context), { source: systemSource, compromised }),
      );
      console.log(`The new key ${key.id} (${key.algorithm}) signs tokens from ${showTime(key.signsFrom)}.`);
      if (key.ended) printEnded(key.ended);
    });
}

function printEnded({ sessions, clients, links }: EndedCredentials): void {
  console.log(`All other keys are removed, on every instance. This ended:
  ${sessions} sessions: all access tokens, refresh tokens and personal access tokens are invalid, and everybody has to log in again
  ${clients} clients' secrets: create new secrets with: npx gatehouse-server client secret ID
     (the running service, or its next start, restores the secrets of clients in the settings)
  ${links} links in mail: users have to request new ones
Passwords, users, clients and their data stay. The secret that encrypts the keys stays too. If somebody else knows it, see
"Change the encryption secret" in docs/keys.md.`);
}

function addKeysList(keys: Command): void {
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

const question = `The keys in the database cannot be decrypted with this encryption key. You can create new keys. That ends
  every session: access tokens, refresh tokens and personal access tokens
  every client's secret
  every link in mail
  every authenticator app, every webhook, and the jobs and mail that your code queued (encrypted with the same key)
It does not change people's passwords, clients, resources or anything else.
If the key file or ENCRYPTION_KEY may still turn up, put it back instead: then nothing ends.
Stop the service, and run this again with --force.`;

function addKeysReset(keys: Command): void {
  keys
    .command('reset')
    .description('Create new keys if the secret that encrypts the old keys (encryption.key, ENCRYPTION_KEY) is lost.')
    .option(
      '--force',
      'create the keys; without this option, the command only lists the data that would become invalid',
    )
    .addHelpText('after', '\nExamples:\n  gatehouse keys reset\n  gatehouse keys reset --force')
    .action(async ({ force }: { force?: boolean }) => {
      await withContext(async (context) => {
        await requireUnreadableKeys(context);
        if (!force) throw new OperatorError(question);
        const ring = new KeyRing(context, createSealing(context.config));
        const { id, algorithm, ended } = await rotateKeys(context, ring, { source: systemSource, compromised: true });
        console.log(`The new key ${id} (${algorithm}) signs from now on.`);
        if (ended) printEnded(ended);
      });
    });
}

async function requireUnreadableKeys(context: Context): Promise<void> {
  let found: number;
  try {
    found = (await listKeys(context, context.database.db)).length;
  } catch (error) {
    if (error instanceof OperatorError) return;
    throw error;
  }
  throw new OperatorError(
    found === 0
      ? 'There are no keys yet. Gatehouse creates them on its first start.'
      : 'The keys can be decrypted, so nothing is lost. To replace them all at once: npx gatehouse-server keys rotate --compromised',
  );
}

export const keysCommands = [addKeysList, addKeysRotate, addKeysReset];
