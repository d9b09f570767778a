import type { Invalidate } from '../bus.ts';
import type { Context } from '../context.ts';
import type { Db, Tx } from '../database.ts';
import { underMigrationLock } from '../migration-lock.ts';
import { allKeys, insertKey, type KeyRow, readIssuers, readKeys, rememberIssuer, replaceSealed } from './key-store.ts';
import { MacKeys } from './mac-keys.ts';
import { makeIdTokenKey, makeMacKey, makeSigningKey } from './make-keys.ts';
import { makeNewKeys, type NewKeys, storeNewKeys } from './replace-keys.ts';
import { createSealing, type Sealing } from './sealing.ts';
import type { PublicJwk } from './signing.ts';
import { type ClaimsToSign, type KeyInfo, SigningKeys, type SignOptions, type Verified } from './signing-keys.ts';

export const jwksMaxAge = 300;

/** The server's keys: pairs that sign tokens, and symmetric ones from which MACs for every purpose derive. */
export class KeyRing {
  readonly #context: Context;
  readonly #sealing: Sealing;
  readonly #signing: SigningKeys;
  readonly #macs = new MacKeys();
  #issuers: ReadonlySet<string> = new Set();
  readonly #changeListeners: (() => void)[] = [];
  readonly #replacedListeners: (() => void)[] = [];
  /** How often others said that the keys may have changed, and what of it the keys at hand know. */
  #told = 0;
  #heeded = 0;
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #loadedAt = 0;
  /** Counts how often keys were taken out of use at once: what was judged by them before is worth nothing after it. */
  epoch = 0;

  constructor(context: Context, sealing: Sealing) {
    this.#context = context;
    this.#sealing = sealing;
    this.#signing = new SigningKeys(() => context.now());
    context.database.beforeCommit?.(() => this.#signing.handOver());
    context.database.bus.subscribe(({ kind }) => {
      if (kind !== 'keys' && kind !== 'everything') return undefined;
      this.#told++;
      return this.#readAtOnce();
    });
  }

  /** ColumnNameOf when other keys are in use than before: what was verified with the earlier ones may be wrong now. */
  onChange(listener: () => void): void {
    this.#changeListeners.push(listener);
  }

  /** ColumnNameOf when keys went before their time: what they made has to be made again. */
  onReplaced(listener: () => void): void {
    this.#replacedListeners.push(listener);
  }

  /**
   * To be waited for before anything is judged by the keys: undefined where those at hand are the database's. Nothing is
   * answered by keys that may have been voided, however short the while.
   */
  ensureCurrent(): Promise<void> | undefined {
    // Asked first: it may find that another process changed something, and have the keys read.
    const usable = this.#context.database.bus.cacheUsable();
    return usable && this.#told === this.#heeded ? undefined : this.reload();
  }

  /** Reads the keys; all who ask while a reading is under way share the one that starts after it. */
  reload(): Promise<void> {
    this.#next ??= this.#readAfter(this.#reading);
    return this.#next;
  }

  async #readAfter(before: Promise<void> | undefined): Promise<void> {
    await before?.catch(() => undefined);
    const { database } = this.#context;
    const reading = this.#next;
    this.#reading = reading;
    this.#next = undefined;
    const told = this.#told;
    try {
      const [rows, issuers] = await Promise.all([readKeys(database), readIssuers(database)]);
      this.#take(rows, issuers, told);
    } finally {
      if (this.#reading === reading) this.#reading = undefined;
    }
  }

  /** On SQLite before anybody can ask, elsewhere soon. A failure leaves them unheeded, so that whoever needs them tries again. */
  #readAtOnce(): Promise<void> | undefined {
    const { database, log } = this.#context;
    const failed = (error: unknown) => log.error({ err: error }, 'the keys could not be read again');
    // Asked twice at once, it is read once.
    if (database.engine === 'postgres') return this.reload().catch(failed);
    try {
      const [rows, issuers] = [readKeys(database), readIssuers(database)];
      if (rows instanceof Promise || issuers instanceof Promise) return this.reload().catch(failed);
      this.#take(rows, issuers, this.#told);
    } catch (error) {
      failed(error);
    }
    return undefined;
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
    if (this.#next ?? this.#reading) await (this.#next ?? this.#reading);
    else if (Math.abs(this.#context.now() - this.#loadedAt) >= 1000) await this.reload();
  }

  /** HMAC-SHA256 in base64url. A MAC made for one purpose is worth nothing for another. */
  mac(purpose: string, data: string): string {
    return this.#macs.mac(purpose, data, this.#context.now());
  }

  /** What each key that counts makes of it, the current one's first: for what is found by its MAC. */
  macs(purpose: string, data: string): string[] {
    return this.#macs.macs(purpose, data, this.#context.now());
  }

  /** Whether one of the keys that count made it, or the one that is named, however old. */
  matches(purpose: string, data: string, mac: string, keyId: string | null = null): boolean {
    return this.#macs.matches(purpose, data, mac, keyId ?? this.#context.now());
  }

  /** The key that makes MACs now, for what is stored longer than a key counts. */
  macKeyId(): string {
    return this.#macs.currentId(this.#context.now());
  }

  /** Under one key, however old; undefined when it is gone. */
  macUnder(keyId: string, purpose: string, data: string): string | undefined {
    return this.#macs.macUnder(keyId, purpose, data);
  }

  /** For what lies in the database and may be a secret. `label` is bound to it. */
  seal(content: string, label: string): string {
    return this.#sealing.seal(Buffer.from(content), label);
  }

  /** Throws where another secret sealed it, or under another label. */
  unseal(sealed: string, label: string): string {
    return this.#sealing.open(sealed, label).content.toString();
  }

  signToken(claims: ClaimsToSign, options: SignOptions): string {
    return this.#signing.sign(claims, options);
  }

  /** The same together with what else is to be signed at the moment. */
  signTokenInWorker(claims: ClaimsToSign, options: SignOptions): Promise<string> {
    return this.#signing.signInWorker(claims, options);
  }

  /** The algorithms that ID tokens can be signed with now. */
  idTokenAlgorithms(): readonly string[] {
    return this.#signing.algorithms();
  }

  /** `retired`: by a key out of use as well, as long as it is kept. */
  verifyToken(token: string, { typ, retired }: { typ: string; retired?: boolean }): Verified {
    return this.#signing.verify(token, { typ, retired: retired ?? false });
  }

  /** The JWK set: also keys that do not sign yet, and those whose signatures are still about. */
  jwks(): { keys: PublicJwk[] } {
    return this.#signing.jwks();
  }

  list(): KeyInfo[] {
    return this.#signing.list();
  }

  /**
   * New keys, to be stored. They are published, make and sign when everybody had time to learn them, and the others retire
   * when all they made has expired: nobody is signed out. `compromised` does it all at once, and what the old keys made ends.
   */
  makeNew({ compromised }: { compromised: boolean }): Promise<NewKeys> {
    return makeNewKeys(this.#context, this.#sealing, compromised);
  }

  storeNew(tx: Tx, invalidate: Invalidate, keys: NewKeys): Promise<void> {
    return storeNewKeys(this.#context, tx, invalidate, keys);
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
      if (!rows.some(({ purpose, signs }) => purpose === 'sign' && signs === null))
        await insertKey(tx, await makeSigningKey(this.#sealing, config.signingAlgorithm, { now: at, signsFrom: at }));
      if (!rows.some(({ signs }) => signs === 'id_token'))
        await insertKey(tx, await makeIdTokenKey(this.#sealing, { now: at, signsFrom: at }));
      if (!rows.some(({ purpose }) => purpose === 'mac'))
        await insertKey(tx, makeMacKey(this.#sealing, { now: at, signsFrom: at }));
      for (const { id, sealed_private } of rows) {
        const { content, isCurrent } = this.#sealing.open(sealed_private, id);
        if (!isCurrent) await replaceSealed(tx, id, this.#sealing.seal(content, id));
      }
    });
  }

  /** Ends the threads that sign. */
  close(): Promise<void> {
    return this.#signing.close();
  }

  #take(rows: readonly KeyRow[], issuers: readonly { url: string }[], told: number): void {
    // A reading that began earlier may end later.
    if (told < this.#heeded) return;
    const open = ({ id, sealed_private }: KeyRow) => this.#sealing.open(sealed_private, id).content;
    const [before, now] = [this.#signing.rows, this.#context.now()];
    const of = (kind: KeyRow['purpose']) => rows.filter(({ purpose }) => purpose === kind);
    this.#signing.take(of('sign'), open);
    this.#macs.take(of('mac'), open);
    this.#issuers = new Set(issuers.map(({ url }) => url));
    this.#loadedAt = now;
    this.#heeded = told;
    const ids = new Set(rows.map(({ id }) => id));
    const isReplaced = before.some(({ id, retires_at }) => !ids.has(id) && (retires_at === null || retires_at > now));
    if (isReplaced) this.epoch++;
    if (endsOf(this.#signing.rows) !== endsOf(before)) for (const listener of this.#changeListeners) listener();
    if (isReplaced) for (const listener of this.#replacedListeners) listener();
  }
}

const endsOf = (keys: readonly KeyRow[]): string => keys.map(({ id, retires_at }) => `${id} ${retires_at}`).join();

/** What the keys of a database are, without making any. Throws where they cannot be opened. */
export async function listKeys({ config, now }: Pick<Context, 'config' | 'now'>, db: Db): Promise<KeyInfo[]> {
  const sealing = createSealing(config, { make: false });
  const rows = await allKeys(db);
  const signing = new SigningKeys(now);
  for (const { id, sealed_private } of rows) sealing.open(sealed_private, id);
  signing.take(
    rows.filter(({ purpose }) => purpose === 'sign'),
    ({ id, sealed_private }) => sealing.open(sealed_private, id).content,
  );
  return signing.list();
}

/** Opens the keys of the database, making them at the first start. */
export async function openKeyRing(context: Context): Promise<KeyRing> {
  const keys = new KeyRing(context, createSealing(context.config));
  await keys.makeMissing();
  await keys.reload();
  return keys;
}
