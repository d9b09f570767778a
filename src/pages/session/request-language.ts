import type { FastifyRequest } from 'fastify';
import { readAcceptLanguage } from '../../config/languages/accept-language.ts';
import type { Languages } from '../../config/languages/languages.ts';
import type { Db } from '../../database/database.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import type { Cookies } from './cookies.ts';

const languages = new WeakMap<FastifyRequest, string>();

/** The language of a page, once it is known. */
export const knownLanguage = (request: FastifyRequest): string | undefined => languages.get(request);

/** The language of a page: the user's choice in the settings or in this browser, otherwise the browser's. */
export function createRequestLanguage(all: Languages, cookies: Cookies) {
  /** Does not use the database, so it also works on error pages when the database is down. */
  const ofBrowser = (request: FastifyRequest): string => {
    const ranges = readAcceptLanguage(request.headers['accept-language']);
    return languages.get(request) ?? all.match([cookies.read(request).language, ...ranges]);
  };
  return {
    ofBrowser,
    /** Reads the settings of the signed-in user. */
    async of(request: FastifyRequest, db: Db): Promise<string> {
      const cached = languages.get(request);
      if (cached !== undefined) return cached;
      const { userId } = request.caller;
      const user = userId === null ? undefined : await findUser(db, userId);
      const language = all.find([user?.locale]) ?? ofBrowser(request);
      languages.set(request, language);
      return language;
    },
  };
}
