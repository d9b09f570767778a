import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyContextConfig, FastifyReply } from 'fastify';
import { isApiPath } from './accept.ts';
import { addVary } from './caching.ts';

const exposedHeaders = [
  'DPoP-Nonce',
  'ETag',
  'Location',
  'Retry-After',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');
const allowedHeaders = [
  'Accept',
  'Authorization',
  'Content-Type',
  'DPoP',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'X-Request-Id',
  // Model Context Protocol, streamable HTTP.
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Protocol-Version',
].join(', ');

/** The origins that may read answers. `applications`: any origin; with credentials, only CORS_ORIGINS and its own. */
export type CorsPolicy = 'none' | 'listed' | 'applications' | 'any';

export function allowMethods(answer: FastifyReply, methods: string): void {
  answer.header('Access-Control-Allow-Methods', methods);
  answer.header('Access-Control-Allow-Headers', allowedHeaders);
  answer.header('Access-Control-Max-Age', '600');
}

/** Lets pages of this origin read the answer although the browser sent cookies. */
export function allowCredentials(answer: FastifyReply, origin: string): void {
  answer.header('Access-Control-Allow-Origin', origin).header('Access-Control-Allow-Credentials', 'true');
  addVary(answer, 'Origin');
}

/** The CORS rule of the route. Default: the listed origins under `/v1`, and no origin elsewhere. */
export const corsPolicyOf = (url: string, { cors }: FastifyContextConfig = {}): CorsPolicy =>
  cors ?? (isApiPath(url) ? 'listed' : 'none');

/** Lets browser applications of other origins read answers, including errors. */
export function createCors(origins: readonly string[]) {
  const listed = new Set(origins);
  const isListed = (reach: CorsPolicy, { origin }: IncomingHttpHeaders): boolean =>
    (reach === 'listed' || reach === 'applications') && origin !== undefined && listed.has(origin);
  const isForAny = (reach: CorsPolicy, { origin }: IncomingHttpHeaders): boolean =>
    reach === 'any' || (reach === 'applications' && origin !== undefined);
  return {
    /** Whether answers differ by origin. */
    varies: (reach: CorsPolicy): boolean => (reach === 'listed' || reach === 'applications') && listed.size > 0,
    /** The headers of every answer. */
    setHeaders(headers: IncomingHttpHeaders, answer: FastifyReply, reach: CorsPolicy): void {
      if (isListed(reach, headers)) {
        answer.header('Access-Control-Allow-Origin', headers.origin as string);
        answer.header('Access-Control-Allow-Credentials', 'true');
      } else if (isForAny(reach, headers)) {
        // With no credentials: no browser adds a cookie to what it sends for anybody.
        answer.header('Access-Control-Allow-Origin', '*').header('cross-origin-resource-policy', 'cross-origin');
      } else return;
      if (reach !== 'any') answer.header('Access-Control-Expose-Headers', exposedHeaders);
    },
    /** And those that a preflight asks for. */
    setPreflightHeaders(headers: IncomingHttpHeaders, answer: FastifyReply, reach: CorsPolicy, methods: string): void {
      if (!isListed(reach, headers) && !isForAny(reach, headers)) return;
      allowMethods(answer, methods);
    },
  };
}

export const isPreflight = (method: string, headers: IncomingHttpHeaders): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
