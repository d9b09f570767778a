import type { FastifyRequest } from 'fastify';

/** The source of a request, for sessions and the audit trail. */
export interface RequestSource {
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
  /** The cookie of known browsers. Only sign-in routes read it. */
  readonly browserCookie?: string | undefined;
  /** The header `Time-Zone`, not validated yet. */
  readonly timeZone?: string | undefined;
  /** The header `Accept-Language`, unchanged, for later emails. */
  readonly language?: string | undefined;
}

export const requestSource = (request: FastifyRequest): RequestSource => ({
  address: request.ip,
  userAgent: request.headers['user-agent']?.slice(0, 256) ?? null,
  requestId: request.id,
  timeZone: request.headers['time-zone'] as string | undefined,
  language: request.headers['accept-language']?.slice(0, 200),
});

/** The source of changes by the service itself: the command line and background jobs. */
export const systemSource: RequestSource = Object.freeze({ address: null, userAgent: null, requestId: null });
