import { commitAndInvalidate } from '../../../database/bus.ts';
import type { Context } from '../../../database/context.ts';
import type { KeyRing } from '../../../database/keys/key-ring.ts';
import type { Passwords } from '../../../identity/passwords/passwords.ts';
import { unavailable } from '../../../platform/errors.ts';
import { findClient, lockClient, type StoredClient } from '../client-store.ts';
import { addClientSecret } from './client-secrets.ts';

/** Stands where the name of our own key would: the hash is one that another system made of the secret. */
export const foreignKeyId = 'foreign';

/** More wrong secrets than this for one client are not looked at together: each takes as long as a password. */
const mostWaiting = 20;

/** Secrets that another system hashed, slowly, as bcrypt or argon2. The first right one is kept in our own form from then on. */
export class ForeignSecrets {
  readonly #context: Context;
  readonly #keys: KeyRing;
  readonly #passwords: Passwords;
  /** One at a time for each client: guesses at a client's secret must not take the threads that people sign in by. */
  readonly #lines = new Map<string, { waiting: number; last: Promise<unknown> }>();

  constructor(context: Context, keys: KeyRing, passwords: Passwords) {
    this.#context = context;
    this.#keys = keys;
    this.#passwords = passwords;
  }

  /** Which of the client's secrets this is, if it is one of these. */
  async find(client: StoredClient, secret: string): Promise<string | undefined> {
    const at = this.#context.now();
    const hashes = client.secrets.filter(
      ({ key_id, expires_at }) => key_id === foreignKeyId && (expires_at === null || expires_at > at),
    );
    if (hashes.length === 0) return undefined;
    return this.#inTurn(client.id, async () => {
      for (const { id, secret_hash } of hashes) {
        if (!(await this.#passwords.verify(secret, secret_hash))) continue;
        await this.#replace(client.id, secret_hash, secret);
        return id;
      }
      return undefined;
    });
  }

  async #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(id) ?? { waiting: 0, last: Promise.resolve() };
    if (line.waiting >= mostWaiting) throw unavailable('Too many attempts at the moment. Try again shortly.', 2);
    this.#lines.set(id, line);
    line.waiting++;
    const turn = line.last.then(work);
    line.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      if (--line.waiting === 0) this.#lines.delete(id);
    }
  }

  /** Unless the client has got another secret meanwhile. */
  async #replace(clientId: string, hash: string, secret: string): Promise<void> {
    await commitAndInvalidate(this.#context.database, async (tx, invalidate) => {
      await lockClient(tx, this.#context.database.engine, clientId);
      const client = await findClient(tx, clientId);
      const isCurrent = client?.secrets.some((own) => own.secret_hash === hash && own.expires_at === null);
      if (isCurrent) await addClientSecret(this.#context, this.#keys, tx, invalidate, { clientId, secret });
    });
  }
}
