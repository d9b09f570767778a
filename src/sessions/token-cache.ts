import type { Caller } from '../caller.ts';
import type { Change } from '../database/bus.ts';

/** A token known to be good, and who it stands for. */
export interface VerifiedToken {
  readonly caller: Caller;
  readonly sessionId: string;
  readonly expiresAt: number;
}

const emptySet: ReadonlySet<string> = new Set();

/**
 * Tokens whose signature and session were checked, oldest out first. It is told of every change that could make one of
 * them wrong; `epoch` counts those changes, so that a check that ran beside one is not kept.
 */
export class TokenCache {
  readonly #limit: number;
  readonly #tokens = new Map<string, VerifiedToken>();
  readonly #bySession = new Map<string, Set<string>>();
  epoch = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#tokens.size;
  }

  get(token: string): VerifiedToken | undefined {
    return this.#tokens.get(token);
  }

  /** Keeps what was verified since `epoch`, unless something changed in the meantime. */
  keep(token: string, verified: VerifiedToken, epoch: number): void {
    if (epoch !== this.epoch) return;
    if (this.#tokens.size >= this.#limit) this.delete(this.#tokens.keys().next().value as string);
    this.#tokens.set(token, verified);
    const ofSession = this.#bySession.get(verified.sessionId);
    if (ofSession) ofSession.add(token);
    else this.#bySession.set(verified.sessionId, new Set([token]));
  }

  delete(token: string): void {
    const verified = this.#tokens.get(token);
    if (!verified) return;
    this.#tokens.delete(token);
    const ofSession = this.#bySession.get(verified.sessionId);
    ofSession?.delete(token);
    if (ofSession?.size === 0) this.#bySession.delete(verified.sessionId);
  }

  forget({ kind, id }: Change): void {
    this.epoch++;
    if (kind === 'session') {
      for (const token of this.#bySession.get(id) ?? emptySet) this.delete(token);
    } else if (kind === 'user') this.#deleteWhere(({ userId }) => userId === id);
    else if (kind === 'client') this.#deleteWhere(({ clientId }) => clientId === id);
    else if (kind === 'everything') {
      this.#tokens.clear();
      this.#bySession.clear();
    }
  }

  /** Reads through all of it: users and clients change rarely, and an index would cost every token. */
  #deleteWhere(matches: (caller: Caller) => boolean): void {
    for (const [token, { caller }] of this.#tokens) if (matches(caller)) this.delete(token);
  }
}
