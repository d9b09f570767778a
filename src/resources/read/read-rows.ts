import { notFound } from '../../errors.ts';
import { hashOf } from '../../http/etag.ts';
import type { Resource } from '../model/resource.ts';
import type { MacKeys } from '../model/resource-services.ts';
import { allowedRows, type QueryContext } from '../model/row-rules.ts';
import { readCursor, writeCursor } from '../query/cursor.ts';
import { isServed, orderSql, rowsAfter } from '../query/sorting.ts';
import { after } from '../sql/after.ts';
import { type Place, readPrepared, readUnprepared, type StoredRow } from '../sql/executor.ts';
import { and, eachRow, type Fragment, raw, sql, truth } from '../sql/sql-text.ts';
import { countCap, countRows } from './count-rows.ts';
import type { ListRead } from './list-read.ts';
import { loadIncludes } from './load-includes.ts';
import type { RowShape, TaggedJson } from './row-json.ts';
import type { Selection } from './selection.ts';

export const noSuchRow = ({ singular }: Resource) =>
  notFound(`There is no such ${singular}, or none that you may see.`);

/**
 * The part before the dash names the version of the row, whatever was asked to be shown of it: `If-Match` looks at it
 * alone. The part after it names the bytes, for `If-None-Match`.
 */
const tagOf = (resource: Resource, row: StoredRow, hash: string): string => `"${versionOf(resource, row)}-${hash}"`;

export const versionOf = (resource: Resource, row: StoredRow): string =>
  resource.versioned ? String(row.version) : '0';

/** The row with this id, where the caller may see it; 404 otherwise. */
export function findRow(
  place: Place,
  resource: Resource,
  id: string,
  asker: QueryContext,
  { byId, columns }: Pick<RowShape, 'byId' | 'columns'>,
): StoredRow | Promise<StoredRow> {
  if (resource.idType.check(id, {})) throw noSuchRow(resource);
  const allowed = allowedRows(resource, 'read', asker);
  if (allowed === truth) return after(byId.readFirst(place, [id]), found);
  const rows = readPrepared(
    place,
    sql`select ${raw(columns)} from ${raw(resource.table)} as t where t."id" = ${id} and ${allowed}`,
  );
  return after(rows, ([row]) => found(row));

  function found(row: StoredRow | undefined): StoredRow {
    if (!row) throw noSuchRow(resource);
    return row;
  }
}

/** A row as JSON with what it embeds, and what is `revealed` of it this once. */
export function rowJson(
  place: Place,
  resource: Resource,
  { shape, includes }: Selection,
  row: StoredRow,
  asker: QueryContext,
  revealed = '',
): TaggedJson | Promise<TaggedJson> {
  return after(loadIncludes(place, resource, includes, [row], asker), (embed) =>
    taggedJson(resource, row, `${shape.members(row)}${embed(row)}${revealed}`),
  );
}

/** The same for a row that was read by its shape, so that it holds nothing that is not shown. */
export function foundRowJson(
  place: Place,
  resource: Resource,
  selection: Selection,
  row: StoredRow,
  asker: QueryContext,
): TaggedJson | Promise<TaggedJson> {
  const { shape, recent } = selection;
  if (!recent) return rowJson(place, resource, selection, row, asker);
  return recent.of(row, () => taggedJson(resource, row, shape.members(row)));
}

function taggedJson(resource: Resource, row: StoredRow, members: string): TaggedJson {
  const json = `{"data":{${members}}}`;
  return { json, etag: tagOf(resource, row, hashOf(json)) };
}

/** A page of a list as JSON. `within` narrows it to what belongs to a parent; `address` makes links to other pages. */
export function listJson(
  place: Place,
  resource: Resource,
  query: ListRead,
  asker: QueryContext,
  keys: MacKeys,
  address: (changes: Record<string, string>) => string,
  within: { condition: Fragment; name: string } = { condition: truth, name: resource.name },
): string | Promise<string> {
  const where = and([within.condition, allowedRows(resource, 'read', asker), query.search]);
  const table = raw(resource.table);
  const walked = sql`from ${table} as t where ${eachRow} ${where}`;
  const plain = where === truth && isServed(resource, query.sort);
  const byCursor = query.cursor !== undefined;
  const found = byCursor
    ? cursorPage(place, resource, query, plain ? sql`from ${table} as t where ${where}` : walked, keys, within.name)
    : numberedPage(place, query, walked, plain);
  return after(found, (rows) => {
    const more = rows.length > query.limit;
    if (more) rows.length = query.limit;
    const pagination = byCursor
      ? cursorMeta(query, rows, more, keys, within.name, address)
      : pageMeta(place, resource, query, { rows: rows.length, more, from: walked, where }, address);
    return after(pagination, (shown) =>
      after(loadIncludes(place, resource, query.includes, rows, asker), (embed) => {
        let data = '';
        for (const row of rows) data += `${data === '' ? '' : ','}{${query.shape.members(row)}${embed(row)}}`;
        return `{"data":[${data}],"meta":{"pagination":${JSON.stringify(shown)}}}`;
      }),
    );
  });
}

/** A page is reached by walking over all rows before it. */
const farOffset = 1000;

function numberedPage(
  place: Place,
  query: ListRead,
  walked: Fragment,
  plain: boolean,
): StoredRow[] | Promise<StoredRow[]> {
  const limit = query.limit + 1;
  const offset = (query.page - 1) * query.limit;
  if (!plain || offset > farOffset) return readPage(place, query, walked, '', limit, offset);
  return query.shape.page(query.sort, place.engine).read(place, [limit, offset]);
}

function readPage(
  place: Place,
  { shape, sort, plain }: ListRead,
  from: Fragment,
  extra: string,
  limit: number,
  offset: number,
): StoredRow[] | Promise<StoredRow[]> {
  const read = plain ? readPrepared : readUnprepared;
  return read(
    place,
    sql`select ${raw(shape.columns + extra)} ${from} order by ${orderSql(sort, place.engine)} limit ${limit} offset ${offset}`,
  );
}

async function cursorPage(
  place: Place,
  resource: Resource,
  query: ListRead,
  from: Fragment,
  keys: MacKeys,
  list: string,
): Promise<StoredRow[]> {
  const { sort, limit, cursor = '' } = query;
  const extra = sort.keys.map(({ field }, i) => `, ${field.compared('t')} as "_key${i}"`).join('');
  if (cursor === '') return readPage(place, query, from, extra, limit + 1, 0);
  const position = readCursor(keys, list, sort.signature, cursor);
  if (position.values.length !== sort.keys.length) throw new Error(`a cursor of ${resource.name} lost its keys`);
  const rows: StoredRow[] = [];
  for (const stretch of rowsAfter(sort, position)) {
    if (rows.length > limit) break;
    rows.push(...(await readPage(place, query, sql`${from} and ${stretch}`, extra, limit + 1 - rows.length, 0)));
  }
  return rows;
}

function cursorMeta(
  { limit, sort }: ListRead,
  rows: readonly StoredRow[],
  more: boolean,
  keys: MacKeys,
  list: string,
  address: (changes: Record<string, string>) => string,
): object {
  const last = rows.at(-1);
  const next =
    more && last
      ? writeCursor(keys, list, sort.signature, {
          id: last.id as string,
          values: sort.keys.map((_, i) => last[`_key${i}`]),
        })
      : null;
  return {
    count: rows.length,
    per_page: limit,
    next_cursor: next,
    links: { next: next === null ? null : address({ cursor: next }) },
  };
}

function pageMeta(
  place: Place,
  resource: Resource,
  { page, limit, count, plain }: ListRead,
  { rows, more, from, where }: { rows: number; more: boolean; from: Fragment; where: Fragment },
  address: (changes: Record<string, string>) => string,
): object | Promise<object> {
  const links = {
    next: more ? address({ page: String(page + 1) }) : null,
    previous: page > 1 ? address({ page: String(page - 1) }) : null,
  };
  const figures = { count: rows, per_page: limit, current_page: page };
  if (count === 'none') return { ...figures, links };
  // The last page itself says how many rows there are.
  const known = !more && (rows > 0 || page === 1) ? (page - 1) * limit + rows : undefined;
  const exact = count === 'exact';
  const counting = known ?? countRows(place, resource, { from, where, exact, repeated: plain });
  return after(counting, (counted) => {
    const capped = !exact && known === undefined && counted > countCap;
    const total = capped ? countCap : counted;
    return {
      total,
      ...(capped ? { total_capped: true } : {}),
      ...figures,
      total_pages: Math.max(1, Math.ceil(total / limit)),
      links,
    };
  });
}
