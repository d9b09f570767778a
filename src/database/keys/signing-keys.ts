import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { getOrCreate } from '../../platform/get-or-create.ts';
import { parseJson } from '../../platform/json-text.ts';
import { BatchSigner } from './batch-signer.ts';
import { decodePart, encodePart } from './jws-parts.ts';
import type { KeyRow } from './key-store.ts';
import { idTokenAlgorithm } from './make-keys.ts';
import { type PublicJwk, signJws, type Unsigned, verifyWith } from './signing.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Claims, or a function that creates them for the signing algorithm. */
export type ClaimsToSign = Claims | ((algorithm: string) => Claims);

export type Verified = Claims | 'invalid' | 'unknown-key';

export interface SignOptions {
  readonly typ: string;
  /** The algorithm of an ID token or a similar token. Default: the key that signs access tokens. */
  readonly algorithm?: string | undefined;
}

interface SigningKey {
  readonly row: KeyRow;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: PublicJwk;
  /** The JOSE header in base64url, by `typ`. */
  readonly headers: Map<string, string>;
  readonly signer: BatchSigner;
}

/** The key pairs that sign tokens: one for access tokens, one for ID tokens. Older and future keys are published and verify. */
export class SigningKeys {
  readonly #now: () => number;
  /** Newest first. */
  #keys: readonly SigningKey[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  get rows(): KeyRow[] {
    return this.#keys.map(({ row }) => row);
  }

  load(rows: readonly KeyRow[], open: (row: KeyRow) => Buffer): void {
    const loadedKeys = new Map(this.#keys.map((key) => [key.row.id, key]));
    this.#keys = rows.map((row) => {
      const loadedKey = loadedKeys.get(row.id);
      loadedKeys.delete(row.id);
      return loadedKey ? { ...loadedKey, row } : loadSigningKey(row, open(row));
    });
    // Closes the signers of removed keys, so that no thread keeps a removed key.
    for (const { signer } of loadedKeys.values()) void signer.close();
  }

  sign(claims: ClaimsToSign, { typ, algorithm }: SignOptions): string {
    const key = this.#signer(algorithm);
    return signJws(key.row.algorithm, key.privateKey, unsignedToken(key, claims, typ));
  }

  signOnThread(claims: ClaimsToSign, { typ, algorithm }: SignOptions): Promise<string> {
    const key = this.#signer(algorithm);
    return key.signer.sign(unsignedToken(key, claims, typ));
  }

  /** Starts signing in the worker thread while this thread does other work. */
  flushToThread(): void {
    for (const { signer } of this.#keys) signer.flushToThread();
  }

  /** Verifies a signature with the algorithm of our key, never of the token. It does not check claims. */
  verify(token: string, { typ, includeRetired = false }: { typ: string; includeRetired?: boolean }): Verified {
    const parts = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token);
    if (!parts) return 'invalid';
    const [, encodedHeader = '', encodedPayload = '', signature = ''] = parts;
    const header = decodePart(encodedHeader);
    if (!header || header.typ !== typ || 'crit' in header) return 'invalid';
    const key = (includeRetired ? this.#keys : this.#usable()).find(({ row }) => row.id === header.kid);
    if (!key) return typeof header.kid === 'string' ? 'unknown-key' : 'invalid';
    if (header.alg !== key.row.algorithm) return 'invalid';
    if (!verifyWith(key.row.algorithm, key.publicKey, `${encodedHeader}.${encodedPayload}`, signature))
      return 'invalid';
    return decodePart(encodedPayload) ?? 'invalid';
  }

  /** The JWK set. It includes keys that do not sign yet, and former keys whose tokens are still valid. */
  jwks(): { keys: PublicJwk[] } {
    return { keys: this.#usable().map(({ jwk }) => jwk) };
  }

  list() {
    const signers = [this.#current(null), this.#current('id_token')];
    const now = this.#now();
    return this.#usable().map((key) => ({
      id: key.row.id,
      signs: key.row.signs ?? 'access_token',
      algorithm: key.row.algorithm,
      state: signers.includes(key) ? 'signing' : key.row.signs_from > now ? 'published' : 'retiring',
      createdAt: key.row.created_at,
      signsFrom: key.row.signs_from,
      retiresAt: key.row.retires_at,
    }));
  }

  async close(): Promise<void> {
    await Promise.all(this.#keys.map(({ signer }) => signer.close()));
  }

  #usable(): readonly SigningKey[] {
    const now = this.#now();
    return this.#keys.filter(({ row }) => row.retires_at === null || row.retires_at > now);
  }

  algorithms(): readonly string[] {
    return [...new Set([this.#current('id_token'), this.#current(null)].map(({ row }) => row.algorithm))];
  }

  /** The key for an algorithm. If no key signs with it any more, the key for ID tokens. */
  #signer(algorithm: string | undefined): SigningKey {
    const accessTokenKey = this.#current(null);
    if (algorithm === undefined) return accessTokenKey;
    const isAccessTokenAlgorithm = algorithm !== idTokenAlgorithm && accessTokenKey.row.algorithm === algorithm;
    return isAccessTokenAlgorithm ? accessTokenKey : this.#current('id_token');
  }

  #current(signs: KeyRow['signs']): SigningKey {
    const now = this.#now();
    const keys = this.#keys.filter(({ row }) => row.signs === signs);
    const key = keys.find(({ row }) => row.signs_from <= now && (row.retires_at === null || row.retires_at > now));
    // No key has started yet only if this machine's clock is slow. The oldest key is known everywhere.
    const signer = key ?? keys.at(-1);
    if (!signer) throw new Error('there is no signing key');
    return signer;
  }
}

function loadSigningKey(row: KeyRow, content: Buffer): SigningKey {
  const privateKey = createPrivateKey({ key: content, format: 'der', type: 'pkcs8' });
  if (row.public_jwk === null) throw new Error(`the signing key ${row.id} has no public key`);
  const jwk = parseJson(row.public_jwk);
  const signer = new BatchSigner(row.algorithm, privateKey);
  return { row, privateKey, publicKey: createPublicKey(privateKey), jwk, headers: new Map(), signer };
}

function unsignedToken({ headers, row }: SigningKey, claims: ClaimsToSign, typ: string): Unsigned {
  const header = getOrCreate(headers, typ, () => encodePart(JSON.stringify({ alg: row.algorithm, typ, kid: row.id })));
  return `${header}.${JSON.stringify(typeof claims === 'function' ? claims(row.algorithm) : claims)}`;
}
