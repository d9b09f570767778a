import { Readable } from 'node:stream';
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
import { isFromOutside } from './internal-request.ts';
import { requestId } from './request-id.ts';
import { lazyCompilers } from './schema-compilers.ts';
import { inRequestSpan, traceAuthentication, traceRequests } from './trace-requests.ts';
import { withoutQuery } from './without-query.ts';

/** Logs the errors that only Fastify sees: responses that failed after the error handler. */
class FrameworkLog extends LogController {
  readonly #log: Logger;

  constructor(log: Logger) {
    super({ disableRequestLogging: true });
    this.#log = log;
  }

  override streamError(error: Error, request: { id: string }): void {
    this.#log.info({ requestId: request.id, err: error }, 'response aborted');
  }

  override writeHeadError(error: Error, request: { id: string }): void {
    this.#log.error({ requestId: request.id, err: error }, 'response could not be sent');
  }

  override serializerError(error: Error, request: { id: string }): void {
    this.#log.error({ requestId: request.id, err: error }, 'response does not match its schema');
  }
}

const trustProxy = ({ trustProxy }: Config): false | string[] | ((address: string, hop: number) => boolean) => {
  const [firstEntry] = trustProxy;
  if (firstEntry === undefined || firstEntry === 'false') return false;
  // Trusts one hop: the peer, regardless of its address. The caller may have forged the other entries of
  // X-Forwarded-For.
  if (firstEntry === 'true') return (_address, hop) => hop === 0;
  return [...trustProxy];
};

/** Headers nearly always arrive in one packet, so a short timeout is enough. */
const headersTimeoutMs = 10_000;

/** While stopping: closes each connection after its last response. Its client may keep it open for minutes. */
function closeIdleWhenStopping(app: App): void {
  app.addHook('preClose', async () => {
    const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
    app.server.once('close', () => clearInterval(sweep));
    sweep.unref();
  });
}

/** Adds `reply.countRequest` for routes that authenticate the caller themselves (`limited: 'when-known'`). */
function decorateCounting(app: App, limit: RateLimit): void {
  app.decorateRequest('counted', false);
  app.decorateRequest('sharedCount', null);
  app.decorateReply('countRequest', function countRequest(this: FastifyReply, caller: string) {
    if (this.request.counted) return;
    this.request.counted = true;
    limit.count(caller, this);
  });
}

/** The kernel buffers smaller responses, so they use no memory of the process. */
const largeResponseBytes = 65_536;

const isLarge = (payload: unknown): boolean =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length >= largeResponseBytes;

/** Closes a stream that is not sent. Fastify would read it to its end before it responds to HEAD. */
function closeStream(payload: unknown): boolean {
  if (payload instanceof Readable) payload.on('error', () => undefined).destroy();
  else if (payload instanceof ReadableStream) payload.cancel().catch(() => undefined);
  else return false;
  return true;
}

function addResponseHooks(app: App, context: Context): void {
  const logRequest = requestLog(context);
  const unsent = new UnsentResponses();
  // Not `onResponse`, for which Fastify adds two listeners to each request. One hook instead of two, because each hook
  // slows down every request.
  app.addHook('onSend', (request, reply, payload, done) => {
    const taggedPayload = addEtag(request, reply, payload);
    const isUnsent = typeof payload !== 'string' && (request.method === 'HEAD' || taggedPayload === null);
    const finalPayload = isUnsent && closeStream(payload) ? null : taggedPayload;
    inRequestSpan(request, () => logRequest(request, reply));
    if (isLarge(finalPayload) && isFromOutside(request)) unsent.track(request.raw.socket, rateLimitKey(request));
    if (request.sharedCount === null) done(null, finalPayload);
    // Fastify writes the headers in `done`, and throws if the value of one is invalid.
    else request.sharedCount.then(() => done(null, finalPayload)).catch(done);
  });
}

/** Creates an HTTP server with the rules of the contract for all routes, but without routes. */
export async function createServer(context: Context, authenticate: Authenticate): Promise<App> {
  const { config, log } = context;
  const paths = createPathTable();
  const clientErrors = createClientErrorHandler(config, paths);
  const limit = new RateLimit(config.rateLimit, context.now, context.otherWorkers?.counts('requests'));
  const requestTimeoutMs = config.requestTimeout * 1000;
  const app = fastify({
    // Fastify's own logger would create a child logger for each request (see `requestLog` and error-handler.ts).
    logController: new FrameworkLog(log),
    genReqId: requestId,
    // Fastify would register a second route for HEAD. Instead, a GET route also handles HEAD, and Node omits the body.
    exposeHeadRoutes: false,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    trustProxy: trustProxy(config),
    forceCloseConnections: 'idle',
    // The gate does this. Fastify would also reject the requests that pages send inside the process.
    return503OnClosing: false,
    clientErrorHandler: clientErrors.unparsable,
    frameworkErrors: clientErrors.unroutable,
    rewriteUrl: rewriteUrl(config, paths),
    http: {
      // Node would reject a missing Host header with an empty response. The gate sends an error with a reason.
      requireHostHeader: false,
      // By default Node uses the first of repeated headers. The gate rejects them.
      joinDuplicateHeaders: true,
      headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
      connectionsCheckingInterval: Math.min(1000, requestTimeoutMs / 4),
      // Creates no body stream for a request without a body: see docs/performance.md.
      optimizeEmptyRequests: true,
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2048, querystringParser: parseQueryString },
    schemaController: { compilersFactory: lazyCompilers },
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.decorateRequest('caller');
  app.decorateRequest('route');
  app.decorateRequest('errorFormat', null);
  app.decorateRequest('startedAt', 0);
  decorateCounting(app, limit);
  app.decorate('errorPage', null);
  app.addHook('onRoute', (route) => {
    if (!route.config?.auth) throw new Error(`${route.method} ${route.url} must set config.auth`);
    if (route.method === 'GET' && route.exposeHeadRoute !== false) route.method = ['GET', 'HEAD'];
    if (!route.config.methodNotAllowed) paths.add(route.url, route.method, route.config);
  });
  app.server.on('checkExpectation', clientErrors.unexpected);
  limitConnections(app, config);
  serializePipelined(app.server);
  closeIdleWhenStopping(app);
  setErrorHandler(app, context);
  addContentTypeParsers(app);
  // Without the hook, which would parse cookies at each request. The few routes that need them call `parseCookie`.
  await app.register(cookie, { hook: false });
  traceRequests(app);
  addGate(app, context, traceAuthentication(authenticate), paths, limit);
  addResponseHooks(app, context);
  return app;
}

/** One log line per request: `error` for 5xx, `info` for other errors and writes, `debug` for reads. No URL or body. */
function requestLog({ log }: Context): (request: FastifyRequest, reply: FastifyReply) => void {
  const isDebugEnabled = log.isLevelEnabled('debug');
  return (request, reply) => {
    const { method, route } = request;
    const { statusCode } = reply;
    const ms = performance.now() - request.startedAt;
    route.durations(statusCode).observe(ms / 1000);
    const isSuccessfulRead = statusCode < 400 && (method === 'GET' || method === 'HEAD');
    if (isSuccessfulRead && !isDebugEnabled) return;
    const line = {
      requestId: request.id,
      method,
      route: route.pattern ?? 'unknown',
      status: statusCode,
      ms: Math.round(ms * 10) / 10,
      address: request.ip,
    };
    if (statusCode >= 500) log.error(line, 'request');
    else if (isSuccessfulRead) log.debug(line, 'request');
    else log.info(line, 'request');
  };
}

/** `GET http://host/path`, as proxies may send it, means the same as `GET /path` (RFC 9112 3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return path === '' || path.startsWith('?') ? `/${path}` : path;
}

/** Removes the path of BASE_URL, which a proxy may pass or strip. If the full path is a route, it stays unchanged. */
function rewriteUrl({ baseUrl }: Pick<Config, 'baseUrl'>, paths: Pick<PathTable, 'find'>) {
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '');
  return ({ url: requestTarget = '/' }: { url?: string | undefined }): string => {
    const url = originForm(requestTarget);
    if (prefix === '' || !url.startsWith(prefix)) return url;
    const path = url.slice(prefix.length);
    if (path !== '' && !/^[/?]/.test(path)) return url;
    if (paths.find(withoutQuery(url))) return url;
    return path.startsWith('/') ? path : `/${path}`;
  };
}
