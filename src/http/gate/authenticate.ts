import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../platform/caller.ts';
import { unauthorized } from './unauthorized.ts';

/** Authenticates a request. On failure, each method throws a 401 with the reason, or redirects to the login page. */
export interface Authenticate {
  /** For `auth:api`: returns synchronously for a cached token, otherwise after a database query. */
  bearer(token: string, request: FastifyRequest): Caller | Promise<Caller>;
  /** For `auth:web`, by session cookie. Undefined if it has redirected. A second call for the same request reuses the session. */
  web(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined>;
}

/** RFC 6750 2.1: tokens are accepted only in the header. */
export function bearerToken({ headers: { authorization } }: FastifyRequest): string {
  if (authorization === undefined) throw unauthorized('token_missing');
  if (authorization.slice(0, 7).toLowerCase() === 'bearer ') return authorization.slice(7).trim();
  // RFC 9449 7.1: a token that is bound to a key. The verifier checks the DPoP proof.
  if (authorization.slice(0, 5).toLowerCase() === 'dpop ') return authorization.slice(5).trim();
  throw unauthorized('token_missing', 'another scheme');
}
