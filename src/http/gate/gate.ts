import type { FastifyReply, FastifyRequest, preValidationHookHandler, RouteOptions } from 'fastify';
import type { Context } from '../../database/context.ts';
import type { Database } from '../../database/database.ts';
import { anonymousCaller, type Caller } from '../../platform/caller.ts';
import { badRequest, notFound, Problem, unavailable } from '../../platform/errors.ts';
import type { App } from '../app.ts';
import { queryStringProblem } from '../bodies/form-body.ts';
import { isCounted, isFromOutside } from '../internal-request.ts';
import { networkOf } from '../network-of.ts';
import { withoutQuery } from '../without-query.ts';
import { acceptsJson, isApiPath, notAcceptable, prefersEventStream } from './accept.ts';
import { type Authenticate, bearerToken } from './authenticate.ts';
import { setCachingHeaders } from './caching.ts';
import { type CorsPolicy, corsPolicyOf, createCors, isPreflight } from './cors.ts';
import { requireDeclaredParameters } from './declared-parameters.ts';
import type { PathTable } from './path-table.ts';
import type { RateLimit } from './rate-limit.ts';
import { createRouteFacts } from './route-facts.ts';
import { securityHeaders } from './security-headers.ts';
import { requireScope } from './unauthorized.ts';

/** The checks before every handler: headers, Accept, malformed input, unknown paths, caller, rate limit and scope. */
export function addGate(
  app: App,
  { config, metrics, database }: Context,
  authenticate: Authenticate,
  paths: PathTable,
  limit: RateLimit,
): void {
  const headers = securityHeaders(config);
  const cors = createCors(config.corsOrigins);
  const factsOf = createRouteFacts(metrics);
  recheckAfterBody(app, database, authenticate);
  requireDeclaredParameters(app);
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });

  app.addHook('onRequest', (request, reply, proceed) => {
    const continueRequest = limit.isShared ? afterSharedCount(request, proceed) : proceed;
    // Ends the snapshot of an earlier request before this request reads the database.
    database.bus.endSnapshot();
    request.caller = anonymousCaller;
    request.startedAt = performance.now();
    const route = factsOf(request);
    request.route = route;
    // Set on `reply`, not on `reply.raw`: Fastify passes all headers to one writeHead, which is faster than setting
    // them one by one (docs/performance.md).
    reply.header('x-request-id', request.id);
    reply.headers(headers);
    const policy = route.pattern === undefined ? corsOfUnknownPath(request) : route.cors;
    cors.setHeaders(request.headers, reply, policy);
    const byToken = request.headers.authorization !== undefined;
    setCachingHeaders(reply, route.audience, { byToken, byOrigin: cors.varies(policy) });
    // Without Content-Length and Transfer-Encoding there is no body, even if the request has a Content-Type. Node has
    // already ended such a request (`optimizeEmptyRequests`), so the body parser would wait forever.
    if (request.headers['content-type'] !== undefined && request.raw.readableEnded) {
      request.headers['content-type'] = undefined;
    }
    try {
      if (stopping && isFromOutside(request)) throw unavailable('The service is stopping. Try again.', 1);
      // Uses the route's pattern if there is one: the same path has many spellings (`/%76%31/users`).
      if (config.forceAcceptHeader && (route.pattern === undefined ? isApiPath(request.url) : route.inApi)) {
        requireJson(request, route.config.eventStream === true);
      }
      rejectMalformed(request, route.config.query === 'raw');
      if (route.pattern === undefined) {
        accountOfUnknownPath(request)
          .then((account) => respondToUnknownPath(request, reply, policy, account))
          .catch(continueRequest);
        return;
      }
      const { auth, bearer, web, scope, limited } = route.config;
      const byCookie = auth === 'auth:web' || web === 'optional';
      const anonymous = (bearer !== 'optional' || !byToken) && !byCookie;
      if ((auth === 'public' || auth === undefined) && anonymous) {
        if (limited === undefined || limited === true) limit.count(addressOf(request), reply);
        return continueRequest();
      }
      const countCaller = (caller: Caller) => {
        request.caller = caller;
        if (limited !== false && isCounted(request)) limit.count(rateLimitKey(request), reply);
      };
      const acceptCaller = (caller: Caller) => {
        countCaller(caller);
        requireScope(caller, scope);
      };
      if (byCookie) {
        authenticate
          .web(request, reply, async (caller) => {
            countCaller(caller);
            const tooMany = await request.sharedCount;
            if (tooMany) throw tooMany;
          })
          .then((caller) => {
            if (!caller) return;
            acceptCaller(caller);
            continueRequest();
          })
          .catch((error) => continueRequest(error));
        return;
      }
      const caller = authenticate.bearer(bearerToken(request), request);
      if (!(caller instanceof Promise)) {
        acceptCaller(caller);
        return continueRequest();
      }
      caller.then(acceptCaller).then(
        () => continueRequest(),
        (error) => continueRequest(countFailure(error, request, reply)),
      );
    } catch (error) {
      continueRequest(countFailure(error, request, reply));
    }
  });

  /** Counts a failed authentication against the address, so that guessing tokens is limited. */
  function countFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): Error {
    if (error instanceof Problem && error.status === 401) {
      try {
        limit.count(addressOf(request), reply);
      } catch (tooMany) {
        return tooMany as Error;
      }
    }
    return error as Error;
  }

  /** No route matched. The path may exist with another method. */
  function corsOfUnknownPath({ url }: FastifyRequest): CorsPolicy {
    const path = paths.find(withoutQuery(url));
    return corsPolicyOf(path?.url ?? url, path?.config);
  }

  /** The account of a valid token, otherwise the address. An invalid token changes nothing else in the response. */
  async function accountOfUnknownPath(request: FastifyRequest): Promise<string> {
    if (request.headers.authorization === undefined) return addressOf(request);
    try {
      return rateLimitAccount(await authenticate.bearer(bearerToken(request), request));
    } catch {
      return addressOf(request);
    }
  }

  function respondToUnknownPath(
    request: FastifyRequest,
    reply: FastifyReply,
    policy: CorsPolicy,
    account: string,
  ): void {
    limit.count(account, reply);
    const requestPath = withoutQuery(request.url);
    const path = paths.find(requestPath);
    if (!path) throw notFound(`There is nothing at ${requestPath.slice(0, 200)}.`);
    if (request.method === 'OPTIONS') {
      if (isPreflight(request.method, request.headers))
        cors.setPreflightHeaders(request.headers, reply, policy, path.allow);
      reply.code(204).header('Allow', path.allow).send();
      return;
    }
    // No route has this method, so the error uses the format of the path's other routes.
    request.errorFormat = path.config.errors ?? null;
    throw new Problem(405, 'Method Not Allowed', `${request.method} is not allowed here. Allowed: ${path.allow}.`, {
      code: 'method_not_allowed',
      headers: { Allow: path.allow },
    });
  }
}

/** With workers: waits until the primary has counted the request, which may exceed the limit. */
const afterSharedCount =
  (request: FastifyRequest, proceed: (error?: Error) => void) =>
  (error?: Error): void => {
    if (request.sharedCount === null) proceed(error);
    else void request.sharedCount.then((tooMany) => proceed(tooMany ?? error));
  };

/** The network of the caller. The address of a closed connection is no longer known. */
const addressOf = ({ ip }: FastifyRequest): string => networkOf(ip ?? '');

/** The caller whose requests are counted: a client that acts for its owner, or a user through any client. */
export const rateLimitAccount = ({ kind, userId, clientId }: Caller): string =>
  (kind === 'client' ? (clientId ?? userId) : (userId ?? clientId)) as string;

/** The key for counting requests by caller: the account, or the network of an anonymous caller. */
export const rateLimitKey = (request: FastifyRequest): string =>
  request.caller && request.caller !== anonymousCaller ? rateLimitAccount(request.caller) : addressOf(request);

function requireJson({ method, headers }: FastifyRequest, allowsEventStream: boolean): void {
  // Browsers send preflights without an Accept header, and the application cannot add one.
  if (acceptsJson(headers.accept) || isPreflight(method, headers)) return;
  if (!allowsEventStream || !prefersEventStream(headers.accept)) throw notAcceptable();
}

function rejectMalformed({ url, query, headers, raw }: FastifyRequest, rawQuery: boolean): void {
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    throw badRequest('The Host header is missing.', 'host_missing');
  }
  // A repeated header arrives as a list (`joinDuplicateHeaders`). A proxy may have used the other value (RFC 9112 3.2).
  if (headers.host?.includes(',')) throw badRequest('The Host header was sent more than once.', 'host_invalid');
  // PostgreSQL cannot store this character, so no row can have it in its name or id.
  const checkedUrl = rawQuery ? withoutQuery(url) : url;
  if (checkedUrl.includes('%00')) throw badRequest('The URL contains a NUL character (%00).', 'encoding_invalid');
  const problem = rawQuery ? undefined : queryStringProblem(query);
  if (problem) throw problem;
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** Whether requests of the route have a body and may have an authenticated caller. */
function needsSecondCheck({ method, config }: RouteOptions): boolean {
  if ([method].flat().every(isRead)) return false;
  return config?.auth !== 'public' || config.bearer === 'optional' || config.web === 'optional';
}

/** Authenticates again when the body has arrived: the token may expire during a slow upload. Skips routes without a body. */
function recheckAfterBody(app: App, { bus }: Database, authenticate: Authenticate): void {
  const recheck: preValidationHookHandler = (request, reply, done) => {
    // The token or session was optional, and the request has none.
    if (request.caller === anonymousCaller) return done();
    bus.endSnapshot();
    const { auth, web, scope } = request.route.config;
    /** False if `authenticate.web` has already redirected to the login page. */
    const acceptCaller = (caller: Caller | undefined): boolean => {
      if (caller === undefined) return false;
      request.caller = caller;
      requireScope(caller, scope);
      return true;
    };
    try {
      const caller =
        auth === 'auth:web' || web === 'optional'
          ? authenticate.web(request, reply)
          : authenticate.bearer(bearerToken(request), request);
      if (caller instanceof Promise) caller.then(acceptCaller).then((admitted) => admitted && done(), done);
      else if (acceptCaller(caller)) done();
    } catch (error) {
      done(error as Error);
    }
  };

  app.addHook('onRoute', (route) => {
    if (needsSecondCheck(route)) route.preValidation = [recheck, ...[route.preValidation ?? []].flat()];
  });
}
