import type { RaRecord } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { searchFor } from '../data/list-filter.ts';
import { eachRow } from './each-row.ts';

export type Row = RaRecord<string>;

/** What is selected: these rows, or every row that the list's filter finds. */
export type Selection = { ids: readonly string[] } | { filter: Record<string, unknown> };

/** Every row of a selection. All that match are walked by key, so that rows that change or go meanwhile disturb nothing. */
export async function* rowsOf(resource: string, selection: Selection, signal: AbortSignal): AsyncGenerator<Row, void> {
  const rows = gatehouse.resource<Row>(resource);
  if ('filter' in selection) {
    yield* eachRow<Row>(resource, { search: searchFor(selection.filter), orderBy: 'id' }, signal);
    return;
  }
  for (let start = 0; start < selection.ids.length; start += 100) {
    const some = selection.ids.slice(start, start + 100);
    const { data } = await rows.list({ search: { id: some }, limit: 100, count: 'none' }, { signal });
    yield* data;
  }
}

/** How many rows a filter finds, counted to the end. */
export async function countOf(resource: string, filter: Record<string, unknown>): Promise<number> {
  const { pagination } = await gatehouse
    .resource(resource)
    .list({ search: searchFor(filter), limit: 1, count: 'exact' });
  return pagination.total ?? 0;
}
