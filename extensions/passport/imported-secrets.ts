import { commitAndInvalidate } from '../../src/database/bus.ts';
import type { Context } from '../../src/database/context.ts';
import type { KeyRing } from '../../src/database/keys/key-ring.ts';
import type { Passwords } from '../../src/identity/passwords/passwords.ts';
import type { FindImportedSecret } from '../../src/oauth/clients/client-directory.ts';
import { findClient, lockClient } from '../../src/oauth/clients/client-store.ts';
import { addClientSecret } from '../../src/oauth/clients/secrets/client-secrets.ts';
import { importedKeyId } from '../../src/oauth/clients/secrets/secret-store.ts';
import { createKeyedSemaphore } from '../../src/platform/keyed-semaphore.ts';

/** The limit of checks that wait for one client, because each check takes as long as a password check. */
const maxWaitingChecks = 20;

/**
 * Returns a function that finds the id of a client's secret that another system hashed with bcrypt or argon2. The first successful check
 * stores the secret in our own hash format.
 */
export function createImportedSecrets(context: Context, keys: KeyRing, passwords: Passwords): FindImportedSecret {
  const { database, now } = context;
  /** One check at a time for each client: guesses at a client's secret must not occupy the threads that check passwords. */
  const runPerClient = createKeyedSemaphore({
    concurrency: 1,
    maxWaiting: maxWaitingChecks,
    message: 'Too many attempts at the moment. Try again shortly.',
  });

  /** Replaces the imported hash, unless the client got another secret in the meantime. */
  const replace = (clientId: string, hash: string, secret: string) =>
    commitAndInvalidate(database, async (tx, invalidate) => {
      await lockClient(tx, clientId);
      const client = await findClient(tx, clientId);
      const isCurrent = client?.secrets.some((stored) => stored.secret_hash === hash && stored.expires_at === null);
      if (isCurrent) await addClientSecret(context, keys, tx, invalidate, { clientId, secret });
    });

  return async (client, secret) => {
    const at = now();
    const importedSecrets = client.secrets.filter(
      ({ key_id, expires_at }) => key_id === importedKeyId && (expires_at === null || expires_at > at),
    );
    if (importedSecrets.length === 0) return undefined;
    return runPerClient(client.id, async () => {
      for (const { id, secret_hash } of importedSecrets) {
        if (!(await passwords.verify(secret, secret_hash))) continue;
        await replace(client.id, secret_hash, secret);
        return id;
      }
      return undefined;
    });
  };
}
