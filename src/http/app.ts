import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifySchema, RawServerDefault } from 'fastify';
import type { Caller, RequiredScope } from '../platform/caller.ts';
import type { RouteFacts } from './gate/route-facts.ts';

/** The type of the Fastify instance. Routes set the options below in their `config`. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** How a route authenticates: `auth:api` requires a bearer token, `auth:web` a browser session. */
export type Protection = 'public' | 'auth:api' | 'auth:web';

/** Renders an error as an HTML page. */
type ErrorPage = (
  reply: FastifyReply,
  status: number,
  title: string,
  detail: string,
  code?: string,
) => Promise<FastifyReply>;

/** Outside of the module below, because the compiler leaves an import that is used only there out of the declarations. */
type RouteSchema = FastifySchema;

declare module 'fastify' {
  interface FastifyContextConfig {
    auth?: Protection;
    /** On a public route: verifies a bearer token if the request has one, and sets the caller. */
    bearer?: 'optional';
    /** On a public page: sets the caller if the browser is signed in. The page itself handles other visitors. */
    web?: 'optional';
    /** The route can also respond with a stream of events, regardless of FORCE_ACCEPT_HEADER. */
    eventStream?: boolean;
    /** The path exists, but not with the method of this route: the response is 405. */
    methodNotAllowed?: boolean;
    /**
     * The allowed parameters of the query string. Default: under `/v1` those of the schema, elsewhere any. `own`: the route
     * checks them itself. `raw`: it also parses the query string itself, including repeated parameters.
     */
    query?: readonly string[] | 'own' | 'raw';
    /** The scopes that the caller's token must have. */
    scope?: RequiredScope;
    /** The path under BASE_URL of the resource that tokens must be for (RFC 8707). Default: the API's, `/v1`. */
    resource?: string;
    /** A parameter of the body that may be sent more than once. */
    repeatable?: string;
    /** The format of errors: RFC 9457 (default), RFC 6749 5.2, or a page. */
    errors?: 'problem' | 'oauth' | 'page';
    /** False: not counted against RATE_LIMIT. `when-known`: the route authenticates and calls `countRequest` itself. */
    limited?: boolean | 'when-known';
    /** The other origins whose pages may read the responses. Default: CORS_ORIGINS under `/v1`, otherwise none. */
    cors?: 'listed' | 'applications' | 'any';
    /** Describes the route in the OpenAPI document, in addition to its schema. Called when the document is first requested. */
    docs?: () => RouteSchema;
  }
  interface FastifyRequest {
    caller: Caller;
    route: RouteFacts;
    /** In milliseconds, from `performance.now()`. */
    startedAt: number;
    /** If no route matched but the path exists: the error format of that path. */
    errorFormat: FastifyContextConfig['errors'] | null;
    /** Whether `countRequest` has counted the request, on a route with `limited: 'when-known'`. */
    counted: boolean;
    /**
     * With workers: resolves when the primary has counted the request together with those of all workers. Resolves with
     * the error if the limit is exceeded.
     */
    sharedCount: Promise<Error | undefined> | null;
  }
  interface FastifyReply {
    /** Counts this request against RATE_LIMIT once. Throws 429 if the limit is exceeded. */
    countRequest(caller: string): void;
  }
  interface FastifyInstance {
    /** The pages set it. Null in a service without pages. */
    errorPage: ErrorPage | null;
  }
}
