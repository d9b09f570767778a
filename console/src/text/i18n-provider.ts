import type { I18nProvider } from 'react-admin';
import english from '../../../src/config/languages/messages/en/react-admin.json' with { type: 'json' };
import { findMessage, language, translate } from './translate.ts';

const texts: Readonly<Record<string, string | undefined>> = english;

/** The texts of react-admin's components. A key without a text is shown unchanged, because the components of the console pass sentences. */
export const i18nProvider: I18nProvider = {
  translate(key, options = {}) {
    const text = texts[key];
    return findMessage(key, options) ?? (text === undefined ? translate(options._ ?? key) : translate(text, options));
  },
  changeLocale: async () => undefined,
  getLocale: () => language,
};
