import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, RawServerDefault } from 'fastify';
import type { Caller } from '../platform/caller.ts';
import type { RouteFacts } from './gate/route-facts.ts';

/** The server as routes see it: Fastify, and what a route may say about itself. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** The guard of a route. `auth:api` requires a bearer token, `auth:web` a browser session. */
export type Protection = 'public' | 'auth:api' | 'auth:web';

/** An error as a page in the style of the service. */
type ErrorPage = (
  reply: FastifyReply,
  status: number,
  title: string,
  detail: string,
  code?: string,
) => Promise<FastifyReply>;

declare module 'fastify' {
  interface FastifyContextConfig {
    auth?: Protection;
    /** On a public route: a bearer token is looked at where one is sent, so that the caller is known. */
    bearer?: 'optional';
    /** On a public page: the caller is known if somebody is signed in. The page itself handles visitors who are not. */
    web?: 'optional';
    /** The route also answers with a stream of events, whatever FORCE_ACCEPT_HEADER says. */
    eventStream?: boolean;
    /** The route reads its query string by itself, repeated parameters and all. */
    query?: 'raw';
    /** The scope that the caller's token must hold. */
    scope?: string;
    /** The path under BASE_URL of the resource that tokens must be for (RFC 8707). Default: the API's, `/v1`. */
    resource?: string;
    /** A parameter of the body that may be sent more than once. */
    repeatable?: string;
    /** How errors are answered: RFC 9457 (default), RFC 6749 5.2, or a page for people. */
    errors?: 'problem' | 'oauth' | 'page';
    /** False: not counted against RATE_LIMIT. `when-known`: the route authenticates and calls `countAs` itself. */
    limited?: boolean | 'when-known';
    /** The other origins whose pages may read the responses. Default: CORS_ORIGINS under `/v1`, otherwise none. */
    cors?: 'listed' | 'applications' | 'any';
  }
  interface FastifyRequest {
    caller: Caller;
    route: RouteFacts;
    /** By `performance.now()`. */
    startedAt: number;
    /** Where no route matched but the path is known: the form of that path's errors. */
    errorForm: FastifyContextConfig['errors'] | null;
    /** Against RATE_LIMIT, by a route that does so itself. */
    counted: boolean;
    /** With workers: resolves when it has its number among the requests of all, with the refusal where that is one too many. */
    told: Promise<Error | undefined> | null;
  }
  interface FastifyReply {
    /** Counts this request against RATE_LIMIT, once; throws 429 where it is one too many. */
    countAs(caller: string): void;
  }
  interface FastifyInstance {
    /** Set by the pages. */
    errorPage: ErrorPage | null;
  }
}
