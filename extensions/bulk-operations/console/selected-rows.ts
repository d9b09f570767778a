import { chunk } from 'es-toolkit/array';
import type { RaRecord } from 'react-admin';
import type { ListQuery } from '../../../client/list-query.ts';
import type { Page } from '../../../client/resource.ts';
import { gatehouse } from '../../../console/src/data/api.ts';
import type { FieldDescription, ResourceDescription } from '../../../console/src/data/descriptions.ts';
import { waitForCapacity } from '../../../console/src/data/request-limit.ts';
import { toSearch } from '../../../console/src/data/to-list-query.ts';

export type Row = RaRecord<string>;

/** The selected rows, or all rows that match the list's filter. */
export type Selection = { ids: readonly string[] } | { filter: Record<string, unknown> };

/** All rows of a selection. A filter is read by cursor, so that concurrent changes neither skip nor repeat rows. */
export async function* rowsOf(resource: string, selection: Selection, signal: AbortSignal): AsyncGenerator<Row, void> {
  if ('filter' in selection) {
    return yield* eachRow<Row>(resource, { search: toSearch(selection.filter), orderBy: 'id' }, signal);
  }
  for (const id of chunk(selection.ids, 100)) yield* eachRow<Row>(resource, { search: { id } }, signal);
}

/** All rows of a query, at a rate that leaves requests for other work. */
export async function* eachRow<Row>(resource: string, query: Omit<ListQuery, 'page' | 'cursor'>, signal: AbortSignal) {
  let cursor: string | null | undefined = '';
  while (cursor !== undefined && cursor !== null && !signal.aborted) {
    await waitForCapacity();
    const page: Page<Row> = await gatehouse.resource<Row>(resource).list({ limit: 100, ...query, cursor }, { signal });
    yield* page.data;
    cursor = page.pagination.next_cursor;
  }
}

/** The exact number of rows that match a filter. */
export async function countOf(resource: string, filter: Record<string, unknown>): Promise<number> {
  const rows = gatehouse.resource(resource);
  const { pagination } = await rows.list({ search: toSearch(filter), limit: 1, count: 'exact' });
  return pagination.total ?? 0;
}

/** The fields that can have the same value in many rows. */
export const sharedFields = ({ fields }: ResourceDescription): FieldDescription[] =>
  fields.filter(({ readOnly, immutable, unique, writeOnly }) => !readOnly && !immutable && !unique && !writeOnly);
