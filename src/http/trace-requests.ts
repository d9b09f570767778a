import type { FastifyRequest } from 'fastify';
import { inSpan, type RequestSpan, tracing } from '../platform/tracing.ts';
import type { App } from './app.ts';
import type { Authenticate } from './gate/authenticate.ts';

const spans = new WeakMap<FastifyRequest, RequestSpan>();

/** Creates a span for each request. Its name is the route, not the URL, which may contain a secret. Does nothing without tracing. */
export function traceRequests(app: App): void {
  const traces = tracing();
  if (!traces) return;
  app.addHook('onRequest', (request, _reply, done) => {
    const span = traces.openRequest(request.headers);
    spans.set(request, span);
    span.run(done);
  });
  // The body arrives outside of the async context in which the request began.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.run(done);
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.route?.pattern ?? 'unknown';
    const attributes = {
      'http.request.method': request.method,
      'http.route': route,
      'http.response.status_code': reply.statusCode,
      'gatehouse.request_id': request.id,
    };
    spans.get(request)?.end(`${request.method} ${route}`, attributes, reply.statusCode >= 500);
    done();
  });
}

/** Runs a function inside the request's span, if it has one, so that its log lines have the trace id. */
export const inRequestSpan = (request: FastifyRequest, work: () => void): void => {
  const span = tracing() && spans.get(request);
  if (span) span.run(work);
  else work();
};

export function traceAuthentication(authenticate: Authenticate): Authenticate {
  if (!tracing()) return authenticate;
  return {
    bearer: (token, request) => inSpan('authenticate bearer', {}, () => authenticate.bearer(token, request)),
    web: (...request) => inSpan('authenticate web', {}, () => authenticate.web(...request)),
  };
}
