import { hashOf } from '../../http/etag.ts';
import { notFound } from '../../platform/errors.ts';
import type { QueryContext } from '../model/query-context.ts';
import type { Resource } from '../model/resource.ts';
import { allowedRows } from '../model/row-rules.ts';
import { type Executor, readPrepared, type StoredRow } from '../sql/executor.ts';
import { type Fragment, raw, sql, sqlTrue } from '../sql/sql-text.ts';
import { thenMaybe } from '../sql/then-maybe.ts';
import { loadIncludes } from './load-includes.ts';
import type { Selection } from './resource-cache.ts';
import type { JsonWithEtag, RowShape } from './row-json.ts';

export const rowNotFound = ({ singular }: Resource) =>
  notFound(`This ${singular} does not exist, or you may not see it.`);

/** The version of the row, for `If-Match`, and a hash of the response, for `If-None-Match`. */
const tagOf = (resource: Resource, row: StoredRow, hash: string): string => `"${versionOf(resource, row)}-${hash}"`;

export const versionOf = (resource: Resource, row: StoredRow) => (resource.versioned ? String(row.version) : '0');

/** Whether the row with this id satisfies a condition. `lock`: the locking clause. */
export async function isRow(executor: Executor, { table }: Resource, id: unknown, condition: Fragment, lock = '') {
  const query = sql`select 1 as one from ${raw(table)} as t where t."id" = ${id} and ${condition}${raw(lock)}`;
  return (await readPrepared(executor, query)).length > 0;
}

/** The row with this id. Responds 404 if the caller may not see it. */
export function findRow(
  context: QueryContext,
  resource: Resource,
  id: string,
  { byId, columns }: Pick<RowShape, 'byId' | 'columns'>,
  allowed = allowedRows(resource, 'read', context),
): StoredRow | Promise<StoredRow> {
  if (resource.idType.check(id, {})) throw rowNotFound(resource);
  if (allowed === sqlTrue) return thenMaybe(byId.readFirst(context, id), requireRow);
  const rows = readPrepared(
    context,
    sql`select ${raw(columns)} from ${raw(resource.table)} as t where t."id" = ${id} and ${allowed}`,
  );
  return thenMaybe(rows, ([row]) => requireRow(row));

  function requireRow(row: StoredRow | undefined): StoredRow {
    if (!row) throw rowNotFound(resource);
    return row;
  }
}

/** A row as JSON with its includes. `revealed`: members that are shown once. */
export function rowJson(
  context: QueryContext,
  resource: Resource,
  { shape, includes }: Selection,
  row: StoredRow,
  revealed = '',
): JsonWithEtag | Promise<JsonWithEtag> {
  return thenMaybe(loadIncludes(context, resource, includes, [row]), (embed) =>
    taggedJson(resource, row, `${shape.members(row)}${embed(row)}${revealed}`),
  );
}

/** Finds a row and writes it as JSON. On SQLite, a cached row is not read again until something is committed. */
export function findRowJson(context: QueryContext, resource: Resource, selection: Selection, id: string) {
  const { shape, rowCache } = selection;
  const allowed = allowedRows(resource, 'read', context);
  const revision = rowCache && allowed === sqlTrue ? context.revision?.() : undefined;
  const cached = revision === undefined ? undefined : rowCache?.get(id, revision);
  if (cached) return cached;
  return thenMaybe(findRow(context, resource, id, shape, allowed), (row) =>
    rowCache
      ? rowCache.getOrSerialize(row, () => taggedJson(resource, row, shape.members(row)), revision)
      : rowJson(context, resource, selection, row),
  );
}

function taggedJson(resource: Resource, row: StoredRow, members: string): JsonWithEtag {
  const json = `{"data":{${members}}}`;
  return { json, etag: tagOf(resource, row, hashOf(json)) };
}
