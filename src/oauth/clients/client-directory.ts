import { hash, timingSafeEqual } from 'node:crypto';
import type { Context } from '../../database/context.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { findClient, type StoredClient } from './client-store.ts';
import { type AuthenticatedClient, findSecret, isActive } from './secrets/client-secrets.ts';

const maxCachedClients = 10_000;

/** The last valid secret of a cached client, and the client that it authenticates. */
interface LastAuthentication {
  readonly digest: Uint8Array;
  readonly secret: StoredClient['secrets'][number];
  readonly client: AuthenticatedClient;
}

/** Finds the id of a client's secret that another system hashed, and stores the secret in our own hash format. */
export type FindImportedSecret = (client: StoredClient, secret: string) => Promise<string | undefined>;

/** Finds clients. Uses its cache only while it receives all invalidations. */
export class ClientDirectory {
  readonly #context: Context;
  readonly #keys: KeyRing;
  readonly #findImportedSecret: FindImportedSecret | undefined;
  readonly #clients = new BoundedMap<string, StoredClient>(maxCachedClients);
  /** A plain hash costs a fraction of the MAC. */
  readonly #authentications = new WeakMap<StoredClient, LastAuthentication>();
  /** Counts changes, so that a concurrent read is not cached. */
  #epoch = 0;

  constructor(context: Context, keys: KeyRing, findImported?: FindImportedSecret) {
    this.#context = context;
    this.#keys = keys;
    this.#findImportedSecret = findImported;
    context.database.bus.subscribe(({ kind, id }) => {
      if (kind === 'everything') this.#clients.clear();
      else if (kind === 'client') this.#clients.delete(id);
      else if (kind === 'user') this.#forgetClientsOf(id);
      else return;
      this.#epoch++;
    });
    // Without its key, the hash of a secret is invalid.
    keys.onChange(() => this.#clients.clear());
  }

  async find(id: string): Promise<StoredClient | undefined> {
    const { db, bus } = this.#context.database;
    const isCacheUsable = bus.isCacheUsable();
    const cached = isCacheUsable ? this.#clients.get(id) : undefined;
    if (cached) return cached;
    const epoch = this.#epoch;
    const client = await findClient(db, id);
    if (client && isCacheUsable && epoch === this.#epoch) this.#clients.set(id, client);
    return client;
  }

  /** The client, if the secret is valid. A public client has no secret and sends none. */
  async authenticate(id: string, secret: string | undefined): Promise<AuthenticatedClient | undefined> {
    await this.#keys.ensureCurrent();
    const client = await this.find(id);
    if (client?.public) return secret ? undefined : client;
    if (!client || secret === undefined || client.token_endpoint_auth_method === 'private_key_jwt') return undefined;
    const authenticated = this.#authenticateByOwnHash(client, secret);
    if (authenticated) return authenticated;
    const importedSecretId = await this.#findImportedSecret?.(client, secret);
    if (importedSecretId === undefined) return undefined;
    // From now on, the secret is stored in our own hash format, unless an end was set for it.
    const renewed = await this.find(id);
    return renewed && (this.#authenticateByOwnHash(renewed, secret) ?? { ...renewed, secretId: importedSecretId });
  }

  #authenticateByOwnHash(client: StoredClient, value: string): AuthenticatedClient | undefined {
    const now = this.#context.now();
    // `hash(…, 'buffer')` allocates memory outside of the heap, which takes longer than the hash.
    const digest = Buffer.from(hash('sha256', value, 'latin1'), 'latin1');
    const last = this.#authentications.get(client);
    if (last && isActive(last.secret, now) && timingSafeEqual(last.digest, digest)) return last.client;
    const secret = findSecret(this.#keys, client, value, now);
    if (!secret) return undefined;
    const authenticated = { ...client, secretId: secret.id };
    this.#authentications.set(client, { digest: Uint8Array.from(digest), secret, client: authenticated });
    return authenticated;
  }

  /** A user's clients are deleted with the user. */
  #forgetClientsOf(userId: string): void {
    for (const client of this.#clients.values()) if (client.userId === userId) this.#clients.delete(client.id);
  }
}
