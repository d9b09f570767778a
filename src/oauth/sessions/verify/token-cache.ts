import type { Invalidation } from '../../../database/bus.ts';
import { BoundedMap } from '../../../platform/bounded-map.ts';
import type { Caller } from '../../../platform/caller.ts';
import type { AccessTokenClaims } from '../tokens/access-token.ts';

/** A valid token and its caller. */
export interface VerifiedToken {
  readonly caller: Caller;
  readonly sessionId: string;
  readonly expiresAt: number;
  /** The paths of this service's resources in the token's audience. */
  readonly paths: readonly string[];
  /** The key whose possession the holder must prove. Undefined for a bearer token. */
  readonly jkt?: string | undefined;
}

interface CachedToken extends VerifiedToken {
  readonly token: string;
}

const emptySet: ReadonlySet<number> = new Set();

/** A hash of the token's end, which is a part of the signature. V8 would hash the whole token. `get` compares the whole token. */
function keyOf(token: string): number {
  let key = 0;
  for (let i = Math.max(0, token.length - 8); i < token.length; i++) key = (key * 31 + token.charCodeAt(i)) | 0;
  return key;
}

/**
 * Caches the caller of a token whose session was checked, and the claims of a token whose signature was checked.
 * It evicts the oldest entries first. Every change that could make an entry wrong calls `invalidate`. `epoch` counts those
 * changes, so that the result of a check that ran at the same time is not cached.
 */
export class TokenCache {
  readonly #claims: BoundedMap<string, AccessTokenClaims>;
  readonly #tokens: BoundedMap<number, CachedToken>;
  /** Keys of `#tokens`. */
  readonly #bySession = new Map<string, Set<number>>();
  epoch = 0;

  constructor(limit = 50_000, claimsLimit = 10_000) {
    this.#tokens = new BoundedMap(limit, (key) => this.#delete(key));
    this.#claims = new BoundedMap(claimsLimit);
  }

  get size(): number {
    return this.#tokens.size;
  }

  get(token: string): VerifiedToken | undefined {
    const cached = this.#tokens.get(keyOf(token));
    return cached?.token === token ? cached : undefined;
  }

  /** Caches a token that was verified since `epoch`, unless there was an invalidation in the meantime. */
  set(token: string, verified: VerifiedToken, epoch: number): void {
    if (epoch !== this.epoch) return;
    const key = keyOf(token);
    // Two tokens may have the same key.
    this.#delete(key);
    this.#tokens.set(key, { ...verified, token });
    const ofSession = this.#bySession.get(verified.sessionId);
    if (ofSession) ofSession.add(key);
    else this.#bySession.set(verified.sessionId, new Set([key]));
  }

  /** The claims of a token. Its session may have ended. */
  claimsOf(token: string): AccessTokenClaims | undefined {
    return this.#claims.get(token);
  }

  setClaims(token: string, claims: AccessTokenClaims, epoch: number): void {
    if (epoch !== this.epoch) return;
    this.#claims.set(token, claims);
  }

  delete(token: string): void {
    this.#delete(keyOf(token));
  }

  #delete(key: number): void {
    const cached = this.#tokens.get(key);
    if (!cached) return;
    this.#tokens.delete(key);
    const ofSession = this.#bySession.get(cached.sessionId);
    ofSession?.delete(key);
    if (ofSession?.size === 0) this.#bySession.delete(cached.sessionId);
  }

  invalidate({ kind, id }: Invalidation): void {
    this.epoch++;
    if (kind === 'session') {
      for (const key of this.#bySession.get(id) ?? emptySet) this.#delete(key);
    } else if (kind === 'user') this.#deleteWhere(({ userId }) => userId === id);
    else if (kind === 'client') this.#deleteWhere(({ clientId }) => clientId === id);
    else {
      // For `keys` and for everything.
      this.#claims.clear();
      this.#tokens.clear();
      this.#bySession.clear();
    }
  }

  /** Scans all entries: users and clients change rarely, and an index would add work for every token. */
  #deleteWhere(matches: (caller: Caller) => boolean): void {
    for (const [key, { caller }] of this.#tokens) if (matches(caller)) this.#delete(key);
  }
}
