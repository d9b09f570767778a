import type { RuleContext } from '../model/query-context.ts';
import type { Resource } from '../model/resource.ts';
import type { ListQuery } from '../query/list-query.ts';
import type { Sort } from '../query/sorting.ts';
import { type Fragment, raw } from '../sql/sql-text.ts';
import { relatedValue } from './related-sql.ts';
import { cacheOf, type Selection, selectionFor } from './resource-cache.ts';
import { type SearchedText, searchConditions, searchedText } from './search-conditions.ts';

export interface ListRead extends Selection, Pick<ListQuery, 'limit' | 'page' | 'count' | 'cursor' | 'aggregates'> {
  readonly search: Fragment;
  /** Only on PostgreSQL. */
  readonly searched: SearchedText | undefined;
  readonly sort: Sort;
  /** The SQL text is the same for each call. */
  readonly plain: boolean;
  /** Whether it reads rows of other resources. */
  readonly readsOtherResources: boolean;
}

/** Responds 400 for a search value that the field cannot have. */
export function listRead(context: RuleContext, resource: Resource, query: ListQuery): ListRead {
  const { shape, includes } = selectionFor(resource, query);
  const { limit, page, count, cursor, fields } = query;
  const sortsElsewhere = query.sort?.keys.some(({ relations }) => relations.length > 0) ?? false;
  return {
    shape,
    includes,
    search: searchConditions(context, resource, query),
    searched: context.engine === 'postgres' ? searchedText(context, resource, query) : undefined,
    sort: query.sort ? sortFor(context, resource, query.sort) : cacheOf(resource).sort,
    limit,
    page,
    count,
    cursor,
    aggregates: query.aggregates,
    plain: query.search.length === 0 && fields === undefined && !sortsElsewhere,
    readsOtherResources:
      includes.length > 0 || sortsElsewhere || query.search.flat().some(({ field }) => field.includes('.')),
  };
}

/** Through relations, the keys compare only rows that the caller may see. */
const sortFor = (context: RuleContext, resource: Resource, sort: Sort): Sort => ({
  ...sort,
  keys: sort.keys.map((key) => {
    if (key.relations.length === 0) return key;
    const compared = relatedValue(context, resource, key.relations, (alias) => raw(key.field.compared(alias)));
    return { ...key, compared };
  }),
});
