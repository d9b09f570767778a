import type { FastifyReply, FastifyRequest } from 'fastify';
import { changeAs, type HoldAuthority } from '../../database/change-as.ts';
import type { Context } from '../../database/context.ts';
import { requestSource } from '../../http/request-source.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Enqueuing } from '../declaration/enqueuing.ts';
import type { RouteCall } from './define-route.ts';

/** What the operator's own routes are made with. */
export interface RouteServices {
  readonly context: Context;
  readonly holdAuthority: HoldAuthority;
  readonly enqueuing: Enqueuing;
}

/** One request, as an operator's handler sees it. */
export function routeCall(
  { context, holdAuthority, enqueuing }: RouteServices,
  request: FastifyRequest,
  reply: FastifyReply,
): RouteCall {
  const { database, log, now } = context;
  const { caller } = request;
  return {
    ...enqueuing,
    caller,
    params: request.params,
    query: request.query,
    body: request.body,
    now: now(),
    log: log.child({ requestId: request.id }),
    db: database.db,
    transaction: (work) =>
      // Whatever it writes may be about accounts: nobody knows.
      changeAs(
        database,
        holdAuthority,
        { caller, scope: request.route.config.scope, ofAccounts: true },
        (tx, _, held) => work(tx, held),
      ),
    recordEvent: (type, data, tx) =>
      recordEvent(context, tx ?? database.db, {
        type,
        userId: caller.userId,
        clientId: caller.clientId,
        sessionId: caller.sessionId,
        source: requestSource(request),
        ...(data ? { data } : {}),
      }),
    request,
    reply,
  };
}
