import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  /** Present if the scopes are fewer than requested: the login must still set up a second factor. */
  readonly scope?: string;
}

type Name = 'session' | 'renewal' | 'visitor' | 'going' | 'theme' | 'language' | 'later';
type Values = { [N in Name]?: string };

export interface Cookies {
  read(request: FastifyRequest): Values;
  /** The session: an access token, and the refresh token that renews it. */
  setSession(reply: FastifyReply, tokens: Tokens): void;
  clearSession(reply: FastifyReply): void;
  /** A random value that forms are bound to (see csrf.ts). */
  setVisitor(reply: FastifyReply, value: string): void;
  /** The destination of a user who must read a mail first. The mail may open another tab. */
  setReturnPath(reply: FastifyReply, path: string): void;
  clearReturnPath(reply: FastifyReply): void;
  /** Undefined: the theme of the system. */
  setTheme(reply: FastifyReply, theme: string | undefined): void;
  /** The language chosen in this browser. Undefined: the language of the browser. */
  setLanguage(reply: FastifyReply, language: string | undefined): void;
  /** The user postponed the offer of a second factor in this browser. */
  setFactorOfferPostponed(reply: FastifyReply): void;
}

const maxReturnPathLength = 3000;

/** The cookies of the pages: HttpOnly, Secure under https, and SameSite=Lax so that links in mail find the user signed in. */
export function createCookies({ baseUrl, refreshTokenTtl, sessionMaxAge }: Config): Cookies {
  const { protocol, pathname } = new URL(baseUrl);
  const secure = protocol === 'https:';
  // With this prefix, browsers refuse the cookie from other hosts, even on the same domain.
  const prefix = secure && pathname === '/' ? '__Host-' : '';
  const keys: readonly Name[] = ['session', 'renewal', 'visitor', 'going', 'theme', 'language', 'later'];
  const names = Object.fromEntries(keys.map((key) => [key, prefix + key])) as Record<Name, string>;
  const renewalLife = Math.min(refreshTokenTtl, sessionMaxAge || refreshTokenTtl);
  const options = { httpOnly: true, sameSite: 'lax', secure, path: pathname } as const;
  return {
    read(request) {
      const header = request.headers.cookie;
      if (header === undefined) return {};
      const all = request.server.parseCookie(header);
      const found: Values = {};
      for (const key of keys) {
        const value = all[names[key]];
        if (value) found[key] = value;
      }
      return found;
    },
    setSession(reply, tokens) {
      reply.setCookie(names.session, tokens.access_token, { ...options, maxAge: tokens.expires_in });
      reply.setCookie(names.renewal, tokens.refresh_token, { ...options, maxAge: renewalLife });
    },
    clearSession(reply) {
      reply.clearCookie(names.session, options);
      reply.clearCookie(names.renewal, options);
    },
    setVisitor(reply, value) {
      reply.setCookie(names.visitor, value, { ...options, maxAge: 365 * 86_400 });
    },
    setReturnPath(reply, path) {
      // Browsers drop a cookie that is too long. Without it, the user only loses the destination.
      if (path.length <= maxReturnPathLength) reply.setCookie(names.going, path, { ...options, maxAge: 3600 });
    },
    clearReturnPath(reply) {
      reply.clearCookie(names.going, options);
    },
    setTheme(reply, theme) {
      if (theme === undefined) reply.clearCookie(names.theme, options);
      else reply.setCookie(names.theme, theme, { ...options, maxAge: 365 * 86_400 });
    },
    setLanguage(reply, language) {
      if (language === undefined) reply.clearCookie(names.language, options);
      else reply.setCookie(names.language, language, { ...options, maxAge: 365 * 86_400 });
    },
    setFactorOfferPostponed(reply) {
      reply.setCookie(names.later, '1', { ...options, maxAge: 90 * 86_400 });
    },
  };
}
