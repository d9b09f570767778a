import { type ListQuery, queryStringOf } from 'gatehouse-server/client/list-query';
import { nameActor } from '../../database/change-log/actor.ts';
import type { Tx } from '../../database/database.ts';
import type { Reader } from '../../database/reader.ts';
import { requireScope, unauthorized } from '../../http/gate/unauthorized.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { type Caller, systemCaller } from '../../platform/caller.ts';
import { forbidden } from '../../platform/errors.ts';
import { nearestOf } from '../declaration/check-options.ts';
import type { Call, Operation } from '../declaration/define-resource.ts';
import type { ResourceCalls, ResourceOf, ServiceResourceOf } from '../declaration/resource-calls.ts';
import { type QueryContext, queryContext } from '../model/query-context.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { plainRow, readListQuery, readRowQuery } from '../query/list-query.ts';
import { listRead } from '../read/list-read.ts';
import { listJson } from '../read/list-rows.ts';
import { findRow, rowJson } from '../read/read-rows.ts';
import { selectionFor } from '../read/remembered.ts';
import { shownRow } from '../read/row-json.ts';
import { lockRow } from './allowed-row.ts';
import { inSavepoint } from './in-savepoint.ts';
import { prepared } from './prepare-write.ts';
import type { WriteContext } from './write-context.ts';
import { changeResource, createResource, deleteResource, refuseReferred } from './write-resource.ts';
import { changeRow, insertRow, removeRow } from './write-row.ts';
import { isInTransaction, targetOf, writeIn } from './write-transaction.ts';

/** Who asks, and from where. */
interface Asking {
  readonly caller: Caller;
  readonly source: RequestSource;
  readonly reader?: Reader | undefined;
}

/** The calls of one resource, for one caller. */
interface Bound {
  readonly services: ResourceServices;
  readonly resource: Resource;
  readonly asking: Asking;
  /** The transaction that they are part of. */
  readonly write: WriteContext | undefined;
}

/** A hook that writes the row that it is called for would never end. */
const deepest = 10;

/** A request as hooks see it, with what their code reads and writes other resources by. */
export const callAs = (services: ResourceServices, asking: Asking): Call => ({
  ...services.enqueuing,
  context: services.context,
  caller: asking.caller,
  source: asking.source,
  now: services.context.now(),
  resource: resourceFor(services, asking),
});

/** What custom code reads and writes resources by. `inside`: a write whose hooks ask. */
export const resourceFor =
  (services: ResourceServices, asking: Asking, inside?: WriteContext): ResourceOf =>
  (name, options) => {
    const resource = services.resources.get(name);
    if (!resource) throw new Error(`no resource is named "${name}".${nearestOf(name, services.resources.keys())}`);
    const { as, tx } = options ?? {};
    if (as !== 'caller' && as !== 'service') {
      throw new Error(`resource("${name}"): say whose rights it has, as: 'caller' or as: 'service'.`);
    }
    const asked = as === 'service' ? { ...asking, caller: systemCaller } : asking;
    const write = inside ?? (tx && writeIn(tx));
    if (!write && isInTransaction()) {
      throw new Error(`resource("${name}"): inside a transaction, pass it on: resource("${name}", { as, tx }).`);
    }
    return callsOf({ services, resource, asking: asked, write }) as never;
  };

/** The same for code that nobody asked for: it acts as the service. */
export const serviceResource =
  (resource: ResourceOf): ServiceResourceOf =>
  (name, { tx } = {}) =>
    resource(name, { as: 'service', tx });

function callsOf(bound: Bound): ResourceCalls {
  const { services, resource, asking, write } = bound;
  const call = () => callAs(services, asking);
  const asService = asking.caller.kind === 'system';
  const request = () => ({ call: call(), isForm: false, asService, selection: selectionFor(resource, plainRow) });
  return {
    find: async (id, query = {}) => find(bound, id, query as ListQuery) as never,
    list: async (query = {}) => list(bound, query as ListQuery) as never,
    async create(values) {
      mayAsk(bound, 'create');
      if (write) return createInside(bound, write, values);
      const { body } = await createResource(services, resource, { ...request(), body: values, key: undefined });
      return JSON.parse(body).data;
    },
    async update(id, values, { ifMatch } = {}) {
      mayAsk(bound, 'update');
      if (write) return updateInside(bound, write, { id, values, ifMatch });
      const change = { ...request(), id, body: values, mode: 'update', ifMatch } as const;
      return JSON.parse((await changeResource(services, resource, change)).json).data;
    },
    async delete(id, { ifMatch } = {}) {
      mayAsk(bound, 'delete');
      if (write) return deleteInside(bound, write, { id, ifMatch });
      await deleteResource(services, resource, { call: call(), id, body: {}, ifMatch });
    },
  };
}

/** Custom code cannot do for a caller what the API does not offer to that caller. */
function mayAsk({ resource, asking: { caller } }: Bound, operation: Operation): void {
  if (caller.kind === 'system') return;
  const { operations, access } = resource.definition;
  if (operations && !operations.includes(operation)) {
    throw forbidden(`The API does not offer to ${operation} ${resource.name}.`);
  }
  const reads = operation === 'list' || operation === 'find';
  if (caller.kind !== 'anonymous') requireScope(caller, reads ? resource.readScope : resource.writeScope);
  else if (!reads || access.read !== 'public') throw unauthorized('token_missing');
}

const readWith = ({ services, asking, write }: Bound): QueryContext =>
  write
    ? { engine: write.engine, db: write.db, caller: asking.caller, now: write.now }
    : queryContext(services.context.database, { caller: asking.caller, now: services.context.now() }, asking.reader);

/** The parameters as a query string has them. */
const parametersOf = (query: ListQuery): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(queryStringOf(query)));

async function find(bound: Bound, id: string, query: ListQuery): Promise<unknown> {
  mayAsk(bound, 'find');
  const { resource, asking } = bound;
  const selection = selectionFor(resource, readRowQuery(resource, parametersOf(query), asking.caller));
  const context = readWith(bound);
  const row = await findRow(context, resource, id, selection.shape);
  return JSON.parse((await rowJson(context, resource, selection, row)).json).data;
}

async function list(bound: Bound, query: ListQuery): Promise<unknown> {
  mayAsk(bound, 'list');
  const { services, resource, asking } = bound;
  const context = readWith(bound);
  const wanted = listRead(context, resource, readListQuery(resource, parametersOf(query), asking.caller));
  const paging = { keys: services.keys, address: () => '', linked: () => undefined };
  const { data, meta } = JSON.parse(await listJson(context, resource, wanted, paging));
  const { links: _links, ...pagination } = meta.pagination;
  return { data, pagination };
}

const last = new WeakMap<WriteContext, Promise<unknown>>();

/** Code may begin several writes at once. In a transaction each must end before the next begins. */
function inTurn<T>(outer: WriteContext, work: () => Promise<T>): Promise<T> {
  const running = (last.get(outer) ?? Promise.resolve()).then(work);
  last.set(
    outer,
    running.catch(() => undefined),
  );
  return running;
}

/** A write inside a transaction of somebody else's: what fails of it is undone, also where that one goes on. */
const inside = <T>(
  bound: Bound,
  outer: WriteContext,
  id: string | undefined,
  work: (write: WriteContext) => Promise<T>,
): Promise<T> => inTurn(outer, () => beginInside(bound, outer, id, work));

async function beginInside<T>(
  { services, resource, asking }: Bound,
  outer: WriteContext,
  id: string | undefined,
  work: (write: WriteContext) => Promise<T>,
): Promise<T> {
  if (outer.depth >= deepest) throw new Error(`hooks of ${resource.name} write each other's rows without end`);
  const { tx } = outer.call;
  const { ofAccounts, recorded, writeScope: scope } = resource;
  const act = { caller: asking.caller, scope, ofAccounts, ...targetOf(resource, id) };
  const caller = await services.holdAuthority(tx as Tx, act);
  const kept = outer.afterCommit.length;
  const { ruled: _ruled, ...rest } = outer;
  const revealed: Record<string, unknown> = {};
  const asked = { ...asking, caller };
  const write: WriteContext = {
    ...rest,
    caller,
    call: {
      ...outer.call,
      caller,
      resource: (name, options) => resourceFor(services, asked, write)(name, options),
      reveal: (fields) => void Object.assign(revealed, fields),
    },
    outside: { ...outer.outside, caller, resource: resourceFor(services, asked) },
    revealed,
    actor: recorded ? caller : outer.actor,
    depth: outer.depth + 1,
  };
  const renames = recorded && (caller.userId !== outer.actor.userId || caller.clientId !== outer.actor.clientId);
  try {
    return await inSavepoint(tx as Tx, outer.depth, async () => {
      if (renames) await nameActor(outer.engine, tx as Tx, caller);
      const result = await work(write);
      if (renames) await nameActor(outer.engine, tx as Tx, outer.actor);
      if (recorded) outer.afterCommit.push({ name: resource.name, run: () => services.recorded?.() });
      return result;
    });
  } catch (error) {
    outer.afterCommit.length = kept;
    throw error;
  }
}

const asSent = ({ asking }: Bound, write: WriteContext) =>
  ({ call: write.call, isForm: false, asService: asking.caller.kind === 'system' }) as const;

/** Rights are asked before, in the transaction. */
const askedBefore = async () => undefined;

const createInside = (bound: Bound, outer: WriteContext, body: unknown) =>
  inside(bound, outer, undefined, async (write) => {
    const request = { ...asSent(bound, write), body, mode: 'create' as const };
    const { values } = await prepared(bound.resource, request, askedBefore);
    const row = await insertRow(write, bound.resource, { ...values });
    return { ...shownRow(bound.resource, row), ...write.revealed } as never;
  });

interface Changing {
  readonly id: string;
  readonly values?: unknown;
  readonly ifMatch: string | undefined;
}

const updateInside = (bound: Bound, outer: WriteContext, { id, values: body, ifMatch }: Changing) =>
  inside(bound, outer, id, async (write) => {
    const before = await lockRow(write, bound.resource, id, 'update', ifMatch);
    const request = { ...asSent(bound, write), body, id, mode: 'update' as const };
    const input = await prepared(bound.resource, request, askedBefore);
    const row = await changeRow(write, bound.resource, before, { ...input, values: { ...input.values } });
    return { ...shownRow(bound.resource, row), ...write.revealed } as never;
  });

const deleteInside = (bound: Bound, outer: WriteContext, { id, ifMatch }: Changing) =>
  refuseReferred(bound.services, bound.resource, id, () =>
    inside(bound, outer, id, async (write) => {
      const before = await lockRow(write, bound.resource, id, 'delete', ifMatch);
      await bound.resource.definition.hooks?.prepareDelete?.(write.call, { id, body: {} });
      await removeRow(write, bound.resource, before);
    }),
  );
