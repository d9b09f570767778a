import type { ListParams } from 'react-admin';
import type { Gatehouse } from '../../../client/gatehouse.ts';
import type { ListQuery } from '../../../client/list-query.ts';
import type { Page } from '../../../client/resource.ts';
import { defaultOrderOf } from '../text/presentation.ts';
import type { ResourceDescription } from './descriptions.ts';
import { toListQuery } from './to-list-query.ts';

// biome-ignore lint/suspicious/noExplicitAny: the fields depend on the resource.
type Rows = Page<any>;

/** The number of rows on the first page of a list. */
export const firstPageSize = 25;

export type PrefetchedRows = NonNullable<ReturnType<typeof prefetchRows>>;

let prefetched: { key: string; response: Promise<Rows> } | undefined;

/** Requests the rows of a list before the list can be drawn, if the current path is that of a list. */
export function prefetchRows(gatehouse: Gatehouse, descriptions: readonly ResourceDescription[], address: string) {
  const name = /^\/([^/?]+)\/?$/.exec(address)?.[1] ?? '';
  const description = descriptions.find((each) => each.name === name);
  if (!description?.operations.has('list')) return undefined;
  const { field, order } = defaultOrderOf(description);
  const stored = readRaStore<Partial<ListParams>>(name, 'listParams') ?? {};
  const query = toListQuery({
    pagination: { page: stored.page ?? 1, perPage: stored.perPage ?? firstPageSize },
    sort: { field: stored.sort ?? field, order: stored.order ?? order },
    filter: stored.filter ?? {},
  });
  const response: Promise<Rows> = gatehouse.resource(name).list(query);
  // `takePrefetchedRows` reports the error.
  response.catch(() => undefined);
  prefetched = { key: keyOf(name, query), response };
  return { description, response };
}

/** Returns the rows that were requested ahead. They are used once. Later calls read the list again. */
export function takePrefetchedRows(name: string, query: ListQuery): Promise<Rows> | undefined {
  const response = prefetched?.key === keyOf(name, query) ? prefetched.response : undefined;
  prefetched = undefined;
  return response;
}

const keyOf = (name: string, query: ListQuery): string => JSON.stringify([name, query]);

/** Reads react-admin's store directly, because react-admin is not loaded yet. */
export function readRaStore<T>(name: string, key: string): T | undefined {
  try {
    return JSON.parse(localStorage.getItem(['RaStoregatehouse', name, key].join('.')) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
