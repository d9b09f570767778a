import type { RuleContext } from '../model/query-context.ts';
import type { Resource } from '../model/resource.ts';
import type { ListQuery } from '../query/list-query.ts';
import type { Sort } from '../query/sorting.ts';
import { type Fragment, raw } from '../sql/sql-text.ts';
import { relatedValue } from './related-sql.ts';
import { rememberedOf, type Selection, selectionFor } from './remembered.ts';
import { searchConditions } from './search-conditions.ts';

/** A list that is to be read: what its query asks for, in SQL. */
export interface ListRead extends Selection, Pick<ListQuery, 'limit' | 'page' | 'count' | 'cursor' | 'aggregates'> {
  readonly search: Fragment;
  readonly sort: Sort;
  /** Nothing was asked for that changes the SQL from one call to the next. */
  readonly plain: boolean;
  /** Whether rows of other resources decide what is listed, or are embedded. */
  readonly looksElsewhere: boolean;
}

/** Fails with 400 where a search asks for what the fields cannot hold. */
export function listRead(context: RuleContext, resource: Resource, query: ListQuery): ListRead {
  const { shape, includes } = selectionFor(resource, query);
  const { limit, page, count, cursor, fields } = query;
  const sortsElsewhere = query.sort?.keys.some(({ relations }) => relations.length > 0) ?? false;
  return {
    shape,
    includes,
    search: searchConditions(context, resource, query),
    sort: query.sort ? sortFor(context, resource, query.sort) : rememberedOf(resource).sort,
    limit,
    page,
    count,
    cursor,
    aggregates: query.aggregates,
    plain: query.search.length === 0 && fields === undefined && !sortsElsewhere,
    looksElsewhere:
      includes.length > 0 || sortsElsewhere || query.search.flat().some(({ field }) => field.includes('.')),
  };
}

/** The order with what its keys compare: through relations, what the caller may see. */
const sortFor = (context: RuleContext, resource: Resource, sort: Sort): Sort => ({
  ...sort,
  keys: sort.keys.map((key) => {
    if (key.relations.length === 0) return key;
    const compared = relatedValue(context, resource, key.relations, (alias) => raw(key.field.compared(alias)));
    return { ...key, compared };
  }),
});
