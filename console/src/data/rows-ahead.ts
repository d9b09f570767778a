import type { ListParams } from 'react-admin';
import type { Gatehouse } from '../../../client/gatehouse.ts';
import type { ListQuery } from '../../../client/list-query.ts';
import type { Page } from '../../../client/resource.ts';
import { orderOf } from '../text/presentation.ts';
import type { ResourceDescription } from './descriptions.ts';
import { queryOf } from './list-query-of.ts';

// biome-ignore lint/suspicious/noExplicitAny: the fields depend on the resource.
type Rows = Page<any>;

/** The number of rows on the first page of a list. */
export const firstPageSize = 25;

export type RowsAhead = NonNullable<ReturnType<typeof prefetchRows>>;

let ahead: { key: string; response: Promise<Rows> } | undefined;

/** Requests the rows of a list before the list can be drawn, if the current path is that of a list. */
export function prefetchRows(gatehouse: Gatehouse, descriptions: readonly ResourceDescription[], address: string) {
  const name = /^\/([^/?]+)\/?$/.exec(address)?.[1] ?? '';
  const description = descriptions.find((each) => each.name === name);
  if (!description?.operations.has('list')) return undefined;
  const { field, order } = orderOf(description);
  const kept = readStored<Partial<ListParams>>(name, 'listParams') ?? {};
  const query = queryOf({
    pagination: { page: kept.page ?? 1, perPage: kept.perPage ?? firstPageSize },
    sort: { field: kept.sort ?? field, order: kept.order ?? order },
    filter: kept.filter ?? {},
  });
  const response: Promise<Rows> = gatehouse.resource(name).list(query);
  // `takeRows` reports the error.
  response.catch(() => undefined);
  ahead = { key: keyOf(name, query), response };
  return { description, response };
}

/** Returns the rows that were requested ahead. They are used once. Later calls read the list again. */
export function takePrefetchedRows(name: string, query: ListQuery): Promise<Rows> | undefined {
  const found = ahead?.key === keyOf(name, query) ? ahead.response : undefined;
  ahead = undefined;
  return found;
}

const keyOf = (name: string, query: ListQuery): string => JSON.stringify([name, query]);

/** Reads react-admin's store directly, because react-admin is not loaded yet. */
export function readStored<T>(name: string, key: string): T | undefined {
  try {
    return JSON.parse(localStorage.getItem(['RaStoregatehouse', name, key].join('.')) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
