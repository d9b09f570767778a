import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../platform/caller.ts';
import { unauthorized } from './unauthorized.ts';

/** How a request proves who sends it. Each throws the 401 (or the redirect to the login page) that says why not. */
export interface Authenticate {
  /** For `auth:api`: a token known to be good is answered at once, others after the database was asked. */
  bearer(token: string, request: FastifyRequest): Caller | Promise<Caller>;
  /** For `auth:web`, by session cookie. Undefined if it has redirected. The second call reuses the session. */
  web(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined>;
}

/** RFC 6750 2.1: tokens are taken by the header alone. */
export function bearerToken({ headers: { authorization } }: FastifyRequest): string {
  if (authorization === undefined) throw unauthorized('token_missing');
  if (authorization.slice(0, 7).toLowerCase() === 'bearer ') return authorization.slice(7).trim();
  // RFC 9449 7.1: a token that is bound to a key. The verifier asks for the proof.
  if (authorization.slice(0, 5).toLowerCase() === 'dpop ') return authorization.slice(5).trim();
  throw unauthorized('token_missing', 'another scheme');
}
