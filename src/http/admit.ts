import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../caller.ts';
import { anonymousCaller, mayUseScope } from '../caller.ts';
import type { Context } from '../context.ts';
import { notFound, Problem, tooManyRequests } from '../errors.ts';
import { namesJson, notAcceptable } from './accept.ts';
import type { KnownPaths } from './known-paths.ts';
import { queryStringProblem } from './query-string.ts';
import { RateLimit } from './rate-limit.ts';
import { securityHeaders } from './security-headers.ts';
import type { App } from './server.ts';
import { insufficientScope, unauthorized } from './unauthorized.ts';

/** How a request proves who sends it. Each throws the 401 (or the redirect to the login page) that says why not. */
export interface Authenticate {
  /** For `auth:api`: a token known to be good is answered at once, others after the database was asked. */
  bearer(token: string, request: FastifyRequest): Caller | Promise<Caller>;
  /** For `auth:web`: by the session cookie. May answer by itself (a redirect): then undefined. */
  web(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined>;
}

/**
 * The one gate that every request passes, in this order: the headers of every answer, the Accept header, unknown paths,
 * who is calling, how often, and with which scope. What guards a route is said at the route (`config.auth`).
 */
export function admitRequests(app: App, { config, now }: Context, authenticate: Authenticate, paths: KnownPaths): void {
  const headers = securityHeaders(config);
  const limit = new RateLimit(config.rateLimit, now);

  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply;
    request.caller = anonymousCaller;
    raw.setHeader('X-Request-Id', request.id);
    for (let i = 0; i < headers.length; i += 2) raw.setHeader(headers[i] as string, headers[i + 1] as string);
    try {
      if (
        config.forceAcceptHeader &&
        isApi(request.url) &&
        !namesJson(request.headers.accept) &&
        !isPreflight(request)
      ) {
        throw notAcceptable();
      }
      if (request.is404) return answerUnknownPath(request, reply, paths);
      const broken = queryStringProblem(request.query);
      if (broken) throw broken;
      const { auth, bearer, scope, limited } = request.routeOptions.config;
      const anonymous = bearer !== 'optional' || request.headers.authorization === undefined;
      if ((auth === 'public' || auth === undefined) && anonymous) {
        if (limited !== false) count(limit, request.ip, reply);
        return done();
      }
      const admit = (caller: Caller) => {
        request.caller = caller;
        count(limit, caller.userId ?? caller.clientId ?? request.ip, reply);
        if (scope !== undefined && !mayUseScope(caller, scope)) throw insufficientScope(scope);
      };
      if (auth === 'auth:web') {
        authenticate
          .web(request, reply)
          .then((caller) => {
            if (!caller) return;
            admit(caller);
            done();
          })
          .catch((error) => done(error));
        return;
      }
      const caller = authenticate.bearer(bearerToken(request), request);
      if (!(caller instanceof Promise)) {
        admit(caller);
        return done();
      }
      caller.then(admit).then(
        () => done(),
        (error) => done(refused(error, request, reply)),
      );
    } catch (error) {
      done(refused(error, request, reply));
    }
  });

  /** Guessing tokens counts against the address that guesses. */
  function refused(error: unknown, request: FastifyRequest, reply: FastifyReply): Error {
    if (error instanceof Problem && error.status === 401) {
      try {
        count(limit, request.ip, reply);
      } catch (tooMany) {
        return tooMany as Error;
      }
    }
    return error as Error;
  }
}

const isApi = (url: string): boolean => url.startsWith('/v1') && (url.length === 3 || '/?'.includes(url[3] as string));

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

function bearerToken({ headers: { authorization } }: FastifyRequest): string {
  if (authorization === undefined) throw unauthorized('token_missing');
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') throw unauthorized('token_missing', 'another scheme');
  return authorization.slice(7).trim();
}

function count(limit: RateLimit, caller: string, { raw }: FastifyReply): void {
  if (limit.limit === 0) return;
  const { remaining, resetSeconds } = limit.take(caller);
  raw.setHeader('RateLimit-Limit', limit.limit);
  raw.setHeader('RateLimit-Remaining', Math.max(0, remaining));
  raw.setHeader('RateLimit-Reset', resetSeconds);
  if (remaining < 0) {
    throw tooManyRequests(`More than ${limit.limit} requests in a minute. Wait ${resetSeconds} seconds.`, resetSeconds);
  }
}

function answerUnknownPath(request: FastifyRequest, reply: FastifyReply, paths: KnownPaths): void {
  const path = request.url.split('?', 1)[0] as string;
  const known = paths.find(path);
  if (!known) throw notFound(`There is nothing at ${path.slice(0, 200)}.`);
  if (request.method === 'OPTIONS') {
    reply.code(204).header('Allow', known.allow).send();
    return;
  }
  // The router found no route for this method: errors are still answered in the form of the path's own routes.
  request.errorForm = known.config.errors ?? null;
  throw new Problem(405, 'Method Not Allowed', `${request.method} is not possible here; ${known.allow} is.`, {
    code: 'method_not_allowed',
    headers: { Allow: known.allow },
  });
}
