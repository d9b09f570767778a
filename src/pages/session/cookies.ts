import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { emailCodeLifetimeMs } from '../../identity/account-mails/email-code.ts';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  /** Present if the scopes are fewer than requested: the login must still set up a second factor. */
  readonly scope?: string;
}

const keys = ['session', 'renewal', 'visitor', 'going', 'theme', 'language', 'later', 'code'] as const;
type Name = (typeof keys)[number];
type Values = { [N in Name]?: string };
const yearSeconds = 365 * 86_400;

export type Cookies = ReturnType<typeof createCookies>;

const maxReturnPathLength = 3000;

/** The cookies of the pages: HttpOnly, Secure under https, and SameSite=Lax so that links in mail find the user signed in. */
export function createCookies({ baseUrl, refreshTokenTtl, sessionMaxAge }: Config) {
  const { protocol, pathname } = new URL(baseUrl);
  const secure = protocol === 'https:';
  // With this prefix, browsers refuse the cookie from other hosts, even on the same domain.
  const prefix = secure && pathname === '/' ? '__Host-' : '';
  const names = Object.fromEntries(keys.map((key) => [key, prefix + key])) as Record<Name, string>;
  const renewalLife = Math.min(refreshTokenTtl, sessionMaxAge || refreshTokenTtl);
  const options = { httpOnly: true, sameSite: 'lax', secure, path: pathname } as const;
  /** Undefined deletes the cookie. */
  const set = (reply: FastifyReply, name: Name, value: string | undefined, maxAge = yearSeconds): void => {
    if (value === undefined) reply.clearCookie(names[name], options);
    else reply.setCookie(names[name], value, { ...options, maxAge });
  };
  return {
    sessionName: names.session,
    read(request: FastifyRequest): Values {
      const header = request.headers.cookie;
      if (header === undefined) return {};
      const all = request.server.parseCookie(header);
      const values: Values = {};
      for (const key of keys) {
        const value = all[names[key]];
        if (value) values[key] = value;
      }
      return values;
    },
    /** The session: an access token, and the refresh token that renews it. */
    setSession(reply: FastifyReply, tokens: Tokens): void {
      set(reply, 'session', tokens.access_token, tokens.expires_in);
      set(reply, 'renewal', tokens.refresh_token, renewalLife);
    },
    clearSession(reply: FastifyReply): void {
      set(reply, 'session', undefined);
      set(reply, 'renewal', undefined);
    },
    /** A random value that forms are bound to (see csrf.ts). */
    setVisitor: (reply: FastifyReply, value: string) => set(reply, 'visitor', value),
    /** The id of an emailed sign-in code. Only the browser that requested the code knows it. Undefined: the code was used. */
    setEmailCode: (reply: FastifyReply, id: string | undefined) => set(reply, 'code', id, emailCodeLifetimeMs / 1000),
    /** The destination of a user who must read a mail first. The mail may open another tab. */
    setReturnPath(reply: FastifyReply, path: string): void {
      // Browsers drop a cookie that is too long. Without it, the user only loses the destination.
      if (path.length <= maxReturnPathLength) set(reply, 'going', path, 3600);
    },
    clearReturnPath: (reply: FastifyReply) => set(reply, 'going', undefined),
    /** Undefined: the theme of the system. */
    setTheme: (reply: FastifyReply, theme: string | undefined) => set(reply, 'theme', theme),
    /** The language chosen in this browser. Undefined: the language of the browser. */
    setLanguage: (reply: FastifyReply, language: string | undefined) => set(reply, 'language', language),
    /** The user postponed the offer of a second factor in this browser. */
    setFactorOfferPostponed: (reply: FastifyReply) => set(reply, 'later', '1', 90 * 86_400),
  };
}
