import type { GetListParams } from 'react-admin';
import type { ListQuery } from '../../../client/list-query.ts';
import { searchFor } from './list-filter.ts';

/** What react-admin wants to see of a list, as the service is asked for it. */
export function queryOf({ pagination, sort, filter, meta }: GetListParams): ListQuery {
  const query: ListQuery = { search: searchFor(filter ?? {}) };
  if (meta?.count) query.count = meta.count;
  if (pagination) Object.assign(query, { page: pagination.page, limit: pagination.perPage });
  if (sort?.field) Object.assign(query, { orderBy: sort.field, sortedBy: sort.order === 'DESC' ? 'desc' : 'asc' });
  return query;
}
