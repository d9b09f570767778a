import type { Context } from '../context.ts';
import type { App } from './server.ts';

/**
 * One line a request: errors and writes at `info`, successful reads at `debug`. The route's pattern is logged, never the
 * URL, the headers or the body, which may hold secrets.
 */
export function logRequests(app: App, { log }: Context): void {
  const verbose = log.isLevelEnabled('debug');
  // The last hook before the answer goes out, not `onResponse`: for that Fastify would add two listeners to each
  // request and take them away again.
  app.addHook('onSend', (request, reply, payload, done) => {
    const { method, route } = request;
    const { statusCode } = reply;
    const ms = performance.now() - request.startedAt;
    route.durations(statusCode).observe(ms / 1000);
    const quiet = statusCode < 400 && (method === 'GET' || method === 'HEAD');
    if (!quiet || verbose) {
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
    }
    done(null, payload);
  });
}
