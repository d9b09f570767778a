import type { Context } from '../context.ts';
import type { Db } from '../database.ts';
import { withMigrationLock } from '../locks/migration-lock.ts';
import { allKeys, insertKey, type KeyRow, readIssuers, readKeys, rememberIssuer, replaceSealed } from './key-store.ts';
import { MacKeys } from './mac-keys.ts';
import { createIdTokenKey, createMacKey, createSigningKey } from './make-keys.ts';
import { createSealing, type Sealing } from './sealing.ts';
import { SigningKeys } from './signing-keys.ts';

export const jwksMaxAge = 300;

/** The keys of the server. They are read again when another instance has changed them. */
export class KeyRing {
  readonly #context: Context;
  readonly sealing: Sealing;
  readonly signingKeys: SigningKeys;
  readonly macKeys: MacKeys;
  #issuers: ReadonlySet<string> = new Set();
  readonly #changeListeners: (() => void)[] = [];
  readonly #replacedListeners: (() => void)[] = [];
  /** The number of announced key changes, and how many of them the loaded keys include. */
  #announcedChanges = 0;
  #loadedChanges = 0;
  #reading: Promise<void> | undefined;
  #nextRead: Promise<void> | undefined;
  #loadedAt = 0;
  /** Grows when keys are removed before they retire. Earlier verifications are then invalid. */
  epoch = 0;

  constructor(context: Context, sealing: Sealing) {
    this.#context = context;
    this.sealing = sealing;
    this.signingKeys = new SigningKeys(() => context.now());
    this.macKeys = new MacKeys(() => context.now());
    context.database.beforeCommit?.(() => this.signingKeys.flushToThread());
    context.database.bus.subscribe(({ kind }) => {
      if (kind !== 'keys' && kind !== 'everything') return undefined;
      this.#announcedChanges++;
      return this.#reloadNow();
    });
  }

  /** Calls the listener when the keys change: verified tokens may be invalid now. */
  onChange(listener: () => void): void {
    this.#changeListeners.push(listener);
  }

  /** Calls the listener when keys were removed before they retired. */
  onReplaced(listener: () => void): void {
    this.#replacedListeners.push(listener);
  }

  /** Await it before you use the keys. Undefined if the loaded keys are current. */
  ensureCurrent(): Promise<void> | undefined {
    // First, because it may detect a change of another process.
    const usable = this.#context.database.bus.isCacheUsable();
    return usable && this.#announcedChanges === this.#loadedChanges ? undefined : this.reload();
  }

  /** Reads the keys. Calls during a read share the next one. */
  reload(): Promise<void> {
    this.#nextRead ??= this.#readAfter(this.#reading);
    return this.#nextRead;
  }

  async #readAfter(previousRead: Promise<void> | undefined): Promise<void> {
    await previousRead?.catch(() => undefined);
    const { database } = this.#context;
    const reading = this.#nextRead;
    this.#reading = reading;
    this.#nextRead = undefined;
    const announcedChanges = this.#announcedChanges;
    try {
      const [rows, issuers] = await Promise.all([readKeys(database), readIssuers(database)]);
      this.#apply(rows, issuers, announcedChanges);
    } finally {
      if (this.#reading === reading) this.#reading = undefined;
    }
  }

  /** On SQLite, keys are read before the next request; on PostgreSQL, soon. After a failure, the next use of a key tries again. */
  #reloadNow(): Promise<void> | undefined {
    const { database, log } = this.#context;
    const logFailure = (error: unknown) => log.error({ err: error }, 'the keys could not be read again');
    if (database.engine === 'postgres') return this.reload().catch(logFailure);
    try {
      const [rows, issuers] = [readKeys(database), readIssuers(database)];
      if (rows instanceof Promise || issuers instanceof Promise) return this.reload().catch(logFailure);
      this.#apply(rows, issuers, this.#announcedChanges);
    } catch (error) {
      logFailure(error);
    }
    return undefined;
  }

  /** Whether this is a current or former BASE_URL of an instance. So a new BASE_URL does not sign anybody out. */
  isOwnIssuer(url: unknown): boolean {
    return typeof url === 'string' && this.#issuers.has(url);
  }

  /** For a token with an unknown key or issuer: another instance may have just created the key. At most one query per second. */
  async reloadIfOld(): Promise<void> {
    if (this.#nextRead ?? this.#reading) await (this.#nextRead ?? this.#reading);
    else if (Math.abs(this.#context.now() - this.#loadedAt) >= 1000) await this.reload();
  }

  /** Encrypts a value for the database. The result can only be decrypted with the same `label`. */
  seal(content: string, label: string): string {
    return this.sealing.seal(Buffer.from(content), label);
  }

  /** Throws if the value was encrypted with another secret or label. */
  unseal(sealed: string, label: string): string {
    return this.sealing.open(sealed, label).content.toString();
  }

  /** At a start: creates missing keys, and encrypts keys again that were encrypted with an earlier secret. */
  async createMissingKeys(): Promise<void> {
    const { config, database, now } = this.#context;
    const at = now();
    await withMigrationLock(database, async (tx) => {
      await rememberIssuer(tx, config.baseUrl, at);
      const rows = await allKeys(tx);
      if (!rows.some(({ purpose, signs }) => purpose === 'sign' && signs === null))
        await insertKey(tx, await createSigningKey(this.sealing, config.signingAlgorithm, { now: at, signsFrom: at }));
      if (!rows.some(({ signs }) => signs === 'id_token'))
        await insertKey(tx, await createIdTokenKey(this.sealing, { now: at, signsFrom: at }));
      if (!rows.some(({ purpose }) => purpose === 'mac'))
        await insertKey(tx, createMacKey(this.sealing, { now: at, signsFrom: at }));
      for (const { id, sealed_private } of rows) {
        const { content, isCurrent } = this.sealing.open(sealed_private, id);
        if (!isCurrent) await replaceSealed(tx, id, this.sealing.seal(content, id));
      }
    });
  }

  #apply(rows: readonly KeyRow[], issuers: readonly { url: string }[], announcedChanges: number): void {
    // A read that began earlier may end later.
    if (announcedChanges < this.#loadedChanges) return;
    const unsealRow = ({ id, sealed_private }: KeyRow) => this.sealing.open(sealed_private, id).content;
    const [previousRows, now] = [this.signingKeys.rows, this.#context.now()];
    const rowsFor = (kind: KeyRow['purpose']) => rows.filter(({ purpose }) => purpose === kind);
    this.signingKeys.load(rowsFor('sign'), unsealRow);
    this.macKeys.load(rowsFor('mac'), unsealRow);
    this.#issuers = new Set(issuers.map(({ url }) => url));
    this.#loadedAt = now;
    this.#loadedChanges = announcedChanges;
    const ids = new Set(rows.map(({ id }) => id));
    const isReplaced = previousRows.some(
      ({ id, retires_at }) => !ids.has(id) && (retires_at === null || retires_at > now),
    );
    if (isReplaced) this.epoch++;
    if (retirementsOf(this.signingKeys.rows) !== retirementsOf(previousRows))
      for (const listener of this.#changeListeners) listener();
    if (isReplaced) for (const listener of this.#replacedListeners) listener();
  }
}

const retirementsOf = (keys: readonly KeyRow[]) => keys.map(({ id, retires_at }) => `${id} ${retires_at}`).join();

/** Lists the keys of a database without creating any. Throws if they cannot be decrypted. */
export async function listKeys({ config, now }: Pick<Context, 'config' | 'now'>, db: Db) {
  const sealing = createSealing(config, { createIfMissing: false });
  const rows = await allKeys(db);
  const signing = new SigningKeys(now);
  for (const { id, sealed_private } of rows) sealing.open(sealed_private, id);
  signing.load(
    rows.filter(({ purpose }) => purpose === 'sign'),
    ({ id, sealed_private }) => sealing.open(sealed_private, id).content,
  );
  return signing.list();
}

export async function openKeyRing(context: Context): Promise<KeyRing> {
  const keys = new KeyRing(context, createSealing(context.config));
  await keys.createMissingKeys();
  await keys.reload();
  return keys;
}
