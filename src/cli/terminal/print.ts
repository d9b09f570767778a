import type { Command } from 'commander';
import { readCount } from './option-values.ts';
import { paint, paintError, paintState } from './paint.ts';
import { showCell, tableOf } from './table.ts';

/** The date and time in a sortable form. */
export const showTime = (ms: number | null): string => (ms === null ? '' : new Date(ms).toISOString());

type Row = Readonly<Record<string, unknown>>;

/** Prints rows as JSON or as a table, and names omitted columns. `key`: the column that commands accept as an argument. */
export function printRows(rows: readonly Row[], { search, limit, json }: ListFlags, key?: string): void {
  const matches = search === undefined ? rows : rows.filter((row) => matchesSearch(search, row));
  const printed = limit === undefined ? matches : matches.slice(0, limit);
  if (json) console.log(JSON.stringify(printed, null, 2));
  else if (printed.length === 0) console.log(paint('dim', '(none)'));
  else printTable(printed, key);
  const hiddenCount = matches.length - printed.length;
  if (hiddenCount > 0 && !json)
    console.error(paintError('dim', `… and ${hiddenCount.toLocaleString('en')} more: --limit, --search`));
}

function printTable(rows: readonly Row[], key: string | undefined): void {
  const { lines, hiddenColumns } = tableOf(rows, key);
  for (const line of lines) console.log(line);
  if (hiddenColumns.length > 0)
    console.error(paintError('dim', `Hidden columns: ${hiddenColumns.join(', ')}. Widen the terminal, or use --json`));
}

const matchesSearch = (search: string, row: Row): boolean =>
  Object.values(row).some((value) => showCell(value).toLowerCase().includes(search.toLowerCase()));

/** Prints one object, one field per line. */
export function printFields(fields: Row, asJson: boolean | undefined): void {
  if (asJson) {
    console.log(JSON.stringify(fields, null, 2));
    return;
  }
  const width = Math.max(...Object.keys(fields).map(({ length }) => length));
  for (const [name, value] of Object.entries(fields))
    console.log(`${name.padEnd(width)}  ${paintState(name, showCell(value))}`.trimEnd());
}

/** The options of every list command. */
export interface ListFlags {
  readonly search?: string;
  readonly limit?: number;
  readonly json?: boolean;
}

export const addListOptions = (command: Command): Command =>
  command
    .option('--search <text>', 'only rows that contain this text, ignoring case')
    .option('--limit <number>', 'the maximum number of rows', readCount)
    .option('--json', 'print JSON');
