import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Context } from '../../../src/database/context.ts';
import { widerNetworkOf } from '../../../src/http/network-of.ts';
import { HashingQueue } from '../../../src/identity/passwords/hashing-queue.ts';
import { BoundedMap } from '../../../src/platform/bounded-map.ts';
import { tooManyRequests } from '../../../src/platform/errors.ts';
import { WorkerThread } from '../../../src/platform/worker-thread.ts';
import type { DecryptionRequest } from './decrypting-thread.ts';
import { looksLikeLegacyRefreshToken, type RefreshPayload } from './defuse.ts';

/** At most half of the cores. The queue holds a few seconds of work. */
const maxThreads = Math.max(1, Math.floor(availableParallelism() / 2));
const waiting = 60 * maxThreads;
const rememberedTokens = 1000;
/** Forged tokens allowed per network and window: an attacker sends them to cause expensive decryption. */
const maxFailures = 20;
const windowMs = 15 * 60_000;
const countedNetworks = 10_000;

/** Decrypts old refresh tokens in threads. The queue is bounded, and networks that send forged tokens are blocked. */
export class RefreshTokenDecrypter {
  readonly #context: Context;
  readonly #queue = new HashingQueue({ running: maxThreads, waiting });
  readonly #threads = Array.from(
    { length: maxThreads },
    () => new WorkerThread<DecryptionRequest, RefreshPayload | null>('decrypting-thread', import.meta.url),
  );
  /** By the token's hash, so that a retry and an earlier check decrypt the token only once. */
  readonly #decrypted = new BoundedMap<string, RefreshPayload>(rememberedTokens);
  readonly #failures = new BoundedMap<string, { count: number; until: number }>(countedNetworks);

  constructor(context: Context) {
    this.#context = context;
  }

  async decrypt(token: string, appKey: Buffer, address: string | null): Promise<RefreshPayload | undefined> {
    if (!looksLikeLegacyRefreshToken(token)) return undefined;
    const key = hash('sha256', token, 'base64url');
    const cached = this.#decrypted.get(key);
    if (cached) return cached;
    const network = widerNetworkOf(address ?? 'the service itself');
    this.#refuseForgers(network);
    const payload = await this.#queue.run('sign-in', network, () => {
      // While this token waited, other tokens of the network may have turned out to be forged.
      this.#refuseForgers(network);
      const idlest = this.#threads.reduce((a, b) => (b.load < a.load ? b : a));
      return idlest.request({ token, appKey });
    });
    if (!payload) {
      this.#countFailure(network);
      return undefined;
    }
    this.#decrypted.set(key, payload);
    return payload;
  }

  /** Call it after a change of the keys: clears the cached results. */
  forget(): void {
    this.#decrypted.clear();
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  #refuseForgers(network: string): void {
    const failures = this.#failures.get(network);
    const now = this.#context.now();
    if (!failures || failures.until <= now || failures.count < maxFailures) return;
    throw tooManyRequests('Too many unknown refresh tokens. Wait before you try again.', (failures.until - now) / 1000);
  }

  #countFailure(network: string): void {
    const now = this.#context.now();
    const failures = this.#failures.get(network);
    if (failures && failures.until > now) failures.count++;
    else this.#failures.set(network, { count: 1, until: now + windowMs });
  }
}
