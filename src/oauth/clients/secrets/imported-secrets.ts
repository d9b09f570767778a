import { commitAndInvalidate } from '../../../database/bus.ts';
import type { Context } from '../../../database/context.ts';
import type { KeyRing } from '../../../database/keys/key-ring.ts';
import type { Passwords } from '../../../identity/passwords/passwords.ts';
import { KeyedSemaphore } from '../../../identity/throttle/keyed-semaphore.ts';
import { findClient, lockClient, type StoredClient } from '../client-store.ts';
import { addClientSecret } from './client-secrets.ts';

/** Replaces the id of our key: another system hashed the secret. */
export const importedKeyId = 'foreign';

/** The limit of checks that wait for one client, because each check takes as long as a password check. */
const maxWaiting = 20;

/** Secrets that another system hashed with bcrypt or argon2. The first successful check stores the secret in our own hash format. */
export class ImportedSecrets {
  readonly #context: Context;
  readonly #keys: KeyRing;
  readonly #passwords: Passwords;
  /** One check at a time for each client: guesses at a client's secret must not occupy the threads that check passwords. */
  readonly #perClient = new KeyedSemaphore(1, maxWaiting, 'Too many attempts at the moment. Try again shortly.');

  constructor(context: Context, keys: KeyRing, passwords: Passwords) {
    this.#context = context;
    this.#keys = keys;
    this.#passwords = passwords;
  }

  /** The id of the client's secret, if an imported hash matches. */
  async find(client: StoredClient, secret: string): Promise<string | undefined> {
    const at = this.#context.now();
    const hashes = client.secrets.filter(
      ({ key_id, expires_at }) => key_id === importedKeyId && (expires_at === null || expires_at > at),
    );
    if (hashes.length === 0) return undefined;
    return this.#perClient.run(client.id, async () => {
      for (const { id, secret_hash } of hashes) {
        if (!(await this.#passwords.verify(secret, secret_hash))) continue;
        await this.#replace(client.id, secret_hash, secret);
        return id;
      }
      return undefined;
    });
  }

  /** Replaces the imported hash, unless the client got another secret in the meantime. */
  async #replace(clientId: string, hash: string, secret: string): Promise<void> {
    await commitAndInvalidate(this.#context.database, async (tx, invalidate) => {
      await lockClient(tx, this.#context.database.engine, clientId);
      const client = await findClient(tx, clientId);
      const isCurrent = client?.secrets.some((own) => own.secret_hash === hash && own.expires_at === null);
      if (isCurrent) await addClientSecret(this.#context, this.#keys, tx, invalidate, { clientId, secret });
    });
  }
}
