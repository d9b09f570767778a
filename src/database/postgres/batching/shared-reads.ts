import { Batcher } from '../../../platform/batcher.ts';
import type { KeyColumn } from '../../database.ts';
import { type Reader, systemReader } from '../../reader.ts';

type Run = <R>(
  text: string,
  values: readonly unknown[],
  isAdHoc: boolean | undefined,
  readers: readonly Reader[],
) => Promise<R[]>;
type Row = Record<string, unknown>;

/** The maximum number of keys in one statement, because its result is held in memory. One `_key` can match a whole page of rows. */
const maxKeys: Record<KeyColumn, number> = { id: 200, _key: 20 };

export class SharedReads {
  readonly #run: Run;
  readonly #keyedReads = new Map<string, Batcher<string, Row[]>>();
  readonly #identicalReads = new Map<string, Batcher<Reader, Row[]>>();

  constructor(run: Run) {
    this.#run = run;
  }

  /** Identical reads of one caller share the result. The rows must not be modified. Each reader gets a separate list. */
  async read<R>(text: string, values: readonly unknown[], isAdHoc?: boolean, reader = systemReader): Promise<R[]> {
    const key = `${reader.caller}\0${text}\0${JSON.stringify(values)}`;
    let batcher = this.#identicalReads.get(key);
    if (!batcher) {
      batcher = new Batcher({ concurrency: 1, maxItems: Number.POSITIVE_INFINITY }, async (readers) => {
        const rows = await this.#run<Row>(text, values, isAdHoc, readers);
        return readers.map(() => rows);
      });
      this.#identicalReads.set(key, batcher);
    }
    try {
      return [...(await batcher.add(reader))] as R[];
    } finally {
      if (batcher.isIdle) this.#identicalReads.delete(key);
    }
  }

  /** Returns the rows with this key. `text` selects the rows of a list of keys. */
  async readKeyed<R>(text: string, key: string, keyColumn: KeyColumn = 'id'): Promise<R[]> {
    let batcher = this.#keyedReads.get(text);
    if (!batcher) {
      batcher = new Batcher({ concurrency: 2, maxItems: maxKeys[keyColumn] }, (keys) =>
        this.#readKeys(text, keys, keyColumn),
      );
      this.#keyedReads.set(text, batcher);
    }
    try {
      return (await batcher.add(key)) as R[];
    } finally {
      if (batcher.isIdle) this.#keyedReads.delete(text);
    }
  }

  async #readKeys(text: string, keys: readonly string[], keyColumn: KeyColumn): Promise<Row[][]> {
    const rowsByKey = new Map<unknown, Row[]>(keys.map((key) => [key, []]));
    for (const row of await this.#run<Row>(text, [[...rowsByKey.keys()]], keyColumn === '_key', []))
      rowsByKey.get(row[keyColumn])?.push(row);
    return keys.map((key) => [...(rowsByKey.get(key) ?? [])]);
  }
}
