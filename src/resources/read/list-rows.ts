import { hashOf } from '../../http/etag.ts';
import { tooExpensive } from '../../platform/errors.ts';
import type { ListPositions } from '../model/change-feed.ts';
import type { PageLinks, Paging } from '../model/paging.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { allowedRows, type QueryContext } from '../model/row-rules.ts';
import { readCursor, writeCursor } from '../query/cursor.ts';
import { hasIndexFor, orderSql, seekConditions } from '../query/sorting.ts';
import { type Executor, readPrepared, readUnprepared, type StoredRow } from '../sql/executor.ts';
import { and, type Fragment, join, raw, rowBudgetMark, sql, sqlTrue } from '../sql/sql-text.ts';
import { thenMaybe } from '../sql/then-maybe.ts';
import type { CompiledList } from './compile-list-query.ts';
import { type CountQuery, countCap, countRows, readCommitCounts } from './count-rows.ts';
import { readIndexedText } from './read-indexed-text.ts';
import { loadIncludes, maxCharacters, membersWith } from './read-rows.ts';
import { cacheOf } from './resource-cache.ts';

export const listOrAggregateJson = (
  { aggregateRows }: Pick<ResourceServices, 'aggregateRows'>,
  context: QueryContext,
  resource: Resource,
  list: CompiledList,
  paging: Paging,
) => {
  const { aggregates } = list;
  return aggregates
    ? aggregateRows(context, resource, { ...list, aggregates }, paging)
    : listJson(context, resource, list, paging);
};

function listJson(context: QueryContext, resource: Resource, list: CompiledList, paging: Paging) {
  const { positions } = paging;
  if (!positions || !resource.changes) return cachedPageJson(context, resource, list, paging);
  return thenMaybe(positions.before(), (positionBefore) => {
    const where = listCondition(context, resource, list, paging);
    return pageJson({ context, resource, list, paging, where, logPosition: { positions, positionBefore } });
  });
}

export const listCondition = (
  context: QueryContext,
  resource: Resource,
  { search }: Pick<CompiledList, 'search'>,
  { parent }: Pick<Paging, 'parent'>,
): Fragment => and([parent?.condition ?? sqlTrue, allowedRows(resource, 'read', context), search]);

/** The position of the change log before the list is read. */
interface LogPosition {
  readonly positions: ListPositions;
  readonly positionBefore: number;
}

/** The parts of a page that is being read. */
interface PageRead {
  readonly context: QueryContext;
  readonly resource: Resource;
  readonly list: CompiledList;
  readonly paging: Paging;
  readonly where: Fragment;
  readonly logPosition?: LogPosition;
}

function cachedPageJson(context: QueryContext, resource: Resource, list: CompiledList, paging: Paging) {
  const where = listCondition(context, resource, list, paging);
  const { url } = paging;
  const revision =
    url === undefined || list.readsOtherResources || !list.shape.dependsOnRow ? undefined : context.revision?.();
  if (url === undefined || revision === undefined) return pageJson({ context, resource, list, paging, where });
  const { pages } = cacheOf(resource);
  const cached = pages.get(url, where, revision);
  if (cached) {
    paging.setLinks(cached.links);
    return cached.json;
  }
  let links: PageLinks = { next: null };
  const setLinks = (newLinks: PageLinks) => {
    links = newLinks;
    paging.setLinks(newLinks);
  };
  return thenMaybe(pageJson({ context, resource, list, paging: { ...paging, setLinks }, where }), (json) => {
    pages.set(url, { json, links, where, revision });
    return json;
  });
}

function pageJson(pageRead: PageRead): string | Promise<string> {
  const { context, resource, list, paging, where, logPosition } = pageRead;
  const table = raw(resource.table);
  const countedFrom = sql`from ${table} as t where ${rowBudgetMark} ${where}`;
  const readsByIndex = where === sqlTrue && hasIndexFor(resource, list.sort);
  const byCursor = list.cursor !== undefined;
  const isCapped = !byCursor && list.count !== 'none' && list.count !== 'exact' && where === sqlTrue;
  const changes = isCapped ? readCommitCounts(context, resource) : undefined;
  const page = byCursor
    ? cursorPage(pageRead, readsByIndex ? sql`from ${table} as t where ${where}` : countedFrom)
    : numberedPage(pageRead, countedFrom, readsByIndex);
  return thenMaybe(page, (rows) => {
    const hasMore = rows.length > list.limit;
    if (hasMore) rows.length = list.limit;
    const pagination = byCursor ? undefined : pageMeta(pageRead, rows.length, hasMore, { from: countedFrom, changes });
    return thenMaybe(pagination, (meta) =>
      thenMaybe(loadIncludes(context, resource, list.includes, rows), (embed) => {
        const { data, count } = rowsJson(pageRead, rows, embed);
        const metaOfRows = meta ?? cursorMeta(pageRead, rows.slice(0, count), hasMore || count < rows.length);
        const body = `{"data":[${data}],"meta":{"pagination":${JSON.stringify(metaOfRows)}`;
        if (!logPosition) return `${body}}}`;
        const { positions, positionBefore } = logPosition;
        paging.setEtag?.(`"${hashOf(`${positions.history} ${body}`)}"`);
        return `${body},"changes_position":${JSON.stringify(positions.write(positionBefore, rows[0]?._position))}}}`;
      }),
    );
  });
}

/** A page by cursor ends before its limit if its rows are too long, so that a client with any limit reads all rows. */
function rowsJson({ list }: PageRead, rows: readonly StoredRow[], embed: (row: StoredRow) => string) {
  let data = '';
  let count = 0;
  for (const row of rows) {
    const json = `${count === 0 ? '' : ','}{${membersWith(embed, list.shape, row)}}`;
    if (data.length + json.length > maxCharacters) {
      if (list.cursor !== undefined && count > 0) return { data, count };
      throw tooExpensive('The rows are larger than 16 MiB. Request a smaller limit, or fewer fields by filter.', 1);
    }
    data += json;
    count++;
  }
  return { data, count };
}

/** The database reads all rows before a page, so a later page counts as expensive. */
const expensiveOffset = 1000;

function numberedPage(pageRead: PageRead, from: Fragment, readsByIndex: boolean) {
  const { context: executor, resource, list, where, logPosition } = pageRead;
  const limit = list.limit + 1;
  const offset = (list.page - 1) * list.limit;
  const { indexedText, search, sort } = list;
  if (indexedText && executor.readKeyed && where === search && offset === 0 && sort.keys.length === 0) {
    return readIndexedText(executor.readKeyed, resource, list, indexedText, { extra: positionOf(logPosition), limit });
  }
  if (!readsByIndex || logPosition || offset > expensiveOffset) {
    return readPage(executor, list, from, { extra: positionOf(logPosition), limit, offset });
  }
  return list.shape.page(list.sort, executor.engine).read(executor, [limit, offset]);
}

const positionOf = (logPosition: LogPosition | undefined): Fragment =>
  raw(logPosition ? `, ${logPosition.positions.column} as "_position"` : '');

function readPage(
  executor: Executor,
  { shape, sort, prepared }: CompiledList,
  from: Fragment,
  { extra, limit, offset = 0 }: { extra: Fragment; limit: number; offset?: number },
): StoredRow[] | Promise<StoredRow[]> {
  const read = prepared ? readPrepared : readUnprepared;
  // With an unknown offset, PostgreSQL expects to skip many rows, and then plans again for every value.
  const start = offset === 0 && sort.keys.length === 0 ? raw('') : sql` offset ${offset}`;
  return read(
    executor,
    sql`select ${raw(shape.columns)}${extra} ${from} order by ${orderSql(sort, executor.engine)} limit ${limit}${start}`,
  );
}

async function cursorPage(pageRead: PageRead, from: Fragment): Promise<StoredRow[]> {
  const { context: executor, resource, list, paging, logPosition } = pageRead;
  const { sort, limit, cursor = '' } = list;
  const keys = sort.keys.map(({ expression }, i) => sql`, ${expression} as ${raw(`"_key${i}"`)}`);
  const extra = sql`${join(keys, '')}${positionOf(logPosition)}`;
  if (cursor === '') return readPage(executor, list, from, { extra, limit: limit + 1 });
  const position = readCursor(paging.keys, listName(resource, paging), sort.signature, cursor);
  if (position.values.length !== sort.keys.length) throw new Error(`a cursor of ${resource.name} lost its keys`);
  const rows: StoredRow[] = [];
  for (const range of seekConditions(sort, position)) {
    if (rows.length > limit) break;
    const pageOptions = { extra, limit: limit + 1 - rows.length };
    rows.push(...(await readPage(executor, list, sql`${from} and ${range}`, pageOptions)));
  }
  return rows;
}

const listName = (resource: Resource, { parent }: Paging): string => parent?.name ?? resource.name;

function cursorMeta({ resource, list, paging }: PageRead, rows: readonly StoredRow[], hasMore: boolean): object {
  const { limit, sort } = list;
  const last = rows.at(-1);
  const next =
    hasMore && last
      ? writeCursor(paging.keys, listName(resource, paging), sort.signature, {
          id: last.id,
          values: sort.keys.map((_, i) => last[`_key${i}`]),
        })
      : null;
  const links = { next: next === null ? null : paging.linkTo({ cursor: next }) };
  paging.setLinks(links);
  return { count: rows.length, per_page: limit, next_cursor: next, links };
}

function pageMeta(
  { context, resource, list, paging, where }: PageRead,
  rows: number,
  hasMore: boolean,
  counting: Pick<CountQuery, 'from' | 'changes'>,
): object | Promise<object> {
  const { page, limit, count, prepared } = list;
  const { linkTo, setLinks } = paging;
  const links = {
    next: hasMore ? linkTo({ page: String(page + 1) }) : null,
    previous: page > 1 ? linkTo({ page: String(page - 1) }) : null,
  };
  setLinks(links);
  const figures = { count: rows, per_page: limit, current_page: page };
  if (count === 'none') return { ...figures, links };
  // The last page shows how many rows there are.
  const knownTotal = !hasMore && (rows > 0 || page === 1) ? (page - 1) * limit + rows : undefined;
  const exact = count === 'exact';
  const rowCount = knownTotal ?? countRows(context, resource, { ...counting, where, exact, prepared });
  return thenMaybe(rowCount, (counted) => {
    const isCapped = !exact && knownTotal === undefined && counted > countCap;
    const total = isCapped ? countCap : counted;
    return {
      total,
      ...(isCapped ? { total_capped: true } : {}),
      ...figures,
      total_pages: Math.max(1, Math.ceil(total / limit)),
      links,
    };
  });
}
