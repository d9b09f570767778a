import { Batcher } from '../../../platform/batcher.ts';
import type { KeyColumn } from '../../database.ts';
import { type Reader, systemReader } from '../../reader.ts';

type Run = <R>(
  text: string,
  values: readonly unknown[],
  once: boolean | undefined,
  readers: readonly Reader[],
) => Promise<R[]>;
type Row = Record<string, unknown>;

/** The maximum number of keys in one statement, because its result is held in memory. One `_key` can match a whole page of rows. */
const maxKeys: Record<KeyColumn, number> = { id: 200, _key: 20 };

export class SharedReads {
  readonly #run: Run;
  readonly #byKey = new Map<string, Batcher<string, Row[]>>();
  readonly #same = new Map<string, Batcher<Reader, Row[]>>();

  constructor(run: Run) {
    this.#run = run;
  }

  /** Identical reads of one caller share the result. The rows must not be modified. Each reader gets a separate list. */
  async read<R>(text: string, values: readonly unknown[], once?: boolean, reader = systemReader): Promise<R[]> {
    const key = `${reader.caller}\0${text}\0${JSON.stringify(values)}`;
    let batcher = this.#same.get(key);
    if (!batcher) {
      batcher = new Batcher({ concurrency: 1, maxItems: Number.POSITIVE_INFINITY }, async (readers) => {
        const rows = await this.#run<Row>(text, values, once, readers);
        return readers.map(() => rows);
      });
      this.#same.set(key, batcher);
    }
    try {
      return [...(await batcher.add(reader))] as R[];
    } finally {
      if (batcher.isIdle) this.#same.delete(key);
    }
  }

  /** Returns the rows with this key. `text` selects the rows of a list of keys. */
  async readKeyed<R>(text: string, key: string, by: KeyColumn = 'id'): Promise<R[]> {
    let batcher = this.#byKey.get(text);
    if (!batcher) {
      batcher = new Batcher({ concurrency: 2, maxItems: maxKeys[by] }, (keys) => this.#readKeys(text, keys, by));
      this.#byKey.set(text, batcher);
    }
    try {
      return (await batcher.add(key)) as R[];
    } finally {
      if (batcher.isIdle) this.#byKey.delete(text);
    }
  }

  async #readKeys(text: string, keys: readonly string[], by: KeyColumn): Promise<Row[][]> {
    const rowsByKey = new Map<unknown, Row[]>(keys.map((key) => [key, []]));
    for (const row of await this.#run<Row>(text, [[...rowsByKey.keys()]], by === '_key', []))
      rowsByKey.get(row[by])?.push(row);
    return keys.map((key) => [...(rowsByKey.get(key) ?? [])]);
  }
}
