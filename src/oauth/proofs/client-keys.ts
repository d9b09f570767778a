import type { Context } from '../../database/context.ts';
import { createGuardedFetch, type GuardedFetch } from '../../http/outbound/guarded-fetch.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { asObject } from '../../platform/is-object.ts';
import { checkJwks } from '../clients/check-application.ts';
import type { StoredClient } from '../clients/client-store.ts';
import { algorithmsOf, type ClientJws, isSignedBy, type Jwk } from './client-jws.ts';

const maxAgeMs = 300_000;
/** Keys that do not match, or could not be fetched, are fetched again, at most once in this time. */
const minRefetchIntervalMs = 10_000;
const maxBytes = 65_536;
const maxCachedSets = 1000;

/** If keys cannot be fetched again, the last ones are used until they have this age. */
const maxStaleMs = 3_600_000;

interface CachedKeys {
  readonly keys: readonly Jwk[];
  /** The last successful fetch. */
  readonly fetchedAt: number;
  readonly triedAt: number;
}

/** The public keys of clients: registered (`jwks`), or fetched from the client's address (`jwks_uri`). */
export class ClientKeys {
  readonly #context: Context;
  readonly #fetch: GuardedFetch;
  readonly #cachedSets = new BoundedMap<string, CachedKeys>(maxCachedSets);
  /** One request at a time for each address: anybody can send assertions in the name of a client. */
  readonly #pending = new Map<string, Promise<readonly Jwk[]>>();

  constructor(context: Context) {
    this.#context = context;
    this.#fetch = createGuardedFetch(context.config);
  }

  has({ jwks, jwks_uri }: StoredClient): boolean {
    return jwks !== null || jwks_uri !== null;
  }

  /** Whether one of the client's keys signed this JWS. */
  async isSigned(client: StoredClient, jws: ClientJws): Promise<boolean> {
    const algorithms = algorithmsOf(client);
    const { kid } = jws.header;
    const matches = (keys: readonly Jwk[]) =>
      keys.some((key) => (kid === undefined || key.kid === kid) && isSignedBy(jws, key, algorithms));
    if (client.jwks !== null) return matches(keysIn(client.jwks));
    if (client.jwks_uri === null) return false;
    if (matches(await this.#keysAt(client.jwks_uri, maxAgeMs))) return true;
    return matches(await this.#keysAt(client.jwks_uri, minRefetchIntervalMs));
  }

  async #keysAt(uri: string, maxAge: number): Promise<readonly Jwk[]> {
    const now = this.#context.now();
    const cached = this.#cachedSets.get(uri);
    if (cached && (now - cached.fetchedAt < maxAge || now - cached.triedAt < minRefetchIntervalMs)) return cached.keys;
    const pending = this.#pending.get(uri) ?? this.#fetchKeys(uri, now);
    this.#pending.set(uri, pending);
    return pending;
  }

  async #fetchKeys(uri: string, now: number): Promise<readonly Jwk[]> {
    const fetched = await this.#read(uri);
    const { fetchedAt, keys } = this.#cachedSets.get(uri) ?? { fetchedAt: 0, keys: [] };
    const usable = now - fetchedAt < maxStaleMs ? keys : [];
    const cached = { fetchedAt: fetched ? now : fetchedAt, keys: fetched ?? usable, triedAt: now };
    this.#cachedSets.set(uri, cached);
    this.#pending.delete(uri);
    return cached.keys;
  }

  async #read(uri: string): Promise<readonly Jwk[] | undefined> {
    try {
      const { status, body } = await this.#fetch(uri, { headers: { accept: 'application/json' }, maxBytes });
      const set: unknown = status === 200 ? JSON.parse(body.toString()) : undefined;
      if (checkJwks(set) === undefined) return keysIn(set);
      this.#context.log.info({ uri, status }, 'the keys of a client could not be read');
    } catch (error) {
      this.#context.log.info({ uri, err: error }, 'the keys of a client could not be read');
    }
    return undefined;
  }
}

function keysIn(jwks: unknown): readonly Jwk[] {
  const { keys } = asObject(jwks);
  return Array.isArray(keys) ? keys : [];
}
