import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';

const exposedHeaders = [
  'ETag',
  'Location',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');
const allowedHeaders = 'Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id';

/**
 * Lets the browser applications of CORS_ORIGINS read the answers, refusals included. With no origin configured it does
 * nothing, and a browser keeps other origins out by itself.
 */
export function createCors(origins: readonly string[]) {
  const allowed = new Set(origins);
  const admits = ({ origin }: IncomingHttpHeaders): boolean => origin !== undefined && allowed.has(origin);
  return {
    /** The headers of every answer. */
    dress(headers: IncomingHttpHeaders, answer: FastifyReply): void {
      if (allowed.size === 0) return;
      answer.header('Vary', 'Origin');
      if (!admits(headers)) return;
      answer.header('Access-Control-Allow-Origin', headers.origin as string);
      answer.header('Access-Control-Allow-Credentials', 'true');
      answer.header('Access-Control-Expose-Headers', exposedHeaders);
    },
    /** And those that a preflight asks for. */
    dressPreflight(headers: IncomingHttpHeaders, answer: FastifyReply, methods: string): void {
      if (!admits(headers)) return;
      answer.header('Access-Control-Allow-Methods', methods);
      answer.header('Access-Control-Allow-Headers', allowedHeaders);
      answer.header('Access-Control-Max-Age', '600');
    },
  };
}

export const isPreflight = (method: string, headers: IncomingHttpHeaders): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
