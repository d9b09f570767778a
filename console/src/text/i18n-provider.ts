import english from 'ra-language-english';
import type { I18nProvider } from 'react-admin';
import { find, language, locale, say } from './say.ts';

type Messages = { [key: string]: string | Messages };

/** The texts of react-admin's own parts. A key without a text is what it says: the console's own parts pass sentences. */
export const i18nProvider: I18nProvider = {
  translate(key, options = {}) {
    const spoken = find(key, options);
    if (spoken !== undefined) return spoken;
    const text = textAt(english as unknown as Messages, key);
    return text === undefined ? say(options._ ?? key) : filledIn(text, options);
  },
  changeLocale: async () => undefined,
  getLocale: () => language,
};

function textAt(messages: Messages, key: string): string | undefined {
  let found: string | Messages | undefined = messages;
  for (const part of key.split('.')) found = typeof found === 'object' ? found[part] : undefined;
  return typeof found === 'string' ? found : undefined;
}

/** `One item |||| %{smart_count} items`: one form for one, the other for many. */
function filledIn(text: string, options: Record<string, unknown>): string {
  const forms = text.split('||||').map((form) => form.trim());
  const form = (options.smart_count === undefined || options.smart_count === 1 ? forms[0] : forms.at(-1)) ?? text;
  return form.replace(/%\{(\w+)\}/g, (whole, name: string) => (name in options ? shown(options[name]) : whole));
}

const shown = (value: unknown): string => (typeof value === 'number' ? value.toLocaleString(locale) : String(value));
