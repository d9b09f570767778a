import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestSource } from '../../http/request-source.ts';
import { recordEvent } from '../audit/record-event.ts';
import { isAnyRecorded } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { callOf } from '../routes/resource-routes.ts';
import { writeTransaction } from '../write/write-transaction.ts';
import type { RouteCall } from './define-route.ts';
import type { RouteGuard } from './route-access.ts';

/** The argument of a handler. `guard` checks again inside of each transaction. */
export function routeCall(
  services: ResourceServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { guard, row }: { guard?: RouteGuard; row?: RouteCall['row'] } = {},
): RouteCall {
  const { context, enqueuing } = services;
  const { database, log } = context;
  const { caller } = request;
  const call = callOf(services, request);
  return {
    ...enqueuing,
    caller,
    params: request.params,
    query: request.query,
    body: request.body,
    row: row as NonNullable<typeof row>,
    now: call.now,
    log: log.child({ requestId: request.id }),
    db: database.db,
    resource: call.resource,
    transaction: (work) => {
      const { scope } = request.route.config;
      // The handler may write any table, including those of accounts.
      const authority = { scope, changesAccounts: true, recorded: isAnyRecorded(services.resources) };
      return writeTransaction(services, call, authority, async (write) => {
        await guard?.lockAndCheck(request, write);
        return work(write.call.tx, write.caller);
      });
    },
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
