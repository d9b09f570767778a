import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { codeOf, OperatorError, reasonOf } from '../../src/platform/errors.ts';
import { isObject } from '../../src/platform/is-object.ts';
import { isOneOf } from '../../src/platform/is-one-of.ts';

/** A record of the file, unchanged. */
export interface ImportRecord {
  readonly line: number;
  readonly values: Readonly<Record<string, unknown>> | undefined;
  /** The reason why there are no values. */
  readonly problem?: string;
}

export const importColumns = [
  'email',
  'username',
  'phone',
  'name',
  'password_hash',
  'email_confirmed',
  'roles',
  'created_at',
] as const;

type ImportFormat = 'csv' | 'jsonl';

/** The format, from the file name. */
export function formatOf(file: string): ImportFormat {
  if (/\.csv$/i.test(file)) return 'csv';
  if (/\.(jsonl|ndjson|json)$/i.test(file)) return 'jsonl';
  throw new OperatorError(`${file}: the name must end in .csv, or in .jsonl for one JSON object a line.`);
}

/** Reads record by record, so that files can have any size. `read` is called with the number of bytes. */
export function readRecords(file: string, format: ImportFormat, read: (bytes: number) => void) {
  const bytes = createReadStream(file);
  bytes.on('data', (chunk) => read(chunk.length));
  return format === 'csv' ? readCsv(file, bytes) : readJsonLines(bytes);
}

async function* readCsv(file: string, bytes: Readable): AsyncIterable<ImportRecord> {
  const { parse } = await import('csv-parse');
  const columns = (names: string[]) => checkHeader(file, names);
  // With `autoDestroy`, an error would discard the rows that were parsed but not read yet.
  const options = { bom: true, info: true, trim: true, skip_empty_lines: true, autoDestroy: false, columns } as const;
  const rows = bytes.pipe(parse(options));
  bytes.on('error', (error) => rows.destroy(error));
  try {
    for await (const { record, info } of rows) yield { line: info.lines, values: record };
  } catch (error) {
    // All rows before this line are imported, and a corrected file can be imported again.
    throw codeOf(error)?.startsWith('CSV_') ? new OperatorError(`${file}: not valid CSV: ${reasonOf(error)}`) : error;
  }
}

function checkHeader(file: string, names: readonly string[]): string[] {
  const header = names.map((name) => name.trim().toLowerCase());
  const unknown = header.filter((name) => !isOneOf(importColumns, name));
  if (unknown.length > 0 || !header.includes('password_hash')) {
    const reason =
      unknown.length > 0 ? `unknown columns: ${unknown.join(', ')}` : 'the column password_hash is missing';
    throw new OperatorError(`${file}: ${reason}. The first line names the columns, of: ${importColumns.join(', ')}.`);
  }
  return header;
}

async function* readJsonLines(bytes: Readable): AsyncIterable<ImportRecord> {
  let line = 0;
  for await (const text of createInterface({ input: bytes, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (text.trim() === '') continue;
    yield parseLine(line, text.replace(/^\ufeff/, ''));
  }
}

function parseLine(line: number, text: string): ImportRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { line, values: undefined, problem: `not valid JSON: ${reasonOf(error)}` };
  }
  return isObject(value) ? { line, values: value } : { line, values: undefined, problem: 'not a JSON object' };
}
