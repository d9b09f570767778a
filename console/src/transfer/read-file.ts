import { CsvReader } from './csv.ts';
import { JsonRowReader } from './json-rows.ts';

export interface FileRow {
  /** In the file, from 1; of a CSV file the heading is line 1. */
  number: number;
  values: Record<string, unknown>;
}

/** The rows of a file, as they are read from the disk. Values of a CSV file are texts. */
export async function* rowsOfFile(file: File): AsyncGenerator<FileRow> {
  const isCsv = /\.(csv|tsv|txt)$/i.test(file.name) || file.type === 'text/csv';
  yield* isCsv ? csvRows(file) : jsonRows(file);
}

async function* pieces(file: File): AsyncGenerator<string> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
}

async function* csvRows(file: File): AsyncGenerator<FileRow> {
  const reader = new CsvReader();
  let heading: string[] | undefined;
  let number = 0;
  const rowOf = (record: string[]): FileRow | undefined => {
    number++;
    if (heading) return { number, values: Object.fromEntries(heading.map((name, i) => [name, record[i] ?? ''])) };
    heading = record.map((name) => name.trim());
    return undefined;
  };
  for await (const piece of pieces(file)) {
    for (const record of reader.read(piece)) {
      const row = rowOf(record);
      if (row) yield row;
    }
  }
  for (const record of reader.read('', true)) {
    const row = rowOf(record);
    if (row) yield row;
  }
}

async function* jsonRows(file: File): AsyncGenerator<FileRow> {
  const reader = new JsonRowReader();
  let number = 0;
  for await (const piece of pieces(file)) {
    for (const values of reader.read(piece)) yield { number: ++number, values };
  }
}
