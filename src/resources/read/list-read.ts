import type { Engine } from '../../database/database.ts';
import type { Resource } from '../model/resource.ts';
import type { ListQuery } from '../query/list-query.ts';
import type { Sort } from '../query/sorting.ts';
import type { Fragment } from '../sql/sql-text.ts';
import { rememberedOf, selectionFor } from './remembered.ts';
import { searchConditions } from './search-conditions.ts';
import type { Selection } from './selection.ts';

/** A list that is to be read: what its query asks for, in SQL. */
export interface ListRead extends Selection, Pick<ListQuery, 'limit' | 'page' | 'count' | 'cursor'> {
  readonly search: Fragment;
  readonly sort: Sort;
  /** Nothing was asked for that changes the SQL from one call to the next. */
  readonly plain: boolean;
}

/** Fails with 400 where a search asks for what the fields cannot hold. */
export function listRead(engine: Engine, resource: Resource, query: ListQuery): ListRead {
  const { shape, includes } = selectionFor(resource, query);
  const { limit, page, count, cursor, fields } = query;
  return {
    shape,
    includes,
    search: searchConditions(engine, resource, query),
    sort: query.sort ?? rememberedOf(resource).sort,
    limit,
    page,
    count,
    cursor,
    plain: query.search.length === 0 && fields === undefined,
  };
}
