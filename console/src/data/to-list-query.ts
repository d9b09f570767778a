import type { GetListParams } from 'react-admin';
import type { Comparison, ListQuery, Scalar, Search } from '../../../client/list-query.ts';

/** The operator of a filter. It follows the name of the field: `plate@contains`. A filter without an operator compares for equality. */
export type Operator = 'contains' | 'range' | 'days';

export const filterKey = (field: string, operator: Operator): string => `${field}@${operator}`;

/** A filter for a text in several fields. At least one of them must contain it. */
export const anywhereKey = (fields: readonly { name: string }[]): string =>
  filterKey(fields.map(({ name }) => name).join('|'), 'contains');

/** The filter for deleted rows. */
export const deletedKey = '@deleted';

/** Translates the parameters of react-admin's lists to parameters of the API. */
export function toListQuery({ pagination, sort, filter, meta }: GetListParams): ListQuery {
  const query: ListQuery = { search: toSearch(filter ?? {}) };
  if (filter?.[deletedKey]) query.deleted = filter[deletedKey];
  if (meta?.count) query.count = meta.count;
  if (pagination) Object.assign(query, { page: pagination.page, limit: pagination.perPage });
  if (sort?.field) Object.assign(query, { orderBy: sort.field, sortedBy: sort.order === 'DESC' ? 'desc' : 'asc' });
  return query;
}

/** Translates the values of react-admin's filter form to a search. Empty inputs are omitted. */
export function toSearch(filter: Record<string, unknown>): Search {
  const search: Search = {};
  for (const [key, value] of Object.entries(filter)) {
    if (key === deletedKey || value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
      continue;
    const [field = '', operator] = key.split('@');
    search[field] = operator === undefined ? (value as Scalar | Scalar[]) : comparison(operator, value);
  }
  return search;
}

function comparison(operator: string, value: unknown): Comparison {
  if (operator === 'contains') return { contains: String(value) };
  const { from, to } = value as { from?: Scalar; to?: Scalar };
  // A timestamp is filtered by whole days in the person's time zone. Start and end are optional.
  const isDays = operator === 'days';
  return {
    ...(hasValue(from) && { '>=': isDays ? midnight(from, 0) : from }),
    ...(hasValue(to) && (isDays ? { '<': midnight(to, 1) } : { '<=': to })),
  };
}

const hasValue = (end: Scalar | undefined): end is Scalar => end !== undefined && end !== null && end !== '';

function midnight(day: Scalar, daysLater: number): Date {
  const [year = 0, month = 1, date = 1] = String(day).slice(0, 10).split('-').map(Number);
  return new Date(year, month - 1, date + daysLater);
}
