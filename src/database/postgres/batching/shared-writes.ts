import { Batcher } from '../../../platform/batcher.ts';
import { Problem } from '../../../platform/errors.ts';
import { getOrCreate } from '../../../platform/get-or-create.ts';
import type { RowToWrite } from '../../database.ts';

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
