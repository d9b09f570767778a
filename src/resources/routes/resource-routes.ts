import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { isForm } from '../../http/bodies/content-type-parsers.ts';
import { sendNotModified } from '../../http/etag.ts';
import { paramsOf, queryOf } from '../../http/query-of.ts';
import { RequestReader } from '../../http/request-reader.ts';
import { requestSource } from '../../http/request-source.ts';
import { withoutQuery } from '../../http/without-query.ts';
import type { Call, Operation } from '../declaration/define-resource.ts';
import type { PageLinks } from '../model/paging.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { type QueryContext, queryContext, withDeletedRows } from '../model/row-rules.ts';
import { defaultRowQuery, readDeleteQuery, readListQuery, readRowQuery } from '../query/list-query.ts';
import { compileListQuery } from '../read/compile-list-query.ts';
import { listOrAggregateJson } from '../read/list-rows.ts';
import { findRowJson, preferReplica } from '../read/read-rows.ts';
import { selectionFor } from '../read/resource-cache.ts';
import type { JsonWithEtag } from '../read/row-json.ts';
import { thenMaybe } from '../sql/then-maybe.ts';
import { idempotencyKey } from '../write/idempotency.ts';
import { createCall } from '../write/resource-calls.ts';
import { changeResource, createResource, deleteResource, restoreResource } from '../write/write-resource.ts';
import type { ResourceOperation } from './resource-operation.ts';

export const callOf = (services: ResourceServices, request: FastifyRequest): Call =>
  createCall(services, { caller: request.caller, source: requestSource(request), reader: new RequestReader(request) });

export const queryContextOf = ({ context }: ResourceServices, request: FastifyRequest): QueryContext =>
  queryContext(context.database, { caller: request.caller, now: context.now() }, new RequestReader(request));

/**
 * The guard of a route of the resource: its scope, and a token unless the route is public. The route has no schema, because the resource
 * engine validates the input and serializes the JSON.
 */
export const routeConfig = (
  resource: Resource,
  access: 'read' | 'write',
  operation?: ResourceOperation,
): FastifyContextConfig => ({
  ...(access === 'read' && resource.definition.access.read === 'public'
    ? { auth: 'public', bearer: 'optional' }
    : { auth: 'auth:api' }),
  scope: access === 'read' ? resource.readScope : resource.writeScope,
  ...(operation ? { operation } : {}),
});

/** Handlers return the text, because Fastify would wait until a returned reply is sent. */
export function sendJson(reply: FastifyReply, json: string): string {
  reply.header('content-type', 'application/json; charset=utf-8');
  return json;
}

const sendJsonWithEtag = (reply: FastifyReply, { json, etag }: JsonWithEtag): string =>
  sendJson(reply.header('etag', etag), json);

export function idOf({ definition }: Resource, request: FastifyRequest): string {
  const { id = '' } = paramsOf(request);
  return definition.alias?.(id, request.caller) ?? id;
}

const linkBuilder =
  ({ context }: ResourceServices, request: FastifyRequest) =>
  (changes: Record<string, string>): string => {
    const { url } = request;
    const query = { ...queryOf(request), ...changes };
    let text = '';
    for (const [name, value] of Object.entries(query)) {
      text += `${text === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    }
    const end = url.indexOf('?');
    return `${context.config.baseUrl}${end < 0 ? url : url.slice(0, end)}${text}`;
  };

/** The paging of a list. Its links are sent in the `Link` header too (RFC 8288). */
export const pagingOf = (services: ResourceServices, request: FastifyRequest, reply: FastifyReply) => ({
  keys: services.keys,
  url: request.url,
  linkTo: linkBuilder(services, request),
  positions: services.changeFeed?.positions,
  setEtag: (etag: string) => void reply.header('etag', etag),
  setLinks({ next, previous }: PageLinks): void {
    const links = [next && `<${next}>; rel="next"`, previous && `<${previous}>; rel="prev"`].filter(Boolean);
    if (links.length > 0) reply.header('link', links.join(', '));
  },
});

export function serveResource(app: App, services: ResourceServices, resource: Resource): void {
  const { operations } = resource.definition;
  const hasOperation = (operation: Operation) => operations?.includes(operation) ?? true;
  const path = `/v1/${resource.name}`;
  const options = (kind: Operation, access: 'read' | 'write', query?: 'own') => ({
    config: { ...routeConfig(resource, access, { kind, resource }), ...(query ? { query } : {}) },
  });

  // Reads are not async, because on SQLite the result is available immediately.
  if (hasOperation('list')) {
    app.get(path, options('list', 'read', 'own'), (request, reply) => {
      const query = readListQuery(resource, queryOf(request), request.caller);
      const primaryContext = withDeletedRows(queryContextOf(services, request), resource, query);
      const list = compileListQuery(primaryContext, resource, query);
      const context = preferReplica(primaryContext, services.context.database, resource, list);
      const json = listOrAggregateJson(services, context, resource, list, pagingOf(services, request, reply));
      return thenMaybe(json, (text) => sendJson(reply, text));
    });
  }
  if (hasOperation('find')) {
    app.get(`${path}/:id`, options('find', 'read', 'own'), (request, reply) => {
      const query = readRowQuery(resource, queryOf(request), request.caller);
      const selection = selectionFor(resource, query);
      const readsOtherResources = selection.includes.length > 0;
      const primaryContext = withDeletedRows(queryContextOf(services, request), resource, query);
      const context = preferReplica(primaryContext, services.context.database, resource, { readsOtherResources });
      const json = findRowJson(context, resource, selection, idOf(resource, request));
      return thenMaybe(json, (jsonWithEtag) =>
        sendNotModified(reply, jsonWithEtag.etag) ? undefined : sendJsonWithEtag(reply, jsonWithEtag),
      );
    });
  }
  if (hasOperation('create')) {
    app.post(path, options('create', 'write'), (request, reply) => createRow(services, resource, request, reply));
  }
  for (const [operation, method] of [
    ['replace', 'put'],
    ['update', 'patch'],
  ] as const) {
    if (!hasOperation(operation)) continue;
    app[method](`${path}/:id`, options(operation, 'write'), async (request, reply) => {
      const changed = await changeResource(services, resource, {
        ...changeRequestOf(services, resource, request),
        mode: operation,
        key: idempotencyKeyOf(services, request),
      });
      if (changed.revealed) reply.header('cache-control', 'no-store');
      return sendJsonWithEtag(reply, changed);
    });
  }
  if (hasOperation('delete')) {
    app.delete(`${path}/:id`, options('delete', 'write', 'own'), async (request, reply) => {
      const { deleted } = readDeleteQuery(resource, queryOf(request));
      await deleteResource(services, resource, {
        ...changeRequestOf(services, resource, request),
        forGood: deleted !== undefined,
        key: idempotencyKeyOf(services, request),
      });
      return reply.code(204).send();
    });
  }
  if (resource.definition.softDelete) {
    const config = routeConfig(resource, 'write', { kind: 'restore', resource });
    app.post(`${path}/:id/restorations`, { config }, async (request, reply) => {
      return sendJsonWithEtag(
        reply,
        await restoreResource(services, resource, changeRequestOf(services, resource, request)),
      );
    });
  }
}

export async function createRow(
  services: ResourceServices,
  resource: Resource,
  request: FastifyRequest,
  reply: FastifyReply,
  fixedValues: Pick<Parameters<typeof createResource>[2], 'fixed' | 'link'> = {},
): Promise<string> {
  const createRequest = {
    ...writeRequestOf(services, resource, request),
    key: idempotencyKeyOf(services, request),
    ...fixedValues,
  };
  const { headers, body } = await createResource(services, resource, createRequest);
  return sendJson(reply.code(201).headers(headers), body);
}

const writeRequestOf = (services: ResourceServices, resource: Resource, request: FastifyRequest) => ({
  call: callOf(services, request),
  body: request.body,
  isForm: isForm(request),
  selection: selectionFor(resource, defaultRowQuery),
});

const changeRequestOf = (services: ResourceServices, resource: Resource, request: FastifyRequest) => ({
  ...writeRequestOf(services, resource, request),
  id: idOf(resource, request),
  ifMatch: request.headers['if-match'],
});

/** An idempotency key applies to one method and path. */
function idempotencyKeyOf({ keys }: ResourceServices, { method, url, headers, caller, body }: FastifyRequest) {
  const path = withoutQuery(url).replace(/\/$/, '');
  return idempotencyKey(keys, headers['idempotency-key'], caller, method === 'POST' ? path : `${method} ${path}`, body);
}
