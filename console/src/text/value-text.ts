import type { FieldDescription } from '../data/descriptions.ts';
import { language, locale, translate } from './translate.ts';

export const emptyValueText = '–';

const dateFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const dateTimeFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });

/** The value of a field as text. `digits`: decimal places, so that the numbers of a column align. */
export function valueText({ type, scale = 0 }: Pick<FieldDescription, 'type' | 'scale'>, value: unknown, digits = 0) {
  if (value === null || value === undefined || value === '') return emptyValueText;
  if (type === 'decimal') return figureText(String(value), { scale });
  if (type === 'date') return formatTime(value, dateFormat);
  if (type === 'timestamp') return formatTime(value, dateTimeFormat);
  if (type === 'enum') return translate(String(value));
  if (Array.isArray(value)) return value.join(', ') || emptyValueText;
  if (typeof value === 'boolean') return value ? translate('Yes') : translate('No');
  if (typeof value === 'number') {
    return value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: 20 });
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function formatTime(value: unknown, format: Intl.DateTimeFormat): string {
  const at = new Date(String(value));
  return Number.isNaN(at.getTime()) ? String(value) : format.format(at);
}

/** A sum or an average in the reader's number format. Decimals are strings, and keep all their digits. */
export function figureText(value: string | number | null | undefined, { scale = 2 }: Pick<FieldDescription, 'scale'>) {
  if (value === null || value === undefined) return '–';
  const digits = typeof value === 'string' ? { minimumFractionDigits: scale } : {};
  const format = new Intl.NumberFormat(locale, { ...digits, maximumFractionDigits: Math.max(2, scale) });
  return format.format(value as number);
}

const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** "3 hours ago" for recent times, otherwise the date. */
export function timeAgo(time: string): string {
  const seconds = (Date.parse(time) - Date.now()) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) {
    return new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
  }
  const formatter = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const);
  return formatter.format(unit === 'second' ? 0 : Math.trunc(seconds / size), unit);
}
