import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Context } from '../../../src/database/context.ts';
import type { KeyRing } from '../../../src/database/keys/key-ring.ts';
import type { App } from '../../../src/http/app.ts';
import { prefersEventStream } from '../../../src/http/gate/accept.ts';
import { bearerToken } from '../../../src/http/gate/authenticate.ts';
import { rateLimitAccount } from '../../../src/http/gate/gate.ts';
import { unauthorized } from '../../../src/http/gate/unauthorized.ts';
import { noValidation } from '../../../src/http/no-validation.ts';
import { queryOf } from '../../../src/http/query-of.ts';
import { rejectUnknownFields } from '../../../src/identity/accounts/user-fields.ts';
import type { TokenVerifier } from '../../../src/oauth/sessions/verify/token-verifier.ts';
import { createWebSessions, internalTokenOf, type WebSessions } from '../../../src/pages/session/authenticate-web.ts';
import { mayBeOwnPage } from '../../../src/pages/session/csrf.ts';
import { anonymousCaller, type Caller } from '../../../src/platform/caller.ts';
import { unavailable } from '../../../src/platform/errors.ts';
import { asObject } from '../../../src/platform/is-object.ts';
import type { Resources } from '../../../src/resources/model/resource.ts';
import { readPositiveInteger } from '../../../src/resources/query/list-query.ts';
import type { ChangeLog } from '../log/change-log.ts';
import type { Position } from '../log/position.ts';
import { readSubscription } from '../view/subscription.ts';
import { readVisible } from './read-visible.ts';
import { Stream } from './stream.ts';
import { endReason, type Streams } from './streams.ts';
import { issueTicket, redeemTicket } from './tickets.ts';

interface ChangesServices {
  readonly context: Context;
  readonly keys: KeyRing;
  readonly verifier: TokenVerifier;
  readonly resources: Resources;
  readonly log: ChangeLog;
  readonly streams: Streams;
}

const defaultLimit = 100;
const maxLimit = 1000;

const optionalText = (description: string) => Type.Optional(Type.String({ description }));
const querystring = Type.Object({
  resources: optionalText(
    'Resources with changes, such as `cars,owners`. The default is all that the caller may read.',
  ),
  after: optionalText('A position. Without it: from the oldest change that is kept; for a stream, from now on.'),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit })),
  search: optionalText('Conditions as in lists.'),
  searchJoin: optionalText('As in lists.'),
  searchFields: optionalText('As in lists.'),
  ticket: optionalText('For browsers: in place of a token. See `POST /v1/change-tickets`.'),
});

const row = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]);
const ChangeSchema = Type.Object({
  position: Type.String(),
  resource: Type.String(),
  id: Type.String(),
  operation: Type.Enum(['created', 'updated', 'deleted', 'left'], {
    description: '`left`: the caller can no longer see the row.',
  }),
  version: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  before: Type.Optional(row),
  after: Type.Optional(row),
  actor: Type.Optional(row),
  at: Type.Optional(Type.String({ format: 'date-time' })),
});

const changesDocs = () => ({
  tags: ['changes'],
  summary: 'Read changes in order, or follow them as a stream',
  description:
    'With `Accept: text/event-stream` the response is a stream of Server-Sent Events that continues after `Last-Event-ID` or `after`. 410 `resync`: the position is too old, or of another history.',
  querystring,
  response: {
    200: Type.Object({
      data: Type.Array(ChangeSchema),
      meta: Type.Object({ changes_position: Type.String(), more: Type.Boolean() }),
    }),
  },
});

export function serveChanges(app: App, services: ChangesServices): void {
  const { context, keys, streams, verifier } = services;
  const webSessions = createWebSessions(context.config, verifier);
  app.get(
    '/v1/changes',
    {
      config: {
        auth: 'public',
        bearer: 'optional',
        eventStream: true,
        query: Object.keys(querystring.properties),
        docs: changesDocs,
      },
    },
    async (request, reply) => {
      const token = await tokenOf(services, webSessions, request, reply);
      return prefersEventStream(request.headers.accept) && request.method !== 'HEAD'
        ? openStream(services, request, reply, token)
        : readPage(services, request, await callerOf(services, request, token));
    },
  );
  app.post(
    '/v1/change-tickets',
    {
      ...noValidation,
      config: { auth: 'auth:api' },
      schema: {
        tags: ['changes'],
        summary: 'Get a ticket that opens one stream in a browser',
        response: {
          201: Type.Object({
            data: Type.Object({ ticket: Type.String(), expires_at: Type.String({ format: 'date-time' }) }),
          }),
        },
      },
    },
    async (request, reply) => {
      rejectUnknownFields(asObject(request.body));
      reply.code(201).header('cache-control', 'no-store');
      return { data: await issueTicket(context, keys, bearerToken(request)) };
    },
  );
  app.addHook('preClose', () => streams.stop());
}

/** Takes the token from the header, the ticket or the browser's session, in this order. */
async function tokenOf(
  { context, keys }: ChangesServices,
  webSessions: WebSessions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  if (request.headers.authorization !== undefined) return bearerToken(request);
  const { ticket } = queryOf(request);
  if (ticket) return redeemTicket(context, keys, ticket);
  if (mayBeOwnPage(request, context.config) && (await webSessions.find(request, reply)))
    return internalTokenOf(request);
  throw unauthorized('token_missing');
}

const subscriptionOf = ({ context, resources }: ChangesServices, request: FastifyRequest, caller: Caller) => {
  const query = queryOf(request);
  return readSubscription(context, resources, caller, { ...query, resources: query.resources || undefined });
};

const callerOf = async ({ verifier }: ChangesServices, request: FastifyRequest, token: string): Promise<Caller> =>
  request.caller === anonymousCaller ? verifier.verify(token, request) : request.caller;

async function readPage(services: ChangesServices, request: FastifyRequest, caller: Caller) {
  const { log } = services;
  const query = queryOf(request);
  const limit = readPositiveInteger('limit', query.limit || undefined, defaultLimit, maxLimit);
  const subscription = subscriptionOf(services, request, caller);
  const from = query.after ? await log.read('after', query.after) : await log.beginning();
  const settled = await log.settle();
  const isConnected = () => !request.raw.socket.destroyed;
  const { found, to } = await readVisible(services, subscription, { from, settled, limit, isConnected });
  const data = found.map((json): Static<typeof ChangeSchema> => JSON.parse(json));
  return { data, meta: { changes_position: await log.write(to), more: to.number < settled } };
}

async function openStream(services: ChangesServices, request: FastifyRequest, reply: FastifyReply, token: string) {
  const { log, streams, verifier, context } = services;
  const caller = await callerOf(services, request, token);
  const subscription = subscriptionOf(services, request, caller);
  const stream = new Stream(reply.raw, await log.history(), {
    subscription,
    account: rateLimitAccount(caller),
    position: await startOf(services, request),
  });
  streams.add(stream);
  reply.raw.once('close', () => streams.remove(stream));
  try {
    // Verifies the token again, because the stream is now registered and ends when the rights end.
    stream.expiresAt = (await verifier.verifyWithExpiry(token)).expiresAt;
    if (stream.closed) await rejectClosed(services, token);
  } catch (error) {
    streams.remove(stream);
    throw error;
  }
  reply.hijack();
  stream.open({
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    // Without this header, nginx buffers the response.
    'x-accel-buffering': 'no',
  });
  streams.catchUp(stream).catch((error) => {
    context.log.debug({ err: error }, 'a stream of changes ended');
    stream.end(endReason(error));
  });
}

/**
 * The stream was closed while it was being opened. If a revocation closed it, the token is no longer valid. An instance also closes its
 * streams when it stops, when keys change, and when it may have missed a revocation.
 */
async function rejectClosed({ verifier }: ChangesServices, token: string): Promise<never> {
  await verifier.verifyWithExpiry(token);
  throw unavailable('The stream cannot be opened at the moment. Try again.', 1, 'closed while it was opened');
}

/** When a browser reconnects, `Last-Event-ID` is newer than `after` in the URL. */
async function startOf({ log }: ChangesServices, request: FastifyRequest): Promise<Position> {
  const last = request.headers['last-event-id'];
  if (typeof last === 'string' && last !== '') return log.read('Last-Event-ID', last);
  const { after } = queryOf(request);
  return after ? log.read('after', after) : { number: await log.settle() };
}
