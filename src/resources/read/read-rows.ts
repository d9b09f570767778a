import type { Database, Engine } from '../../database/database.ts';
import { hashOf } from '../../http/etag.ts';
import { notFound, tooExpensive } from '../../platform/errors.ts';
import { getOrCreate } from '../../platform/get-or-create.ts';
import { fieldOf, type Resource } from '../model/resource.ts';
import { allowedRows, contextOfRelated, type QueryContext, relationJoin } from '../model/row-rules.ts';
import type { Include } from '../query/include-tree.ts';
import { type Executor, readPrepared, type StoredRow } from '../sql/executor.ts';
import { type Fragment, innerRowBudgetMark, raw, rowBudgetMark, sql, sqlTrue } from '../sql/sql-text.ts';
import { thenMaybe } from '../sql/then-maybe.ts';
import { type Selection, selectionFor } from './resource-cache.ts';
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
    taggedJson(resource, row, `${membersWith(embed, shape, row)}${revealed}`),
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

/** The members that includes add to the JSON of a row, each with a comma before it. */
type Embedding = (row: StoredRow) => string;

type Rows = readonly StoredRow[];

const noEmbedding: Embedding = () => '';

/** The members of a row and its includes. The includes may replace all fields of the row. */
export function membersWith(embed: Embedding, shape: RowShape, row: StoredRow): string {
  const members = shape.members(row);
  return members === '' ? embed(row).slice(1) : members + embed(row);
}

const maxRows = 10_000;
const maxRowsPerParent = 100;
/** The limit of the rows of a list, and of included rows. A row that many others refer to is repeated for each of them. */
export const maxCharacters = 16 * 1024 * 1024;

/** Rejects a request before its includes block other requests. Pass it each included row. */
function limitLength(): (json: string) => string {
  let length = 0;
  return (json) => {
    length += json.length;
    if (length <= maxCharacters) return json;
    throw tooExpensive('The included rows are larger than 16 MiB. Request fewer rows or includes.', 1);
  };
}

export function loadIncludes(
  context: QueryContext,
  resource: Resource,
  includes: readonly Include[],
  rows: Rows,
): Embedding | Promise<Embedding> {
  return includes.length === 0 ? noEmbedding : loadAll(contextOfRelated(context), resource, includes, rows);
}

async function loadAll(context: QueryContext, resource: Resource, includes: readonly Include[], rows: Rows) {
  const embeddings: Embedding[] = [];
  for (const include of includes) {
    const load = include.relation.relation.kind === 'belongsTo' ? loadOne : loadMany;
    embeddings.push(await load(context, resource, include, rows));
  }
  const [singleEmbedding] = embeddings;
  const limited = limitLength();
  return embeddings.length === 1 && singleEmbedding
    ? (row: StoredRow) => limited(singleEmbedding(row))
    : (row: StoredRow) => limited(embeddings.map((embed) => embed(row)).join(''));
}

const shapeFor = (target: Resource, includes: readonly Include[]): RowShape =>
  selectionFor(target, { fields: undefined, includes }).shape;

/** Passes a list of ids as one parameter, so that the SQL text does not depend on their number. */
const isAmong = (engine: Engine, column: string, ids: readonly unknown[]): Fragment =>
  engine === 'sqlite'
    ? sql`${raw(column)} in (select value from json_each(${JSON.stringify(ids)}))`
    : sql`${raw(column)} = any(${ids}::text[])`;

async function loadOne(context: QueryContext, resource: Resource, include: Include, rows: Rows): Promise<Embedding> {
  const { relation, target, name } = include.relation;
  const { children } = include;
  const column = fieldOf(resource, (relation as { by: string }).by).column;
  const keys = [...new Set(rows.map((row) => row[column]).filter((key) => key !== null))];
  const shape = shapeFor(target, children);
  const related =
    keys.length === 0
      ? []
      : await readPrepared(
          context,
          sql`select ${raw(shape.columns)} from ${raw(target.table)} as t where ${innerRowBudgetMark} ${isAmong(context.engine, 't."id"', keys)} and ${allowedRows(target, 'read', context)}`,
        );
  const embed = await loadIncludes(context, target, children, related);
  const limited = limitLength();
  const byId = new Map<unknown, string>(
    related.map((row) => [row.id, limited(`{${shape.members(row)}${embed(row)}}`)]),
  );
  const prefix = `,${JSON.stringify(name)}:{"data":`;
  return (row) => `${prefix}${byId.get(row[column]) ?? 'null'}}`;
}

async function loadMany(context: QueryContext, resource: Resource, include: Include, rows: Rows): Promise<Embedding> {
  const { relation, children } = include;
  const { name, target } = relation;
  const ids = [...new Set(rows.map(({ id }) => id))];
  const limit = Math.max(1, Math.min(maxRowsPerParent, Math.floor(maxRows / Math.max(1, ids.length))));
  const shape = shapeFor(target, children);
  const related =
    ids.length === 0 ? [] : await readPrepared(context, manyQuery(context, resource, include, { shape, ids, limit }));
  const embed = await loadIncludes(context, target, children, related);
  const limited = limitLength();
  const byParent = new Map<unknown, string[]>();
  for (const row of related) {
    const siblings = getOrCreate(byParent, row._parent, () => []);
    // The query reads one more row than is shown.
    siblings.push(siblings.length < limit ? limited(`{${shape.members(row)}${embed(row)}}`) : '');
  }
  const prefix = `,${JSON.stringify(name)}:{"data":[`;
  return (row) => {
    const items = byParent.get(row.id) ?? [];
    if (items.length <= limit) return `${prefix}${items.join(',')}]}`;
    const all = `/v1/${resource.name}/${row.id}/${name}`;
    return `${prefix}${items.slice(0, limit).join(',')}],"meta":{"more":true,"all":${JSON.stringify(all)}}}`;
  };
}

/** Reads the first rows of each parent by an index, one more than is shown. */
function manyQuery(
  context: QueryContext,
  resource: Resource,
  { relation }: Include,
  { shape: { columns }, ids, limit }: { shape: RowShape; ids: readonly unknown[]; limit: number },
): Fragment {
  const { target } = relation;
  const table = raw(target.table);
  const parents = sql`${raw(resource.table)} as p`;
  const listed = isAmong(context.engine, 'p."id"', ids);
  const condition = sql`${rowBudgetMark} ${relationJoin(resource, relation, context, 'p', 'x')} and ${allowedRows(target, 'read', context, 'x')} order by x."id" limit ${limit + 1}`;
  return context.engine === 'sqlite'
    ? sql`select p."id" as "_parent", ${raw(columns)} from ${parents} join ${table} as t on t."id" in (select x."id" from ${table} as x where ${condition}) where ${listed} order by t."id"`
    : sql`select p."id" as "_parent", ${raw(columns)} from ${parents} cross join lateral (select x.* from ${table} as x where ${condition}) as t where ${listed} order by t."id"`;
}

/** Reads from a replica with all writes that this caller must see, if there is one. */
export function preferReplica(
  context: QueryContext,
  { replicas }: Database,
  resource: Resource,
  { readsOtherResources }: { readsOtherResources: boolean },
): QueryContext {
  // The position of a list must come from the primary.
  if (resource.changes || !replicas || !context.reader || !resource.definition.managed) return context;
  const hasRowRules = readsOtherResources || allowedRows(resource, 'read', context) !== sqlTrue;
  const replica = replicas.choose(context.reader.caller, hasRowRules);
  if (!replica) return context;
  const { engine, db, reader, caller, now, deleted } = context;
  return { engine, db, reader, caller, now, ...(deleted ? { deleted } : {}), ...replica };
}
