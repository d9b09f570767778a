import { invalidParameter, unknownName } from '../../http/errors/parameter-errors.ts';
import { rejectUnknownParameters } from '../../http/gate/declared-parameters.ts';
import { type Caller, isAdmin } from '../../platform/caller.ts';
import { isOneOf } from '../../platform/is-one-of.ts';
import { splitList } from '../../platform/split-list.ts';
import type { AggregateParameters } from '../model/paging.ts';
import type { Resource, ResourceField } from '../model/resource.ts';
import type { DeletedFilter } from '../model/row-rules.ts';
import { type Include, readIncludes } from './include-tree.ts';
import { readSearchField } from './search-fields.ts';
import { readSearch, readSearchFields, type SearchPair } from './search-text.ts';
import { readSort, type Sort } from './sorting.ts';

export interface RowQuery {
  /** Undefined: all shown fields. */
  readonly fields: readonly ResourceField[] | undefined;
  readonly includes: readonly Include[];
  readonly deleted?: DeletedFilter | undefined;
}

export interface ListQuery extends RowQuery {
  /** The outer conditions are combined with "and", the inner ones with "or". */
  readonly search: readonly (readonly SearchPair[])[];
  readonly searchJoin: 'and' | 'or';
  /** Administrators can search by every reference, because references are indexed. */
  readonly byReference: boolean;
  /** Undefined: the default order. */
  readonly sort: Sort | undefined;
  readonly limit: number;
  readonly page: number;
  readonly count: 'capped' | 'exact' | 'none';
  /** Undefined: pagination by page number. Empty: the first page of cursor pagination. */
  readonly cursor: string | undefined;
  readonly aggregates: AggregateParameters | undefined;
}

type Query = Readonly<Record<string, string>>;

const selectionParameters = new Set(['filter', 'include']);
export const listParameters: ReadonlySet<string> = new Set([
  ...['search', 'searchJoin', 'searchFields', 'orderBy', 'sortedBy', ...selectionParameters],
  ...['page', 'limit', 'count', 'cursor', 'aggregate', 'groupBy'],
]);
const allowDeleted = ({ definition }: Resource, names: ReadonlySet<string>): ReadonlySet<string> =>
  definition.softDelete ? new Set([...names, 'deleted']) : names;

const defaultLimit = 20;
const maxLimit = 100;

const noParameters: ReadonlySet<string> = new Set();

/** An empty parameter means the same as an absent one, except `cursor`: an empty cursor requests the first page. */
export function withoutEmpty(query: Query): Query {
  for (const name in query) {
    if (query[name] !== '' || name === 'cursor') continue;
    const nonEmpty = Object.entries(query).filter(([other, value]) => value !== '' || other === 'cursor');
    return Object.fromEntries(nonEmpty);
  }
  return query;
}

export const defaultRowQuery: RowQuery = { fields: undefined, includes: [] };

export function readRowQuery(resource: Resource, query: Query, caller: Caller): RowQuery {
  rejectUnknownParameters(query, allowDeleted(resource, selectionParameters));
  return rowQuery(resource, withoutEmpty(query), caller);
}

function rowQuery(resource: Resource, { filter, include, deleted }: Query, caller: Caller): RowQuery {
  if (filter === undefined && !include && !deleted) return defaultRowQuery;
  return {
    includes: include ? readIncludes(resource, include, caller) : [],
    fields: filter === undefined ? undefined : readFilter(resource, filter),
    deleted: deleted ? oneOf('deleted', deleted, ['only', 'with'] as const) : undefined,
  };
}

function readFilter(resource: Resource, text: string): ResourceField[] {
  const names = new Set(splitList(text, ';'));
  if (names.size === 0) throw invalidParameter('filter: name the fields to show, separated by ;');
  return [...names].map((name) => {
    const field = resource.fields.get(name);
    if (!field?.shown) {
      throw unknownName(
        'filter: the field',
        name,
        resource.shown.map((field) => field.name),
        'field_unknown',
      );
    }
    return field;
  });
}

export function readDeleteQuery(resource: Resource, query: Query): { readonly deleted: 'only' | undefined } {
  rejectUnknownParameters(query, allowDeleted(resource, noParameters));
  const { deleted } = withoutEmpty(query);
  return { deleted: deleted === undefined ? undefined : oneOf('deleted', deleted, ['only'] as const) };
}

export function readListQuery(resource: Resource, parameters: Query, caller: Caller): ListQuery {
  rejectUnknownParameters(parameters, allowDeleted(resource, listParameters));
  const query = withoutEmpty(parameters);
  const { search, searchJoin, searchFields, orderBy, sortedBy, page, limit, count, cursor } = query;
  if (cursor !== undefined && (page !== undefined || (count !== undefined && count !== 'none'))) {
    throw invalidParameter('cursor: a list with a cursor has no page and no count; leave "page" and "count" out.');
  }
  const requireSearchable = (field: string) =>
    void readSearchField(resource, field, caller, { parameter: 'searchFields' });
  const operators = searchFields === undefined ? new Map() : readSearchFields(searchFields, requireSearchable);
  const { aggregate, groupBy } = query;
  const aggregates = aggregate === undefined ? undefined : { aggregate, groupBy, orderBy, sortedBy };
  if (aggregates) rejectWithAggregates(query);
  else if (groupBy !== undefined) throw invalidParameter('groupBy: add aggregate, such as aggregate=count.');
  return {
    ...rowQuery(resource, query, caller),
    search: search === undefined ? [] : readSearch(search, operators),
    byReference: search !== undefined && isAdmin(caller),
    searchJoin:
      searchJoin === undefined ? 'and' : oneOf('searchJoin', searchJoin.toLowerCase(), ['and', 'or'] as const),
    sort:
      aggregates || (orderBy === undefined && sortedBy === undefined)
        ? undefined
        : readSort(resource, { orderBy, sortedBy }, caller),
    limit: readPositiveInteger('limit', limit, defaultLimit, maxLimit),
    page: readPositiveInteger('page', page, 1, 1_000_000_000),
    count: count === undefined ? 'capped' : oneOf('count', count, ['exact', 'none'] as const),
    cursor,
    aggregates,
  };
}

function rejectWithAggregates(query: Query): void {
  for (const name of ['filter', 'include', 'cursor', 'count']) {
    if (query[name] !== undefined) throw invalidParameter(`aggregate: it shows no rows; leave "${name}" out.`);
  }
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  if (isOneOf(allowed, value)) return value;
  throw unknownName(`${name}: the value`, value, allowed, 'value_unknown');
}

export function readPositiveInteger(name: string, text: string | undefined, fallback: number, max: number): number {
  if (text === undefined) return fallback;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max)
    throw invalidParameter(`${name}: expected a whole number from 1 to ${max.toLocaleString('en')}.`);
  return value;
}
