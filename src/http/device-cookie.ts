import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import { type RequestSource, requestSource } from './request-source.ts';

export interface DeviceCookie {
  readonly name: string;
  read(request: FastifyRequest): string | undefined;
  /** ColumnNameOf after a successful sign-in alone: whether it is set must tell nobody who exists. */
  set(reply: FastifyReply, value: string): void;
  /** Where a sign-in comes from, with the device that it says it is. */
  requestSource(request: FastifyRequest): RequestSource;
}

/** As long as browsers keep a cookie, about; each sign-in starts it anew. */
const maxAge = 365 * 86_400;

/** The cookie of a device that signed in before (users/credentials/known-devices.ts): never for scripts, never from another site. */
export function createDeviceCookie({ baseUrl }: Config): DeviceCookie {
  const { protocol, pathname } = new URL(baseUrl);
  const secure = protocol === 'https:';
  // The prefix makes browsers refuse such a cookie from any other host, neighbours on the same domain included.
  const name = secure && pathname === '/' ? '__Host-device' : 'device';
  const options = { httpOnly: true, sameSite: 'strict', secure, path: pathname, maxAge } as const;
  const read = (request: FastifyRequest): string | undefined => {
    const header = request.headers.cookie;
    return header === undefined ? undefined : request.server.parseCookie(header)[name];
  };
  return {
    name,
    read,
    set: (reply, value) => void reply.setCookie(name, value, options),
    requestSource: (request) => ({ ...requestSource(request), device: read(request) }),
  };
}
