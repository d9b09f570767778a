import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../platform/caller.ts';
import { unauthorized } from './unauthorized.ts';

/** Authenticates a request. On failure, each method throws a 401 with the reason, or redirects to the login page. */
export interface Authenticate {
  /** For `auth:api`: returns synchronously for a cached token, otherwise after a database query. */
  bearer(token: string, request: FastifyRequest): Caller | Promise<Caller>;
  /** For `auth:web`, by session cookie. Undefined if it has redirected. A second call for the same request reuses the session. */
  web(request: FastifyRequest, reply: FastifyReply, beforeRedirect?: BeforeRedirect): Promise<Caller | undefined>;
}

/** Counts the request of a caller who is redirected. An error is sent instead of the redirect. */
export type BeforeRedirect = (caller: Caller) => Promise<void>;

/** The scheme is not case-sensitive (RFC 9110 11.1). Nearly every client writes it as in the RFC, so this form is compared first. */
const hasScheme = (authorization: string, scheme: string): boolean =>
  authorization.startsWith(scheme) || authorization.slice(0, scheme.length).toLowerCase() === scheme.toLowerCase();

/** RFC 9449 7.1: the scheme of a token that is bound to a key. */
export const isDpop = (authorization: string): boolean => hasScheme(authorization, 'DPoP ');

/** RFC 6750 2.1: tokens are accepted only in the header. */
export function bearerToken({ headers: { authorization } }: FastifyRequest): string {
  if (authorization === undefined) throw unauthorized('token_missing');
  if (hasScheme(authorization, 'Bearer ')) return authorization.slice(7).trim();
  // The verifier checks the DPoP proof.
  if (isDpop(authorization)) return authorization.slice(5).trim();
  throw unauthorized('token_missing', 'another scheme');
}
