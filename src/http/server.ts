import cookie from '@fastify/cookie';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Context } from '../database/context.ts';
import type { App } from './app.ts';
import { addContentTypeParsers, maxBodyBytes } from './bodies/content-type-parsers.ts';
import { parseQueryString } from './bodies/form-body.ts';
import { limitConnections, serializePipelined, UnsentResponses } from './connections.ts';
import { createClientErrorHandler } from './errors/client-error-handler.ts';
import { setErrorHandler } from './errors/error-handler.ts';
import { addEtag } from './etag.ts';
import type { Authenticate } from './gate/authenticate.ts';
import { addGate, rateLimitKey } from './gate/gate.ts';
import { createPathTable, type PathTable } from './gate/path-table.ts';
import { RateLimit } from './gate/rate-limit.ts';
import { requestId } from './request-id.ts';
import { lazyCompilers } from './schema-compilers.ts';
import { inRequestSpan, traceAuthentication, traceRequests } from './trace-requests.ts';
import { withoutQuery } from './without-query.ts';

/** Forwards the one thing that only Fastify knows: responses that failed after their headers were sent. */
class FrameworkLog extends LogController {
  readonly #log: Logger;

  constructor(log: Logger) {
    super({ disableRequestLogging: true });
    this.#log = log;
  }

  override streamError(error: Error, request: { id: string }): void {
    this.#log.info({ requestId: request.id, err: error }, 'the answer broke off');
  }

  override writeHeadError(error: Error, request: { id: string }): void {
    this.#log.error({ requestId: request.id, err: error }, 'the answer could not be sent');
  }

  override serializerError(error: Error, request: { id: string }): void {
    this.#log.error({ requestId: request.id, err: error }, 'the answer does not fit its schema');
  }
}

const trustProxy = ({ trustProxy }: Config): false | string[] | ((address: string, hop: number) => boolean) => {
  const [only] = trustProxy;
  if (only === undefined || only === 'false') return false;
  // One hop: trusts the peer, regardless of its address. The caller may have forged the entries further left in X-Forwarded-For.
  if (only === 'true') return (_address, hop) => hop === 0;
  return [...trustProxy];
};

/** Headers come in one piece, nearly always. */
const headersTimeoutMs = 10_000;

/** While stopping, a connection whose last answer has gone out is closed: its client may keep it open for minutes. */
function closeIdleWhenStopping(app: App): void {
  app.addHook('preClose', async () => {
    const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
    app.server.once('close', () => clearInterval(sweep));
    sweep.unref();
  });
}

/** For the routes that learn by themselves who is calling. */
function countByRoute(app: App, limit: RateLimit): void {
  app.decorateRequest('counted', false);
  app.decorateRequest('sharedCount', null);
  app.decorateReply('countAs', function countAs(this: FastifyReply, caller: string) {
    if (this.request.counted) return;
    this.request.counted = true;
    limit.count(caller, this);
  });
}

/** Smaller ones are taken by the system at once. */
const largeResponseBytes = 65_536;

const isLarge = (payload: unknown): boolean =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length >= largeResponseBytes;

/** The last of every answer: its tag, and its line in the log. */
function addResponseHooks(app: App, context: Context): void {
  const logRequest = requestLog(context);
  const unsent = new UnsentResponses();
  // Not `onResponse`: for that Fastify would add two listeners to each request and take them away again. And one hook, not
  // two: each costs every request.
  app.addHook('onSend', (request, reply, payload, done) => {
    const sent = addEtag(request, reply, payload);
    inRequestSpan(request, () => logRequest(request, reply));
    if (isLarge(sent)) unsent.note(request.raw.socket, rateLimitKey(request));
    if (request.sharedCount === null) done(null, sent);
    else void request.sharedCount.then(() => done(null, sent));
  });
}

/** An HTTP server that follows the contract's rules for all routes, and has none yet. */
export async function createServer(context: Context, authenticate: Authenticate): Promise<App> {
  const { config, log } = context;
  const paths = createPathTable();
  const early = createClientErrorHandler(config);
  const limit = new RateLimit(config.rateLimit, context.now, context.siblings?.counts('requests'));
  const arrival = config.requestTimeout * 1000;
  const app = fastify({
    // No logger of Fastify's own: it would make a child logger for each request (see `requestLog` and error-handler.ts).
    logController: new FrameworkLog(log),
    genReqId: requestId,
    bodyLimit: maxBodyBytes,
    requestTimeout: arrival,
    trustProxy: trustProxy(config),
    forceCloseConnections: 'idle',
    clientErrorHandler: early.unparsable,
    frameworkErrors: early.unroutable,
    rewriteUrl: rewriteUrl(config, paths),
    http: {
      // Node would refuse a missing Host header with an empty answer; the gate says what is missing.
      requireHostHeader: false,
      // A header that may be sent once is refused when it comes twice, not taken for its first: see the gate.
      joinDuplicateHeaders: true,
      headersTimeout: Math.min(headersTimeoutMs, arrival),
      connectionsCheckingInterval: Math.min(1000, arrival / 4),
      // A request without a body gets no stream to read it from: see docs/performance.md.
      optimizeEmptyRequests: true,
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2048, querystringParser: parseQueryString },
    schemaController: { compilersFactory: lazyCompilers },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App;

  app.decorateRequest('caller');
  app.decorateRequest('route');
  app.decorateRequest('errorForm', null);
  app.decorateRequest('startedAt', 0);
  countByRoute(app, limit);
  app.decorate('errorPage', null);
  app.addHook('onRoute', (route) => {
    // HEAD routes that Fastify adds beside a GET carry its config.
    if (!route.config?.auth) throw new Error(`${route.method} ${route.url} must say config.auth: what guards it`);
    paths.add(route.url, route.method, route.config);
  });
  app.server.on('checkExpectation', early.unexpected);
  limitConnections(app, config);
  serializePipelined(app.server);
  closeIdleWhenStopping(app);
  setErrorHandler(app, context);
  addContentTypeParsers(app);
  // Reading them is left to the few who do (`parseCookie`): the plugin would read them at each request.
  await app.register(cookie, { hook: false });
  traceRequests(app);
  addGate(app, context, traceAuthentication(authenticate), paths, limit);
  addResponseHooks(app, context);
  return app;
}

/** One log line per request: `info` for errors and writes, `debug` for reads. Logs the route, never URL or body. */
function requestLog({ log }: Context): (request: FastifyRequest, reply: FastifyReply) => void {
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

/** `GET http://host/path`, as proxies may send it, means the same as `GET /path` (RFC 9112 3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return path === '' || path.startsWith('?') ? `/${path}` : path;
}

/** The URL as routes know it. A proxy may pass the path of BASE_URL or strip it; a path that is a route stays. */
function rewriteUrl({ baseUrl }: Pick<Config, 'baseUrl'>, paths: Pick<PathTable, 'find'>) {
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '');
  return ({ url: sent = '/' }: { url?: string | undefined }): string => {
    const url = originForm(sent);
    if (prefix === '' || !url.startsWith(prefix)) return url;
    const rest = url.slice(prefix.length);
    if (rest !== '' && !/^[/?]/.test(rest)) return url;
    if (paths.find(withoutQuery(url))) return url;
    return rest.startsWith('/') ? rest : `/${rest}`;
  };
}
