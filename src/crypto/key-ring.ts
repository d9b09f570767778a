import { createHmac, createPrivateKey, createPublicKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Context } from '../context.ts';
import { changeAndTell } from '../database/bus.ts';
import { underMigrationLock } from '../database/migrate.ts';
import { BatchSigner } from './batch-signer.ts';
import { Hmac } from './hmac.ts';
import { decodePart, encodePart } from './jws-parts.ts';
import {
  allIssuers,
  allKeys,
  deleteRetired,
  insertKey,
  type KeyRow,
  lastPersonalExpiry,
  rememberIssuer,
  replaceSealed,
  retireOthers,
} from './key-store.ts';
import { makeMacKey, makeSigningKey } from './make-keys.ts';
import { createSealing, type Sealing } from './sealing.ts';
import { type PublicJwk, signJws, type Unsigned, verifyWith } from './signing.ts';

export type Claims = Readonly<Record<string, unknown>>;

export interface KeyInfo {
  readonly id: string;
  readonly algorithm: string;
  readonly state: 'published' | 'signing' | 'retiring';
  readonly createdAt: number;
  readonly signsFrom: number;
  readonly retiresAt: number | null;
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

/**
 * How long a new key is published before it signs: resource servers that keep the key set for as long as its
 * Cache-Control allows have learnt it by then.
 */
export const publishedFirst = 10 * 60_000;
export const jwksMaxAge = 300;
const clockTolerance = 60_000;

/** The server's keys: pairs that sign tokens, and one symmetric key from which MACs for every purpose derive. */
export class KeyRing {
  readonly #context: Context;
  readonly #sealing: Sealing;
  #signing: readonly SigningKey[] = [];
  /** Newest first, by id. */
  #macKeys: ReadonlyMap<string, Buffer> = new Map();
  #issuers: ReadonlySet<string> = new Set();
  /** Keys derived for a purpose, newest first. */
  #purposes = new Map<string, readonly Hmac[]>();
  readonly #listeners: (() => void)[] = [];
  #loading: Promise<void> | undefined;
  #loadedAt = 0;

  constructor(context: Context, sealing: Sealing) {
    this.#context = context;
    this.#sealing = sealing;
    context.database.bus.subscribe(({ kind }) => {
      if (kind !== 'keys' && kind !== 'everything') return undefined;
      return this.reload().catch((error) => context.log.error({ err: error }, 'the keys could not be read again'));
    });
  }

  /** Called when other keys are in use than before: what was verified with the earlier ones may be wrong now. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Reads the keys; whoever asks while a reading is under way gets one that starts after it. */
  async reload(): Promise<void> {
    const before = this.#loading;
    const loading = (async () => {
      await before?.catch(() => undefined);
      const { db } = this.#context.database;
      this.#issuers = new Set(await allIssuers(db));
      this.#take(await allKeys(db));
    })();
    this.#loading = loading;
    await loading.finally(() => {
      if (this.#loading === loading) this.#loading = undefined;
    });
  }

  /**
   * Whether an instance of this database is, or was, reached under that address: instances may listen on several, and
   * a service that moves to another one signs nobody out.
   */
  isOwnIssuer(url: unknown): boolean {
    return this.#issuers.has(url as string);
  }

  /** After a token named an unknown key or issuer: another instance may have made it just now. At most one query a second. */
  async reloadIfOld(): Promise<void> {
    if (this.#loading) await this.#loading;
    else if (Math.abs(this.#context.now() - this.#loadedAt) >= 1000) await this.reload();
  }

  /** HMAC-SHA256 in base64url. A MAC made for one purpose is worth nothing for another. */
  mac(purpose: string, data: string): string {
    return (this.#keysFor(purpose)[0] as Hmac).of(data);
  }

  /** Takes the same time whether the first or the last character differs. */
  matches(purpose: string, data: string, mac: string): boolean {
    const given = Buffer.from(mac);
    return this.#keysFor(purpose).some((key) => {
      const right = Buffer.from(key.of(data));
      return given.length === right.length && timingSafeEqual(given, right);
    });
  }

  /** A compact JWS of the claims, signed by the current key. */
  signToken(claims: Claims, { typ }: { typ: string }): string {
    const key = this.#current();
    return signJws(key.row.algorithm, key.privateKey, unsignedToken(key, claims, typ));
  }

  /** The same together with what else is to be signed at the moment. */
  signTokenAside(claims: Claims, { typ }: { typ: string }): Promise<string> {
    const key = this.#current();
    return key.signer.sign(unsignedToken(key, claims, typ));
  }

  /**
   * The claims of a token that one of our keys signed with that key's own algorithm (`alg: none` and any other way to
   * choose a check never come up). What the claims say is the caller's to judge.
   */
  verifyToken(token: string, { typ }: { typ: string }): Claims | 'invalid' | 'unknown-key' {
    const parts = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token);
    if (!parts) return 'invalid';
    const [, head, body, signature] = parts as unknown as [string, string, string, string];
    const header = decodePart(head);
    if (!header || header.typ !== typ || 'crit' in header) return 'invalid';
    const key = this.#usable().find(({ row }) => row.id === header.kid);
    if (!key) return typeof header.kid === 'string' ? 'unknown-key' : 'invalid';
    if (header.alg !== key.row.algorithm) return 'invalid';
    if (!verifyWith(key.row.algorithm, key.publicKey, `${head}.${body}`, signature)) return 'invalid';
    return decodePart(body) ?? 'invalid';
  }

  /** The JWK set: also keys that do not sign yet, and those whose signatures are still about. */
  jwks(): { keys: PublicJwk[] } {
    return { keys: this.#usable().map(({ jwk }) => jwk) };
  }

  list(): KeyInfo[] {
    const signer = this.#current();
    const now = this.#context.now();
    return this.#usable().map((key) => ({
      id: key.row.id,
      algorithm: key.row.algorithm,
      state: key === signer ? 'signing' : key.row.signs_from > now ? 'published' : 'retiring',
      createdAt: key.row.created_at,
      signsFrom: key.row.signs_from,
      retiresAt: key.row.retires_at,
    }));
  }

  /**
   * Publishes a new key, lets it sign when everybody had time to learn it, and retires the others when all they signed
   * has expired: nobody is signed out. `compromised` does it all at once, and what the old keys signed ends.
   */
  async rotate({ compromised = false } = {}): Promise<KeyInfo> {
    const { config, database, now } = this.#context;
    const at = now();
    const signsFrom = compromised ? at : at + publishedFirst;
    const row = await makeSigningKey(this.#sealing, config.signingAlgorithm, { now: at, signsFrom });
    await changeAndTell(database, async (tx, tell) => {
      await insertKey(tx, row);
      const lives = Math.max(config.accessTokenTtl, config.personalTokenTtl) * 1000;
      const last = Math.max(signsFrom + lives, await lastPersonalExpiry(tx)) + clockTolerance;
      await retireOthers(tx, row.id, compromised ? at : last);
      await deleteRetired(tx, at);
      tell({ kind: 'keys', id: row.id });
      if (compromised) tell({ kind: 'everything', id: '' });
    });
    await this.reload();
    return this.list().find(({ id }) => id === row.id) as KeyInfo;
  }

  /**
   * At start: makes what is missing, and seals anew what an earlier secret sealed. Instances that start together queue
   * for the lock, and the first one does it.
   */
  async makeMissing(): Promise<void> {
    const { config, database, now } = this.#context;
    const at = now();
    await underMigrationLock(database, async (tx) => {
      await rememberIssuer(tx, config.baseUrl, at);
      const rows = await allKeys(tx);
      if (!rows.some(({ purpose }) => purpose === 'sign'))
        await insertKey(tx, await makeSigningKey(this.#sealing, config.signingAlgorithm, { now: at, signsFrom: at }));
      if (!rows.some(({ purpose }) => purpose === 'mac')) await insertKey(tx, makeMacKey(this.#sealing, at));
      for (const { id, sealed_private } of rows) {
        const { content, isCurrent } = this.#sealing.open(sealed_private, id);
        if (!isCurrent) await replaceSealed(tx, id, this.#sealing.seal(content, id));
      }
    });
  }

  #take(rows: readonly KeyRow[]): void {
    const endsOf = (keys: readonly KeyRow[]) => keys.map(({ id, retires_at }) => `${id} ${retires_at}`).join();
    const before = endsOf(this.#signing.map(({ row }) => row));
    const known = new Map(this.#signing.map((key) => [key.row.id, key]));
    this.#signing = rows
      .filter(({ purpose }) => purpose === 'sign')
      .map((row) => {
        const same = known.get(row.id);
        if (same) return { ...same, row };
        const { content } = this.#sealing.open(row.sealed_private, row.id);
        const privateKey = createPrivateKey({ key: content, format: 'der', type: 'pkcs8' });
        const jwk = JSON.parse(row.public_jwk as string) as PublicJwk;
        const signer = new BatchSigner(row.algorithm, privateKey);
        return { row, privateKey, publicKey: createPublicKey(privateKey), jwk, headers: new Map(), signer };
      });
    const knownMacs = this.#macKeys;
    this.#macKeys = new Map(
      rows
        .filter(({ purpose }) => purpose === 'mac')
        .map(({ id, sealed_private }) => [id, knownMacs.get(id) ?? this.#sealing.open(sealed_private, id).content]),
    );
    this.#purposes = new Map();
    this.#loadedAt = this.#context.now();
    if (endsOf(this.#signing.map(({ row }) => row)) !== before) for (const listener of this.#listeners) listener();
  }

  #usable(): readonly SigningKey[] {
    const now = this.#context.now();
    return this.#signing.filter(({ row }) => row.retires_at === null || row.retires_at > now);
  }

  /** Rows come newest first. */
  #current(): SigningKey {
    const now = this.#context.now();
    const key = this.#signing.find(
      ({ row }) => row.signs_from <= now && (row.retires_at === null || row.retires_at > now),
    );
    // Only a clock that went far back leaves none: the oldest is then the one that everybody knows.
    const signer = key ?? this.#signing.at(-1);
    if (!signer) throw new Error('there is no signing key');
    return signer;
  }

  #keysFor(purpose: string): readonly Hmac[] {
    let keys = this.#purposes.get(purpose);
    if (!keys) {
      keys = [...this.#macKeys.values()].map((key) => new Hmac(createHmac('sha256', key).update(purpose).digest()));
      this.#purposes.set(purpose, keys);
    }
    return keys;
  }
}

function unsignedToken({ headers, row }: SigningKey, claims: Claims, typ: string): Unsigned {
  let header = headers.get(typ);
  if (!header) {
    header = encodePart(JSON.stringify({ alg: row.algorithm, typ, kid: row.id }));
    headers.set(typ, header);
  }
  return `${header}.${JSON.stringify(claims)}`;
}

/** Opens the keys of the database, making them at the first start. */
export async function openKeyRing(context: Context): Promise<KeyRing> {
  const keys = new KeyRing(context, createSealing(context.config));
  await keys.makeMissing();
  await keys.reload();
  return keys;
}
