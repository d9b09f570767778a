import type { FastifyRequest } from 'fastify';

/** Where a request came from, for sessions and the audit trail. */
export interface RequestSource {
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
  /** The cookie of known browsers. Read only where people sign in. */
  readonly browserCookie?: string | undefined;
  /** What the caller says its time zone is, by the header `Time-Zone`; not looked at yet. */
  readonly timeZone?: string | undefined;
  /** The header `Accept-Language` as it came: for mail that follows. */
  readonly language?: string | undefined;
}

export const requestSource = (request: FastifyRequest): RequestSource => ({
  address: request.ip,
  userAgent: request.headers['user-agent']?.slice(0, 256) ?? null,
  requestId: request.id,
  timeZone: request.headers['time-zone'] as string | undefined,
  language: request.headers['accept-language']?.slice(0, 200),
});

/** For work of the service's own: the command line and background jobs. */
export const systemSource: RequestSource = Object.freeze({ address: null, userAgent: null, requestId: null });
