import { badRequest } from '../../src/platform/errors.ts';
import { splitList } from '../../src/platform/split-list.ts';
import type { Resource } from '../../src/resources/model/resource.ts';
import { readSearch } from '../../src/resources/query/search-text.ts';
import type { Json } from '../openapi/document/json-schema.ts';
import type { Api, ApiCall, ApiResponse } from './api.ts';
import type { Arguments } from './check-arguments.ts';
import { describeRights, relationsOf } from './describe.ts';
import { type Rights, resourceNamed } from './rights.ts';
import { actionsOf, maxRows } from './tool-schemas.ts';
import type { ToolName } from './tools.ts';

/** An error response of the API. */
export class ApiError extends Error {
  readonly response: ApiResponse;
  constructor(response: ApiResponse) {
    super('refused');
    this.response = response;
  }
}

/** A longer list is requested again with fewer rows. */
const maxListLength = 60_000;

/** Runs a tool by calling the API. The arguments are already checked. */
export async function callTool(
  name: ToolName,
  args: Arguments,
  { rights, api }: { rights: readonly Rights[]; api: Api },
): Promise<Record<string, unknown>> {
  if (name === 'describe') return describeRights(rights, args.resource);
  if (name === 'act') return act(rights, args, api);
  const resource = resourceNamed(rights, args.resource);
  switch (name) {
    case 'list':
      return list(resource, args, api);
    case 'get':
      return rowOf(
        await callApi(api, { method: 'GET', path: pathOf(resource, args), query: selectionOf(resource, args) }),
      );
    case 'create':
      return rowOf(
        await callApi(api, { method: 'POST', path: resource.name, body: args.values, headers: conditionsOf(args) }),
      );
    case 'update':
      return rowOf(
        await callApi(api, {
          method: 'PATCH',
          path: pathOf(resource, args),
          body: args.values,
          headers: conditionsOf(args),
        }),
      );
    case 'restore':
      return rowOf(
        await callApi(api, {
          method: 'POST',
          path: `${pathOf(resource, args)}/restorations`,
          headers: conditionsOf(args),
        }),
      );
    case 'delete':
      await callApi(api, { method: 'DELETE', path: pathOf(resource, args), headers: conditionsOf(args) });
      return { deleted: args.id };
  }
}

const conditionsOf = ({ if_match, idempotency_key }: Arguments) => ({
  'if-match': if_match,
  'idempotency-key': idempotency_key,
});

export async function callApi<Body extends Json = Json>(api: Api, call: ApiCall): Promise<ApiResponse<Body>> {
  const response = await api<Body>(call);
  if (response.status >= 400) throw new ApiError(response);
  return response;
}

export const rowOf = ({ body, etag }: ApiResponse) => ({ data: body.data, ...(etag ? { etag } : {}) });

type List = {
  readonly data: unknown;
  readonly meta: { readonly pagination: { readonly next_cursor?: string | null; readonly total?: number } };
};

async function list(resource: Resource, callArguments: Arguments, api: Api): Promise<Record<string, unknown>> {
  const { search, searchJoin, orderBy, sortedBy, aggregate, groupBy, limit = 20 } = callArguments;
  const { cursor = aggregate === undefined ? '' : undefined } = callArguments;
  const query = {
    ...texts({ search, searchJoin, orderBy, sortedBy, aggregate, groupBy, cursor }),
    ...selectionOf(resource, callArguments),
  };
  rejectHiddenPaths(resource, callArguments);
  for (let rows = Math.min(limit, maxRows); ; ) {
    const response = await callApi<List>(api, {
      method: 'GET',
      path: resource.name,
      query: { ...query, limit: `${rows}` },
    });
    const { length } = response.text;
    if (length > maxListLength && rows > 1) {
      rows = Math.max(1, Math.min(Math.ceil(rows / 2), Math.floor((rows * maxListLength) / length)));
      continue;
    }
    const { data, meta } = response.body;
    const { pagination } = meta;
    const total = aggregate === undefined ? {} : { total: pagination.total };
    return { data, next_cursor: pagination.next_cursor ?? null, ...total };
  }
}

function act(rights: readonly Rights[], callArguments: Arguments, api: Api): Promise<Record<string, unknown>> {
  const offered = actionsOf(rights).find(({ name }) => name === callArguments.action);
  if (!offered) throw new Error(`there is no action ${callArguments.action}`);
  const { resource, action } = offered;
  const { method = 'POST', on = 'row', name } = action;
  if (on === 'row' && callArguments.id === undefined)
    throw badRequest(`"id" is missing: ${callArguments.action} needs the id of a row.`);
  if (on === 'collection' && callArguments.id !== undefined)
    throw badRequest(`${callArguments.action} takes no row: leave "id" out.`);
  const path = on === 'row' ? `${pathOf(resource, callArguments)}/${name}` : `${resource.name}/${name}`;
  const body = callArguments.body ?? (action.body ? {} : undefined);
  return callApi(api, { method, path, ...(body === undefined ? {} : { body }) }).then(({ body: { data } }) =>
    data === undefined ? {} : { data },
  );
}

/** The path of one row. Rejects ids that would form another path. */
export function pathOf(resource: Resource, { id: text = '' }: Arguments): string {
  const isOther =
    text === 'batches' || resource.definition.actions?.some(({ name, on }) => on === 'collection' && name === text);
  if (isOther || /^\.{0,2}$/.test(text) || text.length > 200) throw badRequest('"id" takes the id of a row.');
  return `${resource.name}/${encodeURIComponent(text)}`;
}

function selectionOf(resource: Resource, { filter, include, deleted }: Arguments): Record<string, string> {
  for (const way of typeof include === 'string' ? include.split(',') : [])
    rejectHidden('include', resource, way.trim().split('.'));
  return texts({ filter, include, deleted });
}

/** A search and an order may also use relations. */
function rejectHiddenPaths(resource: Resource, { search = '', orderBy = '' }: Arguments): void {
  const searched = readSearch(search, new Map()).flat();
  for (const { field } of searched) rejectHidden('search', resource, field.split('.').slice(0, -1));
  for (const name of splitList(orderBy, ';')) rejectHidden('orderBy', resource, name.split('.').slice(0, -1));
}

/** Rows of hidden resources cannot be reached through a relation either. */
function rejectHidden(parameter: string, resource: Resource, way: readonly string[]): void {
  let at: Resource | undefined = resource;
  for (const name of way) {
    const relation: ReturnType<Resource['relations']['get']> = at?.relations.get(name);
    if (relation && at && !relationsOf(at).includes(name))
      throw badRequest(`${parameter}: there is no relation "${name}" here.`);
    at = relation?.target;
  }
}

/** The given values, in the form of a query string. */
function texts(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
