import { paint, paintState } from './paint.ts';

const defaultColumns = 80;

/** The width of a terminal. A terminal that does not report its width reports 0. */
export const columnsOf = ({ columns }: { readonly columns?: number }): number => columns || defaultColumns;

export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

type Row = Readonly<Record<string, unknown>>;

const gapWidth = 2;
/** The minimum width of a shortened column: enough to distinguish values. */
const minWidth = 8;

/** Rows as aligned columns. On a terminal, empty columns are omitted and wide ones cut, but never the column `key`. */
export function tableOf(rows: readonly Row[], key?: string, screen: Screen = process.stdout) {
  const show = screen.isTTY ? (value: unknown) => shortTime(showCell(value)) : showCell;
  const all = Object.keys(rows[0] ?? {});
  const nonEmpty = screen.isTTY ? all.filter((name) => rows.some((row) => showCell(row[name]) !== '')) : all;
  const columns = nonEmpty.map((name) => {
    const cells = rows.map((row) => show(row[name]));
    const width = Math.max(...[name, ...cells].map(lengthOf));
    return { name, cells, width, isKey: name === (key ?? nonEmpty[0]) };
  });
  const visible = screen.isTTY ? fitColumns(columns, columnsOf(screen)) : columns;
  const line = (cell: (column: Column) => string) => visible.map(cell).join(' '.repeat(gapWidth)).trimEnd();
  const heading = paint(
    'bold',
    line(({ name, width }) => fill(name, width)),
  );
  const body = rows.map((_, row) => line(({ name, cells, width }) => fill(cells[row] ?? '', width, name)));
  return {
    lines: [heading, ...body],
    /** Columns that do not fit. */
    hiddenColumns: columns.map(({ name }) => name).filter((name) => !visible.some((column) => column.name === name)),
  };
}

/** Without seconds, for easy reading. */
const shortTime = (text: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) ? `${text.slice(0, 10)} ${text.slice(11, 16)}Z` : text;

interface Column {
  readonly name: string;
  readonly cells: readonly string[];
  width: number;
  readonly isKey: boolean;
}

const totalOf = (columns: readonly Column[]): number =>
  columns.reduce((sum, { width }) => sum + width + gapWidth, -gapWidth);

/** As many columns as fit, from the first on. At least the key. */
function fitColumns(columns: readonly Column[], availableWidth: number): readonly Column[] {
  const key = Math.max(
    0,
    columns.findIndex((column) => column.isKey),
  );
  for (let count = columns.length; count > key; count--) {
    const fitted = shrink(columns.slice(0, count), availableWidth);
    if (totalOf(fitted) <= availableWidth) return fitted;
  }
  return columns.slice(key, key + 1);
}

/** Shortens the widest columns first, until all fit or have the minimum width. */
function shrink(columns: readonly Column[], availableWidth: number): Column[] {
  const fitted = columns.map((column) => ({ ...column }));
  while (totalOf(fitted) > availableWidth) {
    const [widest] = fitted.filter(({ isKey }) => !isKey).sort((a, b) => b.width - a.width);
    if (!widest || widest.width <= minWidth) break;
    widest.width--;
  }
  return fitted;
}

const lengthOf = (text: string): number => [...text].length;

function fill(text: string, width: number, name = ''): string {
  const length = lengthOf(text);
  if (length <= width) return paintState(name, text) + ' '.repeat(width - length);
  return `${[...text].slice(0, width - 1).join('')}…`;
}

/** A value as text for a table. */
export const showCell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return printable(Array.isArray(value) ? value.join(' ') : String(value));
};

/** Users choose names freely: characters that move the cursor, end a line or change the text direction are escaped. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);

/** Like `printable`, for a text with several lines. */
export const printableLines = (text: string): string => text.replace(/[^\n\t]+/g, printable);
