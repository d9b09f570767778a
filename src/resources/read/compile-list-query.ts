import type { RuleContext } from '../model/query-context.ts';
import type { Resource } from '../model/resource.ts';
import type { ListQuery } from '../query/list-query.ts';
import type { Sort } from '../query/sorting.ts';
import { type Fragment, raw } from '../sql/sql-text.ts';
import { relatedValue } from './related-sql.ts';
import { cacheOf, type Selection, selectionFor } from './resource-cache.ts';
import { findIndexedText, type IndexedText, searchSql } from './search-sql.ts';

export interface CompiledList extends Selection, Pick<ListQuery, 'limit' | 'page' | 'count' | 'cursor' | 'aggregates'> {
  readonly search: Fragment;
  /** Only on PostgreSQL. */
  readonly indexedText: IndexedText | undefined;
  readonly sort: Sort;
  /** The SQL text is the same for each call. */
  readonly prepared: boolean;
  /** Whether it reads rows of other resources. */
  readonly readsOtherResources: boolean;
}

/** Responds 400 for a search value that the field cannot have. */
export function compileListQuery(context: RuleContext, resource: Resource, query: ListQuery): CompiledList {
  const { shape, includes } = selectionFor(resource, query);
  const { limit, page, count, cursor, fields } = query;
  const sortsByRelation = query.sort?.keys.some(({ relations }) => relations.length > 0) ?? false;
  return {
    shape,
    includes,
    search: searchSql(context, resource, query),
    indexedText: context.engine === 'postgres' ? findIndexedText(context, resource, query) : undefined,
    sort: query.sort ? sortFor(context, resource, query.sort) : cacheOf(resource).sort,
    limit,
    page,
    count,
    cursor,
    aggregates: query.aggregates,
    prepared: query.search.length === 0 && fields === undefined && !sortsByRelation,
    readsOtherResources:
      includes.length > 0 || sortsByRelation || query.search.flat().some(({ field }) => field.includes('.')),
  };
}

/** Through relations, the keys compare only rows that the caller may see. */
const sortFor = (context: RuleContext, resource: Resource, sort: Sort): Sort => ({
  ...sort,
  keys: sort.keys.map((key) => {
    if (key.relations.length === 0) return key;
    const expression = relatedValue(context, resource, key.relations, (alias) => raw(key.field.comparisonSql(alias)));
    return { ...key, expression };
  }),
});
