import type { KeyColumn } from '../../database.ts';
import { ownReader, type Reader } from '../../reader.ts';
import { Batcher } from './batcher.ts';

type Run = <R>(
  text: string,
  values: readonly unknown[],
  once: boolean | undefined,
  readers: readonly Reader[],
) => Promise<R[]>;
type Row = Record<string, unknown>;

/** Keys for which one statement looks, at most: its answer is read in one piece. Up to a page of rows has the same `_key`. */
const mostKeys: Record<KeyColumn, number> = { id: 200, _key: 20 };

/** Sends reads together where it can. A read is sent after the reads that join it have arrived. */
export class SharedReads {
  readonly #run: Run;
  readonly #byKey = new Map<string, Batcher<string, Row[]>>();
  readonly #same = new Map<string, Batcher<Reader, Row[]>>();

  constructor(run: Run) {
    this.#run = run;
  }

  /** Reads of one caller for the same rows share the answer. Rows must not be changed; each reader gets its own list. */
  async read<R>(text: string, values: readonly unknown[], once?: boolean, reader = ownReader): Promise<R[]> {
    const question = `${reader.caller}\0${text}\0${JSON.stringify(values)}`;
    let gathering = this.#same.get(question);
    if (!gathering) {
      gathering = new Batcher({ atOnce: 1, most: Number.POSITIVE_INFINITY }, async (readers) => {
        const rows = await this.#run<Row>(text, values, once, readers);
        return readers.map(() => rows);
      });
      this.#same.set(question, gathering);
    }
    try {
      return [...(await gathering.add(reader))] as R[];
    } finally {
      if (gathering.isIdle) this.#same.delete(question);
    }
  }

  /** The rows that have the key; `text` selects those of a list of keys. */
  async readKeyed<R>(text: string, key: string, by: KeyColumn = 'id'): Promise<R[]> {
    let gathering = this.#byKey.get(text);
    if (!gathering) {
      gathering = new Batcher({ atOnce: 2, most: mostKeys[by] }, (keys) => this.#readKeys(text, keys, by));
      this.#byKey.set(text, gathering);
    }
    try {
      return (await gathering.add(key)) as R[];
    } finally {
      if (gathering.isIdle) this.#byKey.delete(text);
    }
  }

  async #readKeys(text: string, keys: readonly string[], by: KeyColumn): Promise<Row[][]> {
    const found = new Map<unknown, Row[]>(keys.map((key) => [key, []]));
    for (const row of await this.#run<Row>(text, [[...found.keys()]], by === '_key', [])) found.get(row[by])?.push(row);
    return keys.map((key) => [...(found.get(key) ?? [])]);
  }
}
