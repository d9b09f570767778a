import { getOrCreate } from '../../platform/get-or-create.ts';
import type { Call } from '../declaration/define-resource.ts';
import { fold } from '../declaration/fields/folding.ts';
import type { Resource } from '../model/resource.ts';
import { allowedRows, type QueryContext } from '../model/row-rules.ts';
import { wholeColumns, wholeRow } from '../read/row-json.ts';
import {
  CompiledStatement,
  type Executor,
  readPrepared,
  type StoredRow,
  writePrepared,
  writeUnprepared,
} from '../sql/executor.ts';
import { type Fragment, join, quoted, raw, sql, sqlFalse } from '../sql/sql-text.ts';
import type { HookChange } from './hook-runs.ts';
import type { Input, Values } from './read-input.ts';
import { markDeleted, requireUndeletedReferences, unmarkDeleted } from './soft-delete.ts';
import {
  mapUniqueViolation,
  operationForbidden,
  recordWrite,
  requireReferences,
  requireRule,
  requireUnchanged,
} from './write-checks.ts';
import type { WriteContext } from './write-transaction.ts';

function storedValues(resource: Resource, values: Values): Map<string, unknown> {
  const stored = new Map<string, unknown>();
  for (const field of resource.stored) {
    if (!(field.name in values) || field.name === 'id') continue;
    const value = values[field.name];
    const isEmpty = value === null || value === undefined;
    stored.set(field.column, isEmpty ? null : field.type.toStored(value));
    if (field.foldedColumn) stored.set(field.foldedColumn, isEmpty ? null : fold(String(value)));
  }
  return stored;
}

type AfterCommit = (call: Call, change: Omit<HookChange, 'values'>) => Promise<void> | void;

/** Runs after the row was written: calls the hook inside the transaction, and schedules the one after the commit. */
async function afterWrite(context: WriteContext, resource: Resource, change: HookChange): Promise<void> {
  const { call, hooks, afterCommit } = context;
  await hooks.run(resource, 'afterWrite', call, change);
  const hook = resource.definition.hooks?.afterCommit as AfterCommit | undefined;
  if (!hook) return;
  const { operation, before, after } = change;
  afterCommit.push({ name: resource.name, run: () => hook(context.callOutside, { operation, before, after }) });
}

/** Creates a row. Its references must exist and be visible, and it must satisfy the rule for creating rows. */
export async function insertRow(
  context: WriteContext,
  resource: Resource,
  values: Values,
  newId?: string,
): Promise<StoredRow> {
  const { call } = context;
  const { create } = resource.definition;
  if (allowedRows(resource, 'create', context) === sqlFalse) throw operationForbidden(resource, 'create');
  await context.hooks.run(resource, 'beforeWrite', call, { operation: 'create', values, before: undefined });
  await requireReferences(context, resource, values);
  const id = create
    ? await mapUniqueViolation(resource, create(call, values))
    : (newId ?? context.hooks.newId(call.now));
  const row = create
    ? await readBack(context, resource, id)
    : await mapUniqueViolation(resource, insertNew(context, resource, newRow(resource, id, values, context.now)));
  await requireRule(context, resource, 'create', id);
  const after = wholeRow(resource, row);
  await afterWrite(context, resource, { operation: 'create', values, before: undefined, after });
  await recordWrite(context, resource, 'created', { id, after });
  return row;
}

export function newRow(resource: Resource, id: string, values: Values, now: number): Map<string, unknown> {
  const stored = new Map<string, unknown>();
  // Sets every column, even to null, because a column may have a default for versions that do not know it.
  for (const { column, foldedColumn } of resource.stored) {
    stored.set(column, null);
    if (foldedColumn) stored.set(foldedColumn, null);
  }
  for (const [column, value] of storedValues(resource, values)) stored.set(column, value);
  stored.set('id', id);
  for (const name of ['created_at', 'updated_at']) if (resource.fields.has(name)) stored.set(name, now);
  if (resource.versioned) stored.set('version', 1);
  return stored;
}

const insertStatements = new WeakMap<Resource, CompiledStatement>();

async function insertNew(executor: Executor, resource: Resource, row: ReadonlyMap<string, unknown>) {
  const statement = getOrCreate(insertStatements, resource, ({ table }) => {
    const columns = raw([...row.keys()].map(quoted).join(', '));
    const values = join(
      [...row.values()].map((value) => sql`${value}`),
      ', ',
    );
    return new CompiledStatement(
      sql`insert into ${raw(table)} (${columns}) values (${values}) returning ${raw(wholeColumns(resource))}`,
    );
  });
  const [inserted] = await statement.write(executor, [...row.values()]);
  return inserted as StoredRow;
}

async function readBack(executor: Executor, resource: Resource, id: string): Promise<StoredRow> {
  const [row] = await readPrepared(
    executor,
    sql`select ${raw(wholeColumns(resource))} from ${raw(resource.table)} as t where t."id" = ${id}`,
  );
  if (!row) throw new Error(`${resource.name}: the row that was written is not there`);
  return row;
}

/** Changes a row that was locked before. A write without changes leaves the row unchanged. */
export async function changeRow(context: WriteContext, resource: Resource, before: StoredRow, input: Input) {
  const { call } = context;
  const { update } = resource.definition;
  const wholeBefore = wholeRow(resource, before);
  requireUnchanged(resource, before, wholeBefore, input.unchanged);
  const { values } = input;
  await context.hooks.run(resource, 'beforeWrite', call, { operation: 'update', values, before: wholeBefore });
  const changedColumns = storedValues(resource, values);
  for (const [column, value] of changedColumns) {
    const field = resource.stored.find((candidate) => candidate.column === column);
    if (field && Object.is(before[column] ?? null, value)) {
      changedColumns.delete(column);
      if (field.foldedColumn) changedColumns.delete(field.foldedColumn);
    }
  }
  const changedValues = Object.fromEntries(
    Object.entries(values).filter(([name]) => {
      const field = resource.fields.get(name);
      return !field?.stored || changedColumns.has(field.column);
    }),
  );
  await requireReferences(context, resource, changedValues);
  const id = before.id;
  if (update) await mapUniqueViolation(resource, update(call, wholeBefore, values));
  else if (changedColumns.size > 0)
    await mapUniqueViolation(resource, updateStatement(context, resource, id, changedColumns));
  const row = await readBack(context, resource, id);
  await requireRule(context, resource, 'update', id);
  const after = wholeRow(resource, row);
  await afterWrite(context, resource, { operation: 'update', values, before: wholeBefore, after });
  const fields = Object.keys(changedValues);
  if (fields.length > 0) await recordWrite(context, resource, 'updated', { id, before: wholeBefore, after, fields });
  return row;
}

async function updateStatement(context: QueryContext, resource: Resource, id: string, stored: Map<string, unknown>) {
  if (resource.fields.has('updated_at')) stored.set('updated_at', context.now);
  const assignments: Fragment[] = [...stored].map(([column, value]) => sql`${raw(quoted(column))} = ${value}`);
  if (resource.versioned) assignments.push(raw('"version" = "version" + 1'));
  await writeUnprepared(context, sql`update ${raw(resource.table)} set ${join(assignments, ', ')} where "id" = ${id}`);
}

/** Deletes a row. `forGood`: permanently, even if the resource keeps deleted rows. */
export async function removeRow(
  context: WriteContext,
  resource: Resource,
  before: StoredRow,
  { forGood = false } = {},
): Promise<void> {
  const { call } = context;
  const { remove, softDelete } = resource.definition;
  const wholeBefore = wholeRow(resource, before);
  await context.hooks.run(resource, 'beforeWrite', call, { operation: 'delete', values: {}, before: wholeBefore });
  if (remove) await remove(call, wholeBefore);
  else if (softDelete && !forGood) await markDeleted(context, resource, [wholeBefore.id]);
  else await writePrepared(context, sql`delete from ${raw(resource.table)} where "id" = ${before.id}`);
  await afterWrite(context, resource, { operation: 'delete', values: {}, before: wholeBefore, after: undefined });
  await recordWrite(context, resource, 'deleted', { id: wholeBefore.id, before: wholeBefore });
}

export async function restoreRow(context: WriteContext, resource: Resource, before: StoredRow): Promise<StoredRow> {
  const wholeBefore = wholeRow(resource, before);
  const change = { operation: 'update', values: {}, before: wholeBefore } as const;
  await context.hooks.run(resource, 'beforeWrite', context.call, change);
  await requireUndeletedReferences(context, resource, wholeBefore);
  await mapUniqueViolation(resource, unmarkDeleted(context, resource, [wholeBefore.id], before.deleted_at));
  const row = await readBack(context, resource, wholeBefore.id);
  const after = wholeRow(resource, row);
  await afterWrite(context, resource, { ...change, after });
  await recordWrite(context, resource, 'restored', { id: wholeBefore.id, before: wholeBefore, after });
  return row;
}
