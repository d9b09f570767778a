import { ownReader, type Reader } from '../../reader.ts';
import { Batcher } from './batcher.ts';

type Run = <R>(
  text: string,
  values: readonly unknown[],
  once: boolean | undefined,
  readers: readonly Reader[],
) => Promise<R[]>;
type Row = Record<string, unknown>;

/** Rows for which one statement looks, at most: its answer is read in one piece. */
const mostKeys = 200;

/** Sends reads together where it can. A read is sent after the reads that join it have arrived. */
export class SharedReads {
  readonly #run: Run;
  readonly #byKey = new Map<string, Batcher<string, Row | undefined>>();
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

  /** The row whose `id` is the key; `text` selects those of a list of keys. */
  async readKeyed<R>(text: string, key: string): Promise<R | undefined> {
    let gathering = this.#byKey.get(text);
    if (!gathering) {
      gathering = new Batcher({ atOnce: 2, most: mostKeys }, (keys) => this.#readKeys(text, keys));
      this.#byKey.set(text, gathering);
    }
    try {
      return (await gathering.add(key)) as R | undefined;
    } finally {
      if (gathering.isIdle) this.#byKey.delete(text);
    }
  }

  async #readKeys(text: string, keys: readonly string[]): Promise<(Row | undefined)[]> {
    const rows = await this.#run<Row>(text, [[...new Set(keys)]], false, []);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return keys.map((key) => byId.get(key));
  }
}
