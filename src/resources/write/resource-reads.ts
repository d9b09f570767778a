import { type ListQuery, queryStringOf } from 'gatehouse-server/client/list-query';
import type { Reader } from '../../database/reader.ts';
import { requireScope, unauthorized } from '../../http/gate/unauthorized.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';
import { forbidden } from '../../platform/errors.ts';
import type { Operation } from '../declaration/define-resource.ts';
import type { ResourceCalls } from '../declaration/resource-calls.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { type QueryContext, queryContext, withDeletedRows } from '../model/row-rules.ts';
import { readListQuery, readRowQuery } from '../query/list-query.ts';
import { compileListQuery } from '../read/compile-list-query.ts';
import { listOrAggregateJson } from '../read/list-rows.ts';
import { findRow, rowJson } from '../read/read-rows.ts';
import { selectionFor } from '../read/resource-cache.ts';
import type { WriteContext } from './write-transaction.ts';

export interface CallSource {
  readonly caller: Caller;
  readonly source: RequestSource;
  readonly reader?: Reader | undefined;
}

/** The methods of one resource, for one caller. */
export interface BoundResource {
  readonly services: ResourceServices;
  readonly resource: Resource;
  readonly source: CallSource;
  /** The write whose transaction they use. */
  readonly write: WriteContext | undefined;
}

export function requireOperation({ resource, source: { caller } }: BoundResource, operation: Operation): void {
  if (caller.kind === 'system') return;
  const { operations, access } = resource.definition;
  if (operations && !operations.includes(operation)) {
    throw forbidden(`The resource ${resource.name} does not allow the operation "${operation}".`);
  }
  const isRead = operation === 'list' || operation === 'find';
  if (caller.kind !== 'anonymous') requireScope(caller, isRead ? resource.readScope : resource.writeScope);
  else if (!isRead || access.read !== 'public') throw unauthorized('token_missing');
}

export function requireSoftDelete({ name, definition }: Resource): void {
  if (!definition.softDelete)
    throw new Error(`resource("${name}"): it does not keep deleted rows. Declare softDelete: true.`);
}

const queryContextFor = ({ services, source, write }: BoundResource): QueryContext =>
  write
    ? { engine: write.engine, db: write.db, caller: source.caller, now: write.now }
    : queryContext(services.context.database, { caller: source.caller, now: services.context.now() }, source.reader);

const parametersOf = (query: ListQuery): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(queryStringOf(query)));

export async function findBound(bound: BoundResource, id: string, query: ListQuery): ReturnType<ResourceCalls['find']> {
  requireOperation(bound, 'find');
  const { resource, source } = bound;
  const rowQuery = readRowQuery(resource, parametersOf(query), source.caller);
  const selection = selectionFor(resource, rowQuery);
  const context = withDeletedRows(queryContextFor(bound), resource, rowQuery);
  const row = await findRow(context, resource, id, selection.shape);
  return JSON.parse((await rowJson(context, resource, selection, row)).json).data;
}

export async function listBound(bound: BoundResource, query: ListQuery): ReturnType<ResourceCalls['list']> {
  requireOperation(bound, 'list');
  const { services, resource, source } = bound;
  const listQuery = readListQuery(resource, parametersOf(query), source.caller);
  const context = withDeletedRows(queryContextFor(bound), resource, listQuery);
  const paging = { keys: services.keys, linkTo: () => '', setLinks: () => undefined };
  const { data, meta } = JSON.parse(
    await listOrAggregateJson(services, context, resource, compileListQuery(context, resource, listQuery), paging),
  );
  const { links: _links, ...pagination } = meta.pagination;
  return { data, pagination };
}
