import { language, locale } from './translate.ts';

const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** "3 hours ago" for recent times, otherwise the date. */
export function timeAgo(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) {
    return new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
  }
  const formatter = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const);
  return formatter.format(unit === 'second' ? 0 : Math.trunc(seconds / size), unit);
}
