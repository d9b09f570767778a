import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyContextConfig, FastifyReply } from 'fastify';
import { isApiPath } from './accept.ts';
import { addVary } from './caching.ts';

const exposedHeaders = [
  ...['DPoP-Nonce', 'ETag', 'Location', 'Retry-After', 'Link', 'RateLimit', 'RateLimit-Policy', 'RateLimit-Limit'],
  ...['RateLimit-Remaining', 'RateLimit-Reset', 'WWW-Authenticate', 'X-Request-Id'],
].join(', ');
const allowedHeaders = [
  ...['Accept', 'Authorization', 'Content-Type', 'DPoP', 'Idempotency-Key', 'If-Match', 'If-None-Match'],
  ...['Last-Event-ID', 'X-Request-Id'],
  // Model Context Protocol, streamable HTTP.
  ...['Mcp-Method', 'Mcp-Name', 'Mcp-Protocol-Version'],
].join(', ');

/**
 * The origins that may read responses. `applications` allows any origin, but credentials only from CORS_ORIGINS and the
 * service's own origin.
 */
export type CorsPolicy = 'none' | 'listed' | 'applications' | 'any';

export function allowMethods(reply: FastifyReply, methods: string): void {
  reply.header('Access-Control-Allow-Methods', methods);
  reply.header('Access-Control-Allow-Headers', allowedHeaders);
  reply.header('Access-Control-Max-Age', '600');
}

/** Lets pages of this origin read the response to a request with cookies. */
export function allowCredentials(reply: FastifyReply, origin: string): void {
  reply.header('Access-Control-Allow-Origin', origin).header('Access-Control-Allow-Credentials', 'true');
  addVary(reply, 'Origin');
}

/** The CORS rule of the route. Default: the listed origins under `/v1`, and no origin elsewhere. */
export const corsPolicyOf = (url: string, { cors }: FastifyContextConfig = {}): CorsPolicy =>
  cors ?? (isApiPath(url) ? 'listed' : 'none');

/** The CORS headers that let browser applications of other origins read responses, including errors. */
export function createCors(origins: readonly string[]) {
  const listed = new Set(origins);
  const isListed = (policy: CorsPolicy, origin: string | undefined): origin is string =>
    (policy === 'listed' || policy === 'applications') && origin !== undefined && listed.has(origin);
  const isForAny = (policy: CorsPolicy, { origin }: IncomingHttpHeaders): boolean =>
    policy === 'any' || (policy === 'applications' && origin !== undefined);
  return {
    varies: (policy: CorsPolicy): boolean => (policy === 'listed' || policy === 'applications') && listed.size > 0,
    setHeaders(headers: IncomingHttpHeaders, reply: FastifyReply, policy: CorsPolicy): void {
      const { origin } = headers;
      if (isListed(policy, origin)) {
        reply.header('Access-Control-Allow-Origin', origin);
        reply.header('Access-Control-Allow-Credentials', 'true');
      } else if (isForAny(policy, headers)) {
        // Without credentials: browsers then send no cookies to this route.
        reply.header('Access-Control-Allow-Origin', '*').header('cross-origin-resource-policy', 'cross-origin');
      } else return;
      if (policy !== 'any') reply.header('Access-Control-Expose-Headers', exposedHeaders);
    },
    setPreflightHeaders(headers: IncomingHttpHeaders, reply: FastifyReply, policy: CorsPolicy, methods: string): void {
      if (!isListed(policy, headers.origin) && !isForAny(policy, headers)) return;
      allowMethods(reply, methods);
    },
  };
}

export const isPreflight = (method: string, headers: IncomingHttpHeaders): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
