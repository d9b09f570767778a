import { createHash } from 'node:crypto';
import { type CopiedTable, keyOf, type Row, type TableReader, type TableWriter } from './tables/tables.ts';

/** Called with the number of processed rows. */
type Advance = (rows: number) => void;

/** Copies the missing rows. Reads the next rows while the previous rows are written. */
export async function copyTable(
  source: TableReader,
  target: TableWriter,
  { from, to, change }: { from: CopiedTable; to: CopiedTable; change: (row: Row) => Row },
  advance: Advance,
): Promise<void> {
  let { after, rows, finished } = await target.position(to.name);
  advance(rows);
  if (finished) return;
  let page = await source.page(from, after);
  while (!finished) {
    const last = page.at(-1);
    after = last ? keyOf(from, last) : after;
    rows += page.length;
    finished = last === undefined;
    const written = target.insert(to, page.map(change), { after, rows, finished });
    advance(page.length);
    [page] = await Promise.all([finished ? [] : source.page(from, after), written]);
  }
}

export interface Checksum {
  readonly rows: number;
  readonly sum: string;
}

/** SHA-256 over all rows, in key order and in a form that is equal on both engines. Reads page by page. */
export async function checksum(reader: TableReader, table: CopiedTable, change: (row: Row) => Row, advance: Advance) {
  const sum = createHash('sha256');
  let rows = 0;
  for (let last: Row | undefined; ; ) {
    const page = await reader.page(table, last && keyOf(table, last));
    last = page.at(-1);
    if (!last) break;
    sum.update(page.map((row) => `${JSON.stringify(change(row))}\n`).join(''));
    rows += page.length;
    advance(page.length);
  }
  return { rows, sum: sum.digest('hex') };
}
