import type { FieldDescription } from '../data/descriptions.ts';
import { locale } from '../text/say.ts';

/** A sum or an average in the reader's number format. Decimals are strings, and keep all their digits. */
export function figureText(
  value: string | number | null | undefined,
  { scale = 2 }: Pick<FieldDescription, 'scale'>,
): string {
  if (value === null || value === undefined) return '–';
  const digits = typeof value === 'string' ? { minimumFractionDigits: scale } : {};
  const format = new Intl.NumberFormat(locale, { ...digits, maximumFractionDigits: Math.max(2, scale) });
  return format.format(value as number);
}
