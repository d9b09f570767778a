import type { FastifyRequest } from 'fastify';
import { unauthorized } from './unauthorized.ts';

/** RFC 6750 2.1: tokens are taken by the header alone. */
export function bearerToken({ headers: { authorization } }: FastifyRequest): string {
  if (authorization === undefined) throw unauthorized('token_missing');
  if (authorization.slice(0, 7).toLowerCase() === 'bearer ') return authorization.slice(7).trim();
  // RFC 9449 7.1: a token that is bound to a key. The verifier asks for the proof.
  if (authorization.slice(0, 5).toLowerCase() === 'dpop ') return authorization.slice(5).trim();
  throw unauthorized('token_missing', 'another scheme');
}
