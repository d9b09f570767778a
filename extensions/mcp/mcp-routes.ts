import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../src/config/config.ts';
import type { App } from '../../src/http/app.ts';
import { bearerToken } from '../../src/http/gate/authenticate.ts';
import { rateLimitAccount } from '../../src/http/gate/gate.ts';
import { RateLimit } from '../../src/http/gate/rate-limit.ts';
import { insufficientScope, unauthorized } from '../../src/http/gate/unauthorized.ts';
import { requestSource } from '../../src/http/request-source.ts';
import { offlineAccessScope } from '../../src/oauth/clients/scopes/scopes.ts';
import type { OAuth } from '../../src/oauth/oauth.ts';
import { BoundedMap } from '../../src/platform/bounded-map.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { forbidden, tooManyRequests } from '../../src/platform/errors.ts';
import { lazy } from '../../src/platform/lazy.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import type { Resources } from '../../src/resources/model/resource.ts';
import { apiOf } from './api.ts';
import { countCall } from './call-store.ts';
import type { RawArguments } from './check-arguments.ts';
import { mcpResources, rightsOf, usefulScopes } from './rights.ts';

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

const hostOf = (host: string): string => URL.parse(`http://${host}`)?.hostname ?? '';

/** Rejects pages of other origins, and DNS rebinding: by Origin, and on loopback also by Host. */
function rejectForeignPages({ origin, host = '' }: IncomingHttpHeaders, { baseUrl, corsOrigins }: Config): void {
  const serviceUrl = new URL(baseUrl);
  const isLocal = loopback.test(serviceUrl.hostname);
  const isOwn = origin === undefined || origin === serviceUrl.origin || corsOrigins.includes(origin);
  // If the service runs on loopback, pages of this machine are allowed, such as the Inspector on another port.
  if (!isOwn && !(isLocal && loopback.test(URL.parse(origin)?.hostname ?? ''))) {
    throw forbidden('Pages of other origins cannot use this address.', 'foreign_origin');
  }
  if (isLocal && !loopback.test(hostOf(host))) {
    throw forbidden('The Host header does not name this service.', 'foreign_origin');
  }
}

const path = '/mcp';
const maxCachedTokens = 1000;
const maxStreams = 500;
/** One user must not occupy all streams, even with several applications. */
const maxStreamsPerUser = 20;

const isListen = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen';

/** `POST /mcp` (Model Context Protocol, streamable HTTP without sessions): the declared resources as tools. */
export function serveMcp(app: App, oauth: OAuth, resources: Resources): void {
  const { context, audiences, verifier, clients } = oauth;
  const { config, now, log } = context;
  if (!config.mcp) return;
  const visibleResources = mcpResources(resources);
  // With offline_access, so that clients request a refresh token too.
  audiences.add(path, [...visibleResources.flatMap(usefulScopes), offlineAccessScope]);
  const limit = new RateLimit(config.mcpRateLimit, now, context.otherWorkers?.counts('mcp'));
  const tokens = new BoundedMap<string, string>(maxCachedTokens);

  /** The SDK is large. It is loaded with the first request, and so are the tools. */
  const load = lazy(async () => {
    const { createProtocol } = await import('./protocol.ts');
    const { openToolbox } = await import('./toolbox.ts');
    const { missingScope } = await import('./missing-scope.ts');
    const onError = (error: Error) => log.info({ err: error }, 'mcp');
    return { protocol: createProtocol({ name: config.brandName, onError }), openToolbox, missingScope };
  });

  async function tokenFor(token: string): Promise<string> {
    const apiToken = tokens.get(token) ?? (await verifier.tokenForApi(token));
    if (apiToken === undefined) throw unauthorized('token_malformed');
    tokens.set(token, apiToken);
    return apiToken;
  }

  async function recordCall(request: FastifyRequest, tool: string, callArguments: RawArguments): Promise<void> {
    const { userId, clientId, sessionId } = request.caller;
    const application = clientId === null ? undefined : (await clients.find(clientId))?.name;
    const { resource, action, id } = callArguments;
    const members = Object.entries({ resource, action, id });
    const eventData = members.flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value.slice(0, 100)]] : [],
    );
    await recordEvent(context, context.database.db, {
      type: 'mcp.called',
      userId,
      clientId,
      sessionId,
      source: requestSource(request),
      data: { application, tool, ...Object.fromEntries(eventData) },
    });
    if (clientId === null) return;
    await countCall(context.database.db, { clientId, application: application ?? clientId, tool, at: now() });
  }

  async function respond(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    limit.count(loginOf(request.caller), reply);
    const tooMany = await request.sharedCount;
    if (tooMany) throw tooMany;
    const { protocol, openToolbox, missingScope } = await load();
    const missing = missingScope(visibleResources, request.caller, request.body, now());
    if (missing !== undefined) throw insufficientScope(missing);
    const toolbox = openToolbox({
      rights: rightsOf(visibleResources, request.caller, now()),
      recordCall: (tool, callArguments) => recordCall(request, tool, callArguments),
      api: async () => apiOf(app, await tokenFor(bearerToken(request)), requestSource(request)),
    });
    const mcpRequest = { address: config.baseUrl + path, headers: headersOf(request), body: request.body, toolbox };
    if (isListen(request.body)) {
      return listen(reply, rateLimitAccount(request.caller), (signal) => protocol.listen({ ...mcpRequest, signal }));
    }
    const response = await protocol.respond(mcpRequest);
    reply.code(response.status).header('cache-control', 'no-store');
    const type = response.headers.get('content-type');
    if (type !== null) reply.header('content-type', type);
    return reply.send(await response.text());
  }

  /** The streams with their owners. */
  const streams = new Map<AbortController, string>();
  app.addHook('preClose', async () => {
    for (const stream of streams.keys()) stream.abort();
  });

  /** A stream of notifications, until the client disconnects. */
  async function listen(reply: FastifyReply, account: string, open: (signal: AbortSignal) => Promise<Response>) {
    const ownStreams = [...streams.values()].filter((other) => other === account).length;
    if (ownStreams >= maxStreamsPerUser)
      throw tooManyRequests(`At most ${maxStreamsPerUser} subscriptions can be open at once.`, 60);
    if (streams.size >= maxStreams) throw tooManyRequests('Too many subscriptions are open here.', 60);
    const stream = new AbortController();
    streams.set(stream, account);
    reply.raw.once('close', () => {
      streams.delete(stream);
      stream.abort();
    });
    const response = await open(stream.signal);
    const type = response.headers.get('content-type') ?? 'application/json';
    reply.hijack();
    reply.raw.writeHead(response.status, {
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      'content-type': type,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    const body = Readable.from(response.body ?? []);
    body.on('error', () => reply.raw.destroy());
    body.pipe(reply.raw);
    return reply;
  }

  app.post(
    path,
    {
      // The API counts the requests of a tool, so they are not counted twice.
      config: { auth: 'auth:api', resource: path, limited: false, cors: 'listed' },
      schema: { hide: true },
      preParsing: async (request) => rejectForeignPages(request.headers, config),
    },
    respond,
  );
}

/** The headers that the protocol uses. */
function headersOf({ headers }: FastifyRequest): Record<string, string> {
  const isRead = (pair: [string, unknown]): pair is [string, string] =>
    typeof pair[1] === 'string' && /^(accept|content-type|mcp-.*)$/.test(pair[0]);
  return Object.fromEntries(Object.entries(headers).filter(isRead));
}

const loginOf = ({ sessionId, clientId }: Caller): string => sessionId ?? clientId ?? '';
