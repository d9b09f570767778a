import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import { type RequestSource, requestSource } from './request-source.ts';

export type BrowserCookie = ReturnType<typeof createBrowserCookie>;

/** Browsers keep a cookie for about this long at most. Each sign-in renews it. */
const maxAge = 365 * 86_400;

/** The cookie of a known browser (identity/credentials/known-browsers.ts), which OWASP calls a device cookie. */
export function createBrowserCookie({ baseUrl }: Config) {
  const { protocol, pathname } = new URL(baseUrl);
  const secure = protocol === 'https:';
  // With this prefix, browsers reject the cookie from any other host, including hosts on the same domain.
  const name = secure && pathname === '/' ? '__Host-device' : 'device';
  const options = { httpOnly: true, sameSite: 'strict', secure, path: pathname, maxAge } as const;
  const read = (request: FastifyRequest): string | undefined => {
    const header = request.headers.cookie;
    return header === undefined ? undefined : request.server.parseCookie(header)[name];
  };
  return {
    name,
    read,
    /** Call it only after a successful sign-in. Otherwise the cookie would reveal which accounts exist. */
    set: (reply: FastifyReply, value: string) => void reply.setCookie(name, value, options),
    /** The source of a sign-in, with this cookie. */
    requestSource: (request: FastifyRequest): RequestSource => ({
      ...requestSource(request),
      browserCookie: read(request),
    }),
  };
}
