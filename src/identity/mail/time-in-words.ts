import { localeOf } from '../../config/languages/format-message.ts';

/** A moment as its reader's clock shows it, with the time zone, for times in mail. UTC where the zone is not known. */
export function timeInWords(ms: number, timeZone = 'UTC', language = 'en'): string {
  const date = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeStyle: 'short', timeZone }).format(
    ms,
  );
  return timeZone === 'UTC' ? `${date} UTC` : `${date} (${timeZone.replaceAll('_', ' ')})`;
}
