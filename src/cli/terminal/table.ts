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
    return {
      name,
      cells,
      fullWidth: Math.max(...[name, ...cells].map(lengthOf)),
      isKey: name === (key ?? nonEmpty[0]),
    };
  });
  const { visible, widths } = screen.isTTY ? fitColumns(columns, columnsOf(screen)) : withFullWidths(columns);
  const line = (cell: (column: (typeof visible)[number], width: number) => string) =>
    visible
      .map((column, n) => cell(column, widths[n] as number))
      .join(' '.repeat(gapWidth))
      .trimEnd();
  const heading = paint(
    'bold',
    line(({ name }, width) => fill(name, width)),
  );
  const body = rows.map((_, row) => line(({ name, cells }, width) => fill(cells[row] as string, width, name)));
  return {
    lines: [heading, ...body],
    /** Columns that do not fit. */
    hiddenColumns: columns.filter((column) => !visible.includes(column)).map(({ name }) => name),
  };
}

/** Without seconds, for easy reading. */
const shortTime = (text: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) ? `${text.slice(0, 10)} ${text.slice(11, 16)}Z` : text;

interface ColumnWidth {
  readonly fullWidth: number;
  readonly isKey: boolean;
}

const totalOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width + gapWidth, -gapWidth);

interface FittedColumns<T extends ColumnWidth> {
  readonly visible: readonly T[];
  readonly widths: readonly number[];
}

const withFullWidths = <T extends ColumnWidth>(visible: readonly T[]): FittedColumns<T> => ({
  visible,
  widths: visible.map(({ fullWidth }) => fullWidth),
});

/** As many columns as fit, from the first on. At least the key. */
function fitColumns<T extends ColumnWidth>(columns: readonly T[], availableWidth: number): FittedColumns<T> {
  const key = columns.findIndex((column) => column.isKey);
  for (let count = columns.length; count > Math.max(0, key); count--) {
    const visible = columns.slice(0, count);
    const widths = shrinkWidths(visible, availableWidth);
    if (totalOf(widths) <= availableWidth) return { visible, widths };
  }
  return withFullWidths(columns.filter((_, n) => n === Math.max(0, key)));
}

/** Shortens the widest columns first, until all fit or have the minimum width. */
function shrinkWidths(columns: readonly ColumnWidth[], availableWidth: number): number[] {
  const widths = columns.map(({ fullWidth }) => fullWidth);
  while (totalOf(widths) > availableWidth) {
    const widest = Math.max(...widths.filter((_, n) => !columns[n]?.isKey));
    if (widest <= minWidth) break;
    widths[widths.findIndex((width, n) => width === widest && !columns[n]?.isKey)] = widest - 1;
  }
  return widths;
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
