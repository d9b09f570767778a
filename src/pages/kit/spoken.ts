import type { Languages } from '../../config/languages/languages.ts';
import { Message } from '../../config/languages/message.ts';
import type { Variables } from './views.ts';

/** The variables of a view with every message in them in the reader's language. */
export const spoken = (languages: Languages, language: string, variables: Variables): Variables =>
  speak(languages, language, variables) as Variables;

function speak(languages: Languages, language: string, value: unknown): unknown {
  if (value instanceof Message) return languages.text(language, value);
  if (Array.isArray(value)) return value.map((item) => speak(languages, language, item));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, speak(languages, language, inner)]));
}
