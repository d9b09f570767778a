import type { I18nProvider } from 'react-admin';
import english from '../../../src/config/languages/messages/en/react-admin.json' with { type: 'json' };
import { find, language, say } from './say.ts';

const texts: Readonly<Record<string, string | undefined>> = english;

/** The texts of react-admin's own parts. A key without a text is what it says: the console's own parts pass sentences. */
export const i18nProvider: I18nProvider = {
  translate(key, options = {}) {
    const text = texts[key];
    return find(key, options) ?? (text === undefined ? say(options._ ?? key) : say(text, options));
  },
  changeLocale: async () => undefined,
  getLocale: () => language,
};
