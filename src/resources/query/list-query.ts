import type { Caller } from '../../caller.ts';
import type { Engine } from '../../database/database.ts';
import type { Resource, ResourceField } from '../model/resource.ts';
import { type Fragment, truth } from '../model/sql-text.ts';
import { type RowShape, shapeOf } from '../read/row-json.ts';
import { joinPairs, searchableNames, searchCondition } from '../read/search-conditions.ts';
import { unknownName, wrongParameter } from '../write/refusals.ts';
import { besides, type Include, keyColumns, readIncludes } from './include-tree.ts';
import { readSearch, readSearchFields } from './search-text.ts';
import { readSort, type Sort } from './sorting.ts';

/** What a GET asks to be shown of each row. */
export interface Selection {
  readonly shape: RowShape;
  readonly includes: readonly Include[];
}

/** What a list asks for, checked. */
export interface ListQuery extends Selection {
  readonly search: Fragment;
  readonly sort: Sort;
  readonly limit: number;
  readonly page: number;
  readonly count: 'capped' | 'exact' | 'none';
  /** Undefined: by page. Empty: the first page of a walk. */
  readonly cursor: string | undefined;
  /** Nothing was asked for that changes the SQL from one call to the next. */
  readonly plain: boolean;
}

type Query = Readonly<Record<string, string>>;

const selectionParameters = new Set(['filter', 'include']);
const listParameters = new Set([
  'search',
  'searchJoin',
  'searchFields',
  'orderBy',
  'sortedBy',
  ...selectionParameters,
  'page',
  'limit',
  'count',
  'cursor',
]);
const defaultLimit = 20;
const maxLimit = 100;

const none: ReadonlySet<string> = new Set();

export function refuseParameters(query: Query, allowed = none): void {
  for (const name in query) {
    if (!allowed.has(name)) throw unknownName('The parameter', name, [...allowed], 'parameter_unknown');
  }
}

const plainSelections = new WeakMap<Resource, Selection>();

function plainSelection(resource: Resource): Selection {
  let selection = plainSelections.get(resource);
  if (!selection) {
    selection = { shape: shapeOf(resource, resource.shown), includes: [] };
    plainSelections.set(resource, selection);
  }
  return selection;
}

/** `filter` and `include`: all that a GET of one row takes. */
export function readSelection(resource: Resource, query: Query, caller: Caller): Selection {
  refuseParameters(query, selectionParameters);
  return selectionOf(resource, query, caller);
}

function selectionOf(resource: Resource, { filter, include }: Query, caller: Caller): Selection {
  if (filter === undefined && !include) return plainSelection(resource);
  const includes = include ? readIncludes(resource, include, caller) : [];
  const fields = filter === undefined ? resource.shown : readFilter(resource, filter);
  const extra = keyColumns(resource, includes);
  return { shape: shapeOf(resource, besides(fields, includes), { extra, repeated: filter === undefined }), includes };
}

function readFilter(resource: Resource, text: string): ResourceField[] {
  const names = new Set(text.split(';').filter((name) => name !== ''));
  if (names.size === 0) throw wrongParameter('filter: name the fields to show, with ; between them.');
  return [...names].map((name) => {
    const field = resource.fields.get(name);
    if (!field?.shown) {
      throw unknownName(
        'filter: the field',
        name,
        resource.shown.map((shown) => shown.name),
        'field_unknown',
      );
    }
    return field;
  });
}

/** Reads the parameters of a list. Whatever is unknown or malformed is 400: nothing is silently ignored. */
export function readListQuery(engine: Engine, resource: Resource, query: Query, caller: Caller): ListQuery {
  refuseParameters(query, listParameters);
  const { search, searchJoin, searchFields, orderBy, sortedBy, page, limit, count, cursor } = query;
  if (cursor !== undefined && (page !== undefined || (count !== undefined && count !== 'none'))) {
    throw wrongParameter('cursor: a walk by cursor has no page and no count; leave "page" and "count" out.');
  }
  const operators = searchFields === undefined ? new Map() : readSearchFields(searchFields, searchableNames(resource));
  const pairs = search === undefined ? [] : readSearch(search, operators);
  const by = searchJoin === undefined ? 'and' : oneOf('searchJoin', searchJoin.toLowerCase(), ['and', 'or'] as const);
  return {
    ...selectionOf(resource, query, caller),
    search:
      pairs.length === 0
        ? truth
        : joinPairs(
            pairs.map((pair) => searchCondition(engine, resource, pair)),
            by,
          ),
    sort: readSort(resource, orderBy, sortedBy),
    limit: wholeNumber('limit', limit, defaultLimit, maxLimit),
    page: wholeNumber('page', page, 1, 1_000_000_000),
    count: count === undefined ? 'capped' : oneOf('count', count, ['exact', 'none'] as const),
    cursor,
    plain: pairs.length === 0 && query.filter === undefined,
  };
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  if (!allowed.includes(value as T)) throw unknownName(`${name}: the value`, value, allowed, 'value_unknown');
  return value as T;
}

function wholeNumber(name: string, text: string | undefined, fallback: number, max: number): number {
  if (text === undefined) return fallback;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max)
    throw wrongParameter(`${name}: it takes a whole number from 1 to ${max.toLocaleString('en')}.`);
  return value;
}
