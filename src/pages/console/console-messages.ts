import { hash } from 'node:crypto';
import { firstLanguage, type Languages } from '../../config/languages/languages.ts';
import type { App } from '../../http/app.ts';
import { notFound } from '../../platform/errors.ts';

/** The console's messages, a file for each language: what a page is not in is not loaded. */
export function serveConsoleMessages(app: App, languages: Languages, root: string) {
  const made = new Map<string, string>();
  const contentOf = (language: string): string => {
    const content =
      made.get(language) ?? JSON.stringify(languages.surface(language, ['console', 'react-admin', 'errors']));
    made.set(language, content);
    return content;
  };
  app.get(
    '/admin/messages/:language',
    { schema: { hide: true }, config: { auth: 'public', limited: false } },
    async (request, reply) => {
      const { language } = request.params as { language: string };
      if (!languages.list.includes(language)) throw notFound();
      return reply
        .type('application/json; charset=utf-8')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(contentOf(language));
    },
  );
  return {
    /** It changes with what is said. Empty for English as the code has it. */
    addressOf(language: string): string {
      if (language === firstLanguage && !languages.own.has(firstLanguage)) return '';
      const version = hash('sha256', contentOf(language), 'hex').slice(0, 12);
      return `${root}/admin/messages/${language}?v=${version}`;
    },
  };
}
