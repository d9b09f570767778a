import { formatDecimal, fromSortable, parseDecimal, sortableDecimal } from '../../../platform/decimal.ts';

/** The stored text of a decimal, for SQL: `toDecimalColumn('12.50')` is `02 12.5`. */
export function toDecimalColumn(text: string): string {
  const value = parseDecimal(text);
  if (!value) throw new TypeError(`toDecimalColumn takes a decimal as a string, such as "12.50". It got "${text}".`);
  return sortableDecimal(value);
}

/** The decimal of a stored text, with at least `scale` digits after the point: `fromDecimalColumn('02 12.5', 2)` is `12.50`. */
export const fromDecimalColumn = (stored: string, scale = 0): string => formatDecimal(fromSortable(stored), scale);
