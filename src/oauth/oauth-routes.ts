import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../http/app.ts';
import { type BrowserCookie, createBrowserCookie } from '../http/browser-cookie.ts';
import { allowCredentials, allowMethods } from '../http/gate/cors.ts';
import { noValidation } from '../http/no-validation.ts';
import { requestSource } from '../http/request-source.ts';
import { handlePushedRequest } from './authorize/push-request.ts';
import { isOriginOfApplication, type StoredClient } from './clients/client-store.ts';
import { handleIntrospection } from './introspect.ts';
import { serveMetadata, serveProtectedResources } from './metadata-routes.ts';
import type { ClientRequest, OAuth } from './oauth.ts';
import { serveUserInfo } from './openid/userinfo-routes.ts';
import { handleRevocation } from './revoke.ts';
import {
  introspectionSchema,
  oauthErrorSchema,
  pushedRequestSchema,
  tokenAndHintSchema,
  tokenParametersSchema,
  tokenResponseSchema,
} from './schemas.ts';
import { handleTokenRequest } from './token-endpoint.ts';

const config = {
  auth: 'public',
  errors: 'oauth',
  limited: 'when-known',
  cors: 'applications',
  repeatable: 'resource',
} as const;
export const oauthTags = ['OAuth'];
const consumes = ['application/x-www-form-urlencoded', 'application/json', 'multipart/form-data'];
export const oauthErrorResponses = { 400: oauthErrorSchema, 401: oauthErrorSchema, 429: oauthErrorSchema };

/** RFC 6749 5.1: for every response, including errors. */
export function setNoStore(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
  done();
}

/** The handlers build complete responses, so no schema filters them. */
const jsonSerializer = () => JSON.stringify;

export const clientRequestOf = (request: FastifyRequest, reply: FastifyReply): ClientRequest => ({
  dpopRequest: { method: request.method, url: request.url, headers: request.headers },
  authorization: request.headers.authorization,
  body: request.body,
  source: requestSource(request),
  countRequest: (caller) => reply.countRequest(caller),
  onAuthenticated: (client) => allowOwnOrigin(client, request, reply),
});

/** Lets pages of the application read the response to a request with cookies. Some libraries send cookies. */
function allowOwnOrigin({ redirect_uris }: StoredClient, { headers: { origin } }: FastifyRequest, reply: FastifyReply) {
  if (origin !== undefined && redirect_uris.some((uri) => originOf(uri) === origin)) allowCredentials(reply, origin);
}

/** A preflight does not name the application, so the origins of all applications are allowed. */
function serveTokenPreflight(app: App, { context: { database } }: OAuth): void {
  const options = { config: { ...config, limited: true } as const, schema: { hide: true } };
  app.options('/oauth/token', options, async ({ headers: { origin } }, reply) => {
    if (origin !== undefined && (await isOriginOfApplication(database.db, origin))) allowCredentials(reply, origin);
    allowMethods(reply, 'OPTIONS, POST');
    return reply.code(204).header('Allow', 'OPTIONS, POST').send();
  });
}

/** Null for a custom scheme: no web page has such an origin. */
const originOf = (uri: string): string | null => (/^https?:/.test(uri) ? new URL(uri).origin : null);

/** The options of every OAuth endpoint. */
export const oauthRouteOptions = { config, onRequest: setNoStore, ...noValidation, serializerCompiler: jsonSerializer };

interface Endpoint extends Pick<FastifySchema, 'summary' | 'body'> {
  readonly name: string;
  /** The operation id outside of `/v1`. The operation inside is named after its path. */
  readonly operationId: string;
  /** False: not under `/v1`. The specification does not name it there, and clients find it in the metadata. */
  readonly underV1?: boolean;
  readonly response: Readonly<Record<number, Type.TSchema>>;
  handle(request: FastifyRequest, reply: FastifyReply): Promise<object>;
}

const endpointsOf = (oauth: OAuth, knownBrowsers: BrowserCookie): readonly Endpoint[] => [
  {
    name: 'token',
    operationId: 'getTokens',
    summary: 'Get tokens',
    body: tokenParametersSchema,
    response: { 200: tokenResponseSchema },
    async handle(request, reply) {
      const source = knownBrowsers.requestSource(request);
      if (request.headers.dpop !== undefined) reply.header('DPoP-Nonce', oauth.dpop.nonce());
      const { response, browserCookie } = await handleTokenRequest(oauth, {
        ...clientRequestOf(request, reply),
        source,
      });
      if (browserCookie !== undefined) knownBrowsers.set(reply, browserCookie);
      return response;
    },
  },
  {
    name: 'par',
    underV1: false,
    operationId: 'pushAuthorizationRequest',
    summary: 'Push an authorization request (RFC 9126)',
    body: Type.Object({ client_id: Type.Optional(Type.String()) }, { additionalProperties: true }),
    response: { 201: pushedRequestSchema },
    async handle(request, reply) {
      const pushed = await handlePushedRequest(oauth, clientRequestOf(request, reply));
      reply.code(201);
      return pushed;
    },
  },
  {
    name: 'revoke',
    operationId: 'revokeToken',
    summary: 'Revoke a token and end its session (RFC 7009)',
    body: tokenAndHintSchema,
    response: { 200: Type.Object({}, { description: 'The token is invalid or has expired.' }) },
    handle: (request, reply) => handleRevocation(oauth, clientRequestOf(request, reply)),
  },
  {
    name: 'introspect',
    operationId: 'introspectToken',
    summary: 'Introspect a token (RFC 7662)',
    body: tokenAndHintSchema,
    response: { 200: introspectionSchema },
    handle: (request, reply) => handleIntrospection(oauth, clientRequestOf(request, reply)),
  },
];

/** Serves an endpoint under `/v1`, and outside of it for standard clients, which may send any Accept header. */
export function serveEndpoint(app: App, { name, underV1 = true, operationId, handle, response, ...schema }: Endpoint) {
  const documented = { tags: oauthTags, consumes, ...schema, response: { ...response, ...oauthErrorResponses } };
  app.post(`/oauth/${name}`, { ...oauthRouteOptions, schema: { operationId, ...documented } }, handle);
  if (!underV1) return;
  const inApi = { ...config, cors: 'listed' } as const;
  app.post(`/v1/oauth/${name}`, { ...oauthRouteOptions, config: inApi, schema: documented }, handle);
}

export function serveOAuth(app: App, oauth: OAuth): void {
  const browserCookie = createBrowserCookie(oauth.context.config);
  for (const endpoint of endpointsOf(oauth, browserCookie)) serveEndpoint(app, endpoint);
  serveTokenPreflight(app, oauth);
  serveUserInfo(app, oauth);
  serveMetadata(app, oauth);
  serveProtectedResources(app, oauth);
}
