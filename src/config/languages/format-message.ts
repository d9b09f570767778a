import { type MessagePart, parseMessage, type ValueStyle } from './message-parts.ts';

export type MessageValues = Readonly<Record<string, unknown>>;

export interface MessageRenderer {
  text(text: string): string;
  value(name: string, value: unknown, style: ValueStyle | undefined): string;
  tag(name: string, content: string): string;
}

export function formatMessage(
  parts: readonly MessagePart[],
  values: MessageValues,
  language: string,
  renderer: MessageRenderer,
  count?: number,
): string {
  let result = '';
  for (const part of parts) {
    if (typeof part === 'string') result += renderer.text(part);
    else if (part.kind === 'value') result += renderer.value(part.name, values[part.name], part.style);
    else if (part.kind === 'count') result += renderer.value('#', count, 'number');
    else if (part.kind === 'tag') {
      result += renderer.tag(part.name, formatMessage(part.parts, values, language, renderer, count));
    } else {
      const value = values[part.name];
      const number = part.plural ? Number(value) : count;
      const matchingCase = part.plural
        ? (part.cases.get(`=${value}`) ?? part.cases.get(new Intl.PluralRules(language).select(Number(value))))
        : part.cases.get(String(value));
      const parts = matchingCase ?? (part.cases.get('other') as readonly MessagePart[]);
      result += formatMessage(parts, values, language, renderer, number);
    }
  }
  return result;
}

/** A value as text. Times are in UTC and contain the time zone. */
export function formatValue(value: unknown, style: ValueStyle | undefined, language: string): string {
  if (value === undefined || value === null) return '';
  if (style === 'number') return new Intl.NumberFormat(localeOf(language)).format(Number(value));
  if (style === 'date' || style === 'time')
    return formatTime(new Date(value as string | number | Date), style, language);
  return String(value);
}

function formatTime(at: Date, style: 'date' | 'time', language: string): string {
  if (Number.isNaN(at.getTime())) return '';
  const styleOptions =
    style === 'date' ? ({ dateStyle: 'long' } as const) : ({ dateStyle: 'medium', timeStyle: 'short' } as const);
  const text = new Intl.DateTimeFormat(localeOf(language), { ...styleOptions, timeZone: 'UTC' }).format(at);
  return style === 'date' ? text : `${text} UTC`;
}

/** `en` does not define the order of day and month. `en-GB` has the day first. */
export const localeOf = (language: string): string => (language === 'en' ? 'en-GB' : language);

/** Renders without markup: for attributes, titles, plain-text mail and the console. */
export const textRenderer = (language: string): MessageRenderer => ({
  text: (text) => text,
  value: (_name, value, style) => formatValue(value, style, language),
  tag: (_name, content) => content,
});

/** The English text of a message, for logs and terminals. */
export const formatEnglish = (message: string, values: MessageValues): string =>
  formatMessage(parseMessage(message), values, 'en', textRenderer('en'));
