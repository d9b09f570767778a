import { Batcher } from '../../../platform/batcher.ts';
import { Problem } from '../../../platform/errors.ts';
import { getOrCreate } from '../../../platform/get-or-create.ts';
import type { KeyColumn, RowToWrite } from '../../database.ts';
import { type Reader, systemReader } from '../../reader.ts';

type RunRead = <R>(
  text: string,
  values: readonly unknown[],
  isAdHoc: boolean | undefined,
  readers: readonly Reader[],
) => Promise<R[]>;
type Row = Record<string, unknown>;

/** The maximum number of keys in one statement, because its result is held in memory. One `_key` can match a whole page of rows. */
const maxKeys: Record<KeyColumn, number> = { id: 200, _key: 20 };

export class SharedReads {
  readonly #run: RunRead;
  readonly #keyedReads = new Map<string, Batcher<string, Row[]>>();
  readonly #identicalReads = new Map<string, Batcher<Reader, Row[]>>();

  constructor(run: RunRead) {
    this.#run = run;
  }

  /** Identical reads of one caller share the result. The rows must not be modified. Each reader gets a separate list. */
  async read<R>(text: string, values: readonly unknown[], isAdHoc?: boolean, reader = systemReader): Promise<R[]> {
    const key = `${reader.caller}\0${text}\0${JSON.stringify(values)}`;
    const createBatcher = () =>
      new Batcher<Reader, Row[]>({ concurrency: 1, maxItems: Number.POSITIVE_INFINITY }, async (readers) => {
        const rows = await this.#run<Row>(text, values, isAdHoc, readers);
        return readers.map(() => rows);
      });
    const batcher = getOrCreate(this.#identicalReads, key, createBatcher);
    try {
      return [...(await batcher.add(reader))] as R[];
    } finally {
      if (batcher.isIdle) this.#identicalReads.delete(key);
    }
  }

  /** Returns the rows with this key. `text` selects the rows of a list of keys. */
  async readKeyed<R>(text: string, key: string, keyColumn: KeyColumn = 'id'): Promise<R[]> {
    const createBatcher = () =>
      new Batcher<string, Row[]>({ concurrency: 2, maxItems: maxKeys[keyColumn] }, (keys) =>
        this.#readKeys(text, keys, keyColumn),
      );
    const batcher = getOrCreate(this.#keyedReads, text, createBatcher);
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

type Run = <R>(text: string, values: readonly unknown[]) => Promise<R[]>;

const maxRows = 100;

/** Writes of one kind share a statement and a commit. If the shared statement skips a write, the caller runs that write alone. */
export function shareWrites(run: Run) {
  const byText = new Map<string, Batcher<RowToWrite, RowToWrite | undefined>>();
  const createBatcher = (text: string) =>
    new Batcher({ concurrency: 2, maxItems: maxRows }, (rows: readonly RowToWrite[]) => writeAll(run, text, rows));
  return <R extends RowToWrite>(text: string, row: RowToWrite): Promise<R | undefined> =>
    getOrCreate(byText, text, createBatcher).add(row) as Promise<R | undefined>;
}

async function writeAll(run: Run, text: string, rows: readonly RowToWrite[]): Promise<(RowToWrite | undefined)[]> {
  const byId = new Map<string, RowToWrite>();
  // If two writes name the same row, the second one is not part of this statement: its caller runs it afterwards.
  for (const row of rows) if (!byId.has(row.id)) byId.set(row.id, row);
  try {
    const writtenRows = await run<RowToWrite>(text, [JSON.stringify([...byId.values()])]);
    const written = new Map(writtenRows.map((row) => [row.id, row]));
    return rows.map((row) => (byId.get(row.id) === row ? written.get(row.id) : undefined));
  } catch (error) {
    // Either the outcome is unknown, or running the writes one by one would fail in the same way.
    if (error instanceof Problem) throw error;
    // One write violated a constraint, and the statement wrote nothing. Each caller runs its write alone.
    return rows.map(() => undefined);
  }
}
