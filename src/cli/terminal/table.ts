import { showCell } from './cell.ts';
import { columnsOf } from './columns.ts';
import { paint, paintState } from './paint.ts';

interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

type Row = Readonly<Record<string, unknown>>;

const gap = 2;
/** A column that is cut keeps so much: enough to tell two values apart. */
const narrowest = 8;

export interface Table {
  readonly lines: readonly string[];
  /** Columns that the terminal has no room for. */
  readonly left: readonly string[];
}

/**
 * Rows as aligned columns. On a terminal they fit its width: what is empty is left out, the widest columns are cut, and where
 * that is not enough the last ones are left out. The column `key` is what a command takes, and never cut.
 */
export function tableOf(rows: readonly Row[], key?: string, screen: Screen = process.stdout): Table {
  const show = screen.isTTY ? (value: unknown) => shortTime(showCell(value)) : showCell;
  const all = Object.keys(rows[0] as object);
  const filled = screen.isTTY ? all.filter((name) => rows.some((row) => showCell(row[name]) !== '')) : all;
  const columns = filled.map((name) => {
    const cells = rows.map((row) => show(row[name]));
    return { name, cells, wanted: Math.max(...[name, ...cells].map(lengthOf)), whole: name === (key ?? filled[0]) };
  });
  const widths = screen.isTTY ? fitted(columns, columnsOf(screen)) : columns.map(({ wanted }) => wanted);
  const shown = columns.slice(0, widths.length);
  const line = (cell: (column: (typeof shown)[number], width: number) => string) =>
    shown
      .map((column, n) => cell(column, widths[n] as number))
      .join(' '.repeat(gap))
      .trimEnd();
  const heading = paint(
    'bold',
    line(({ name }, width) => fill(name, width)),
  );
  const body = rows.map((_, row) => line(({ name, cells }, width) => fill(cells[row] as string, width, name)));
  return { lines: [heading, ...body], left: columns.slice(widths.length).map(({ name }) => name) };
}

/** To the minute: a person compares, and does not calculate. */
const shortTime = (text: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) ? `${text.slice(0, 10)} ${text.slice(11, 16)}Z` : text;

interface Wanted {
  readonly wanted: number;
  readonly whole: boolean;
}

const totalOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width + gap, -gap);

/** As many columns as there is room for, from the first on. */
function fitted(columns: readonly Wanted[], room: number): number[] {
  for (let count = columns.length; ; count--) {
    const widths = cut(columns.slice(0, count), room);
    if (count <= 1 || totalOf(widths) <= room) return widths;
  }
}

/** The widest give way first, until all of them fit or none can give more. */
function cut(columns: readonly Wanted[], room: number): number[] {
  const widths = columns.map(({ wanted }) => wanted);
  while (totalOf(widths) > room) {
    const widest = Math.max(...widths.filter((_, n) => !columns[n]?.whole));
    if (widest <= narrowest) break;
    widths[widths.findIndex((width, n) => width === widest && !columns[n]?.whole)] = widest - 1;
  }
  return widths;
}

const lengthOf = (text: string): number => [...text].length;

function fill(text: string, width: number, name = ''): string {
  const length = lengthOf(text);
  if (length <= width) return paintState(name, text) + ' '.repeat(width - length);
  return `${[...text].slice(0, width - 1).join('')}…`;
}
