import { styleText } from 'node:util';
import { showCell } from './cell.ts';
import { columnsOf } from './columns.ts';

interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

type Row = Readonly<Record<string, unknown>>;

const gap = 2;
/** A column that is cut keeps so much: enough to tell two values apart. */
const narrowest = 8;

/** Rows as aligned columns. On a terminal they fit its width: the widest columns are cut, and what is empty is left out. */
export function tableLines(rows: readonly Row[], screen: Screen = process.stdout): string[] {
  const shown = (name: string) => !screen.isTTY || rows.some((row) => showCell(row[name]) !== '');
  const names = Object.keys(rows[0] as object).filter(shown);
  const cells = [names, ...rows.map((row) => names.map((name) => showCell(row[name])))];
  const wanted = names.map((_, column) => Math.max(...cells.map((line) => lengthOf(line[column] ?? ''))));
  const widths = screen.isTTY ? fitted(wanted, columnsOf(screen) - gap * (names.length - 1)) : wanted;
  return cells.map((line, row) => {
    const text = line
      .map((cell, column) => fill(cell, widths[column] as number))
      .join(' '.repeat(gap))
      .trimEnd();
    return row === 0 ? heading(text) : text;
  });
}

const heading = (text: string): string => styleText('bold', text, { stream: process.stdout });

/** The widest give way first, until all of them fit or none can give more. */
function fitted(wanted: readonly number[], room: number): number[] {
  const widths = [...wanted];
  const total = () => widths.reduce((sum, width) => sum + width, 0);
  while (total() > room) {
    const widest = Math.max(...widths);
    if (widest <= narrowest) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

const lengthOf = (text: string): number => [...text].length;

function fill(text: string, width: number): string {
  const length = lengthOf(text);
  if (length <= width) return text + ' '.repeat(width - length);
  return `${[...text].slice(0, width - 1).join('')}…`;
}
