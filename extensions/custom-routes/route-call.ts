import type { FastifyReply, FastifyRequest } from 'fastify';
import { paramsOf } from '../../src/http/query-of.ts';
import { requestSource } from '../../src/http/request-source.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { forbidden, OperatorError } from '../../src/platform/errors.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import { type Access, evaluateAccess } from '../../src/resources/declaration/access.ts';
import { didYouMean } from '../../src/resources/declaration/check-options.ts';
import { isAnyRecorded, type Resource, type Resources } from '../../src/resources/model/resource.ts';
import type { ResourceServices } from '../../src/resources/model/resource-services.ts';
import { callerRuleOf, rowRuleOf } from '../../src/resources/model/row-rules.ts';
import { wholeRow } from '../../src/resources/read/row-json.ts';
import { callOf, queryContextOf } from '../../src/resources/routes/resource-routes.ts';
import { allowedRow, lockRow } from '../../src/resources/write/allowed-row.ts';
import { type WriteContext, writeTransaction } from '../../src/resources/write/write-transaction.ts';
import type { Route, RouteCall } from './define-route.ts';

type RouteGuard = ReturnType<typeof routeGuard>;

/** The access check of a route: rules about the caller, and about the row of `resource` whose id is in the path. */
export function routeGuard(resources: Resources, route: Route) {
  const { method, resource: name, auth } = route;
  const resource = name === undefined || name === false ? undefined : findResource(resources, name);
  const isRead = method === 'GET';
  const access = route.access ?? (resource ? (isRead ? 'read' : method === 'DELETE' ? 'delete' : 'write') : undefined);
  const defaultScope =
    resource && auth === 'auth:api' ? (isRead ? resource.readScope : resource.writeScope) : undefined;
  const idName = resource && idParameter(route.path);
  const idOf = (request: FastifyRequest): string => {
    const id = String(paramsOf(request)[idName ?? '']);
    return resource?.definition.alias?.(id, request.caller) ?? id;
  };
  // Without a resource, `access` is a rule about the caller.
  const rule = resource ? callerRuleOf(resource, access ?? 'read') : (access as Access | undefined);
  const requireAccess = (caller: Caller, now: number) => {
    if (rule !== undefined && evaluateAccess(rule, caller, now) !== true)
      throw forbidden('You may not use this route.');
  };
  return {
    scope: route.scope ?? defaultScope,
    /** Throws 403 or 404. Returns the row that is named in the path. */
    async check(services: ResourceServices, request: FastifyRequest) {
      if (!resource || !idName) {
        requireAccess(request.caller, services.context.now());
        return undefined;
      }
      const row = await allowedRow(
        queryContextOf(services, request),
        resource,
        idOf(request),
        rowRuleOf(access ?? 'read'),
      );
      return wholeRow(resource, row);
    },
    /** The same check inside the transaction of a write, with the current caller. It locks the row. */
    async lockAndCheck(request: FastifyRequest, write: WriteContext): Promise<void> {
      if (!resource || !idName) requireAccess(write.caller, write.now);
      else await lockRow(write, resource, idOf(request), rowRuleOf(access ?? 'read'), undefined);
    },
  };
}

/** `:id`, or the only parameter of the path. */
export function idParameter(path: string): string | undefined {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return names.includes('id') ? 'id' : names.length === 1 ? names[0] : undefined;
}

function findResource(resources: Resources, name: string): Resource {
  const resource = resources.get(name);
  if (resource) return resource;
  throw new OperatorError(`resource: there is no resource "${name}".${didYouMean(name, resources.keys())}`);
}

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
