import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Context } from '../../../src/database/context.ts';
import type { Db, Tx } from '../../../src/database/database.ts';
import { legacyLabel } from '../../../src/database/keys/sealed-columns.ts';
import { createSealing, type Sealing } from '../../../src/database/keys/sealing.ts';
import { parseJson } from '../../../src/platform/json-text.ts';
import { type LegacyKeyRow, readLegacyKeys, storeLegacyKey } from './legacy-token-store.ts';

/** The settings of hashed ids. */
interface HashedIds {
  readonly salt: string;
  /** Undefined if the old service used the default. */
  readonly length: number | undefined;
}

/** The keys that verify and decrypt tokens of the old service. */
interface LegacyKeySet {
  readonly publicKey: KeyObject | undefined;
  readonly appKey: Buffer | undefined;
  readonly ids: HashedIds | undefined;
}

type Content = { id: LegacyKeyRow['id']; content: Buffer };

/** The keys of the old service. The database stores them encrypted. */
export class LegacyKeys {
  readonly #context: Context;
  #sealing: Sealing | undefined;
  #cached: LegacyKeySet | undefined;
  #epoch = 0;

  constructor(context: Context) {
    this.#context = context;
    context.database.bus.subscribe(({ kind }) => {
      if (kind !== 'keys' && kind !== 'everything') return;
      this.#cached = undefined;
      this.#epoch++;
    });
  }

  async current(): Promise<LegacyKeySet> {
    const { database } = this.#context;
    const isCacheUsable = database.bus.isCacheUsable();
    if (isCacheUsable && this.#cached) return this.#cached;
    const epoch = this.#epoch;
    const contents = await this.#read(database.db);
    const contentOf = (id: LegacyKeyRow['id']) => contents.find((entry) => entry.id === id)?.content;
    const [pem, ids] = [contentOf('public'), contentOf('ids')];
    const keySet = {
      publicKey: pem && createPublicKey(pem),
      appKey: contentOf('app'),
      ids: ids && parseJson<HashedIds>(ids.toString()),
    };
    if (isCacheUsable && epoch === this.#epoch) this.#cached = keySet;
    return keySet;
  }

  async store(tx: Tx, id: LegacyKeyRow['id'], content: Buffer): Promise<void> {
    const sealed = this.#seal().seal(content, legacyLabel(id));
    await storeLegacyKey(tx, { id, sealed, created_at: this.#context.now() });
  }

  async #read(db: Db): Promise<Content[]> {
    const rows = await readLegacyKeys(db);
    return rows.map(({ id, sealed }) => ({ id, content: this.#seal().open(sealed, legacyLabel(id)).content }));
  }

  #seal(): Sealing {
    this.#sealing ??= createSealing(this.#context.config);
    return this.#sealing;
  }
}
