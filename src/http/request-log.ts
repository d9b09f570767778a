import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../database/context.ts';

/**
 * One line a request: errors and writes at `info`, successful reads at `debug`. The route's pattern is logged, never the
 * URL, the headers or the body, which may hold secrets.
 */
export function requestLog({ log }: Context): (request: FastifyRequest, reply: FastifyReply) => void {
  const verbose = log.isLevelEnabled('debug');
  return (request, reply) => {
    const { method, route } = request;
    const { statusCode } = reply;
    const ms = performance.now() - request.startedAt;
    route.durations(statusCode).observe(ms / 1000);
    const quiet = statusCode < 400 && (method === 'GET' || method === 'HEAD');
    if (quiet && !verbose) return;
    const line = {
      requestId: request.id,
      method,
      route: route.pattern ?? 'unknown',
      status: statusCode,
      ms: Math.round(ms * 10) / 10,
      address: request.ip,
    };
    if (statusCode >= 500) log.error(line, 'request');
    else if (quiet) log.debug(line, 'request');
    else log.info(line, 'request');
  };
}
