import { formatMessage, type MessageValues, textRenderer } from '../../../src/config/languages/format-message.ts';
import { type MessagePart, parseMessage } from '../../../src/config/languages/message-parts.ts';

/** The language of the page, chosen by the service. A change of language reloads the page. */
export const language = globalThis.document?.documentElement.lang || 'en';

/** The reader's locale for dates and numbers in this language. */
export const locale =
  globalThis.navigator?.languages?.find((tag) => tag === language || tag.startsWith(`${language}-`)) ?? language;

let messages: Readonly<Record<string, string>> = {};
const parsed = new Map<string, readonly MessagePart[]>();

/**
 * Loads the messages of the page's language before the first render. The English ones are in the code, unless the operator changed them.
 */
export async function loadMessages(): Promise<void> {
  const address = document.querySelector<HTMLMetaElement>('meta[name="gatehouse-messages"]')?.content ?? '';
  if (!address.startsWith('/')) return;
  const response = await fetch(address).catch(() => undefined);
  if (response?.ok) messages = await response.json();
}

/** Translates a sentence of the console. English sentences are their own keys. */
export function translate(english: string, values?: MessageValues): string {
  const text = messageTemplate(english);
  // Some texts are not messages of the console. Without values, they stay unchanged.
  return values === undefined && text === english ? text : format(text, values ?? {});
}

/** The message with its placeholders. */
export const messageTemplate = (english: string): string => messages[english] ?? english;

/** An optional message. */
export function findMessage(key: string, values: MessageValues = {}): string | undefined {
  const text = messages[key];
  return text === undefined ? undefined : format(text, values);
}

function format(text: string, values: MessageValues): string {
  let parts = parsed.get(text);
  if (!parts) {
    parts = parseMessage(text);
    parsed.set(text, parts);
  }
  return formatMessage(parts, values, language, textRenderer(language));
}

/** A word inside a sentence: "cars", "AI applications". In German, nouns always have a capital letter. */
export function lowerCaseFirst(word: string): string {
  if (language.startsWith('de') || /^\p{Lu}{2}/u.test(word)) return word;
  return word.charAt(0).toLocaleLowerCase(locale) + word.slice(1);
}
