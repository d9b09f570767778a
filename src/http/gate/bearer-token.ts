import type { FastifyRequest } from 'fastify';
import { unauthorized } from './unauthorized.ts';

/** RFC 6750 2.1: the one way in which a token is taken. */
export function bearerToken({ headers: { authorization } }: FastifyRequest): string {
  if (authorization === undefined) throw unauthorized('token_missing');
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') throw unauthorized('token_missing', 'another scheme');
  return authorization.slice(7).trim();
}
