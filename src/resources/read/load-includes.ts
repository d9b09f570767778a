import type { Engine } from '../../database/database.ts';
import type { QueryContext } from '../model/query-context.ts';
import { fieldOf, type Resource } from '../model/resource.ts';
import { allowedRows, relationJoin } from '../model/row-rules.ts';
import type { Include } from '../query/include-tree.ts';
import { readPrepared, type StoredRow } from '../sql/executor.ts';
import { countInnerRow, countRow, type Fragment, raw, sql } from '../sql/sql-text.ts';
import { selectionFor } from './resource-cache.ts';
import type { RowShape } from './row-json.ts';

/** The members that includes add to the JSON of a row, each with a comma before it. */
type Embedding = (row: StoredRow) => string;

const noEmbedding: Embedding = () => '';

const maxRows = 10_000;
const maxRowsPerParent = 100;

export function loadIncludes(
  context: QueryContext,
  resource: Resource,
  includes: readonly Include[],
  rows: readonly StoredRow[],
): Embedding | Promise<Embedding> {
  return includes.length === 0 ? noEmbedding : loadAll(context, resource, includes, rows);
}

async function loadAll(
  context: QueryContext,
  resource: Resource,
  includes: readonly Include[],
  rows: readonly StoredRow[],
): Promise<Embedding> {
  const embeddings: Embedding[] = [];
  for (const include of includes) {
    const load = include.relation.relation.kind === 'belongsTo' ? loadOne : loadMany;
    embeddings.push(await load(context, resource, include, rows));
  }
  const [singleEmbedding] = embeddings;
  return embeddings.length === 1 && singleEmbedding
    ? singleEmbedding
    : (row) => embeddings.map((embed) => embed(row)).join('');
}

const shapeFor = (target: Resource, includes: readonly Include[]): RowShape =>
  selectionFor(target, { fields: undefined, includes }).shape;

/** Passes a list of ids as one parameter, so that the SQL text does not depend on their number. */
const isAmong = (engine: Engine, column: string, ids: readonly unknown[]): Fragment =>
  engine === 'sqlite'
    ? sql`${raw(column)} in (select value from json_each(${JSON.stringify(ids)}))`
    : sql`${raw(column)} = any(${ids}::text[])`;

async function loadOne(
  context: QueryContext,
  resource: Resource,
  { relation: { name, relation, target }, children }: Include,
  rows: readonly StoredRow[],
): Promise<Embedding> {
  const column = fieldOf(resource, (relation as { by: string }).by).column;
  const keys = [...new Set(rows.map((row) => row[column]).filter((key) => key !== null))];
  const shape = shapeFor(target, children);
  const related =
    keys.length === 0
      ? []
      : await readPrepared(
          context,
          sql`select ${raw(shape.columns)} from ${raw(target.table)} as t where ${countInnerRow} ${isAmong(context.engine, 't."id"', keys)} and ${allowedRows(target, 'read', context)}`,
        );
  const embed = await loadIncludes(context, target, children, related);
  const byId = new Map<unknown, string>(related.map((row) => [row.id, `{${shape.members(row)}${embed(row)}}`]));
  const prefix = `,${JSON.stringify(name)}:{"data":`;
  return (row) => `${prefix}${byId.get(row[column]) ?? 'null'}}`;
}

async function loadMany(
  context: QueryContext,
  resource: Resource,
  include: Include,
  rows: readonly StoredRow[],
): Promise<Embedding> {
  const { relation, children } = include;
  const { name, target } = relation;
  const ids = [...new Set(rows.map(({ id }) => id))];
  const limit = Math.max(1, Math.min(maxRowsPerParent, Math.floor(maxRows / Math.max(1, ids.length))));
  const shape = shapeFor(target, children);
  const related =
    ids.length === 0 ? [] : await readPrepared(context, manyQuery(context, resource, include, { shape, ids, limit }));
  const embed = await loadIncludes(context, target, children, related);
  const byParent = new Map<unknown, string[]>();
  for (const row of related) {
    const siblings = byParent.get(row._parent);
    const json = `{${shape.members(row)}${embed(row)}}`;
    if (siblings) siblings.push(json);
    else byParent.set(row._parent, [json]);
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
  const condition = sql`${countRow} ${relationJoin(resource, relation, context, 'p', 'x')} and ${allowedRows(target, 'read', context, 'x')} order by x."id" limit ${limit + 1}`;
  return context.engine === 'sqlite'
    ? sql`select p."id" as "_parent", ${raw(columns)} from ${parents} join ${table} as t on t."id" in (select x."id" from ${table} as x where ${condition}) where ${listed} order by t."id"`
    : sql`select p."id" as "_parent", ${raw(columns)} from ${parents} cross join lateral (select x.* from ${table} as x where ${condition}) as t where ${listed} order by t."id"`;
}
