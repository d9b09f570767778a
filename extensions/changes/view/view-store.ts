import type { Engine } from '../../../src/database/database.ts';
import type { Resource } from '../../../src/resources/model/resource.ts';
import { allowedRows, type QueryContext } from '../../../src/resources/model/row-rules.ts';
import { readUnprepared } from '../../../src/resources/sql/executor.ts';
import { and, type Fragment, join, quoted, raw, sql, sqlFalse, sqlTrue } from '../../../src/resources/sql/sql-text.ts';
import { andMaybe, conditionHolds, readCondition } from './condition-holds.ts';
import type { LoggedChange, VisibleSides } from './logged-change.ts';

export type Visibility = ReadonlyMap<LoggedChange, VisibleSides>;

const nothing: VisibleSides = { before: false, after: false };

export async function evaluateVisibility(
  context: QueryContext,
  resource: Resource,
  changes: readonly LoggedChange[],
  search: Fragment,
): Promise<Visibility> {
  const allowed = allowedRows(resource, 'read', context);
  const sights = new Map<LoggedChange, VisibleSides>();
  if (allowed === sqlFalse) return sights;
  const unsure: LoggedChange[] = [];
  const rules = readCondition(resource, context);
  for (const change of changes) {
    const sight = search === sqlTrue ? visibleSides(resource, rules, change) : undefined;
    if (sight) sights.set(change, sight);
    else unsure.push(change);
  }
  if (unsure.length > 0) await askDatabase(context, resource, unsure, and([allowed, search]), sights);
  return sights;
}

function visibleSides(resource: Resource, rules: ReturnType<typeof readCondition>, { before, after }: LoggedChange) {
  const sees = (row: typeof before): boolean | undefined =>
    row !== undefined && andMaybe(rules.map((rule) => conditionHolds(resource, rule, row)));
  const [saw, sight] = [sees(before), sees(after)];
  return saw === undefined || sight === undefined ? undefined : { before: saw, after: sight };
}

async function askDatabase(
  context: QueryContext,
  resource: Resource,
  changes: readonly LoggedChange[],
  holds: Fragment,
  sights: Map<LoggedChange, VisibleSides>,
): Promise<void> {
  const positions = JSON.stringify(changes.map(({ position }) => position));
  const logged = join(
    (['before', 'after'] as const).map((side) => rowsOfLog(context.engine, resource, side, positions)),
    ' union all ',
  );
  const rows = await readUnprepared<{ _position: number; _side: 'before' | 'after' }>(
    context,
    sql`select t."_position", t."_side" from (${logged}) as t where ${holds}`,
  );
  const sidesByPosition = new Map<number, VisibleSides>();
  for (const { _position, _side } of rows)
    sidesByPosition.set(_position, { ...(sidesByPosition.get(_position) ?? nothing), [_side]: true });
  for (const change of changes) sights.set(change, sidesByPosition.get(change.position) ?? nothing);
}

function rowsOfLog(engine: Engine, resource: Resource, side: 'before' | 'after', positions: string): Fragment {
  const of = sql`c."resource" = ${resource.name} and c.${raw(quoted(side))} is not null`;
  const named = raw(`c."position" as "_position", '${side}' as "_side"`);
  if (engine === 'postgres') {
    return sql`select ${named}, r.* from change_log as c, jsonb_populate_record(null::${raw(resource.table)}, c.${raw(quoted(side))}::jsonb) as r where c."position" in (select jsonb_array_elements_text(${positions}::jsonb)::bigint) and ${of}`;
  }
  const columns = new Set(['id']);
  for (const { column, foldedColumn } of resource.stored) {
    columns.add(column);
    if (foldedColumn) columns.add(foldedColumn);
  }
  const values = [...columns].map(
    (column) => `json_extract(c.${quoted(side)}, '$.${quoted(column)}') as ${quoted(column)}`,
  );
  return sql`select ${named}, ${raw(values.join(', '))} from change_log as c where c."position" in (select value from json_each(${positions})) and ${of}`;
}
