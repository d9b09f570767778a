import { uuidv7 } from '../../database/uuid.ts';
import { fold } from '../declaration/fields/folding.ts';
import type { Resource } from '../model/resource.ts';
import { allowedRows } from '../model/row-rules.ts';
import { wholeColumns, wholeRow } from '../read/row-json.ts';
import { type Place, readPrepared, type StoredRow, write, writeOnce } from '../sql/executor.ts';
import { type Fragment, falsehood, join, quoted, raw, sql } from '../sql/sql-text.ts';
import type { Input, Values } from './read-input.ts';
import {
  mayNot,
  recordWrite,
  refuseChanged,
  refuseTaken,
  requireReferences,
  requireRule,
  type Writing,
} from './write-checks.ts';

/** The columns and values that field values are stored as, folded columns included. */
function storedValues(resource: Resource, values: Values): Map<string, unknown> {
  const stored = new Map<string, unknown>();
  for (const field of resource.stored) {
    if (!(field.name in values) || field.name === 'id') continue;
    const value = values[field.name];
    const empty = value === null || value === undefined;
    stored.set(field.column, empty ? null : field.type.toStored(value));
    if (field.foldedColumn) stored.set(field.foldedColumn, empty ? null : fold(value as string));
  }
  return stored;
}

/** Makes a row; its references exist and are visible, and it satisfies the rule for making rows. */
export async function insertRow(writing: Writing, resource: Resource, values: Values): Promise<StoredRow> {
  const { call, place, asker } = writing;
  const { hooks, create } = resource.definition;
  if (allowedRows(resource, 'create', asker) === falsehood) throw mayNot(resource, 'create');
  await hooks?.beforeWrite?.(call, { operation: 'create', values, before: undefined });
  await requireReferences(writing, resource, values);
  const id = create ? await refuseTaken(resource, create(call, values)) : uuidv7(call.now);
  const row = create
    ? await readBack(place, resource, id)
    : await refuseTaken(resource, insertStatement(place, resource, id, values, call.now));
  await requireRule(writing, resource, 'create', id);
  const after = wholeRow(resource, row);
  await hooks?.afterWrite?.(call, { operation: 'create', values, before: undefined, after });
  await recordWrite(writing, resource, 'created', { id, after });
  return row;
}

async function insertStatement(
  place: Place,
  resource: Resource,
  id: string,
  values: Values,
  now: number,
): Promise<StoredRow> {
  const stored = storedValues(resource, values);
  stored.set('id', id);
  for (const name of ['created_at', 'updated_at']) if (resource.fields.has(name)) stored.set(name, now);
  if (resource.versioned) stored.set('version', 1);
  const [row] = await write(
    place,
    sql`insert into ${raw(resource.table)} (${raw([...stored.keys()].map(quoted).join(', '))}) values (${join(
      [...stored.values()].map((value) => sql`${value}`),
      ', ',
    )}) returning ${raw(wholeColumns(resource))}`,
  );
  return row as StoredRow;
}

async function readBack(place: Place, resource: Resource, id: string): Promise<StoredRow> {
  const [row] = await readPrepared(
    place,
    sql`select ${raw(wholeColumns(resource))} from ${raw(resource.table)} as t where t."id" = ${id}`,
  );
  if (!row) throw new Error(`${resource.name}: the row that was written is not there`);
  return row;
}

/** Changes a row that was locked before; a write that changes nothing leaves it as it is. */
export async function changeRow(
  writing: Writing,
  resource: Resource,
  before: StoredRow,
  input: Input,
): Promise<StoredRow> {
  const { call, place } = writing;
  const { hooks, update } = resource.definition;
  const whole = wholeRow(resource, before);
  refuseChanged(resource, before, whole, input.unchanged);
  const { values } = input;
  await hooks?.beforeWrite?.(call, { operation: 'update', values, before: whole });
  const stored = storedValues(resource, values);
  for (const [column, value] of stored) {
    const field = resource.stored.find((candidate) => candidate.column === column);
    if (field && Object.is(before[column] ?? null, value)) {
      stored.delete(column);
      if (field.foldedColumn) stored.delete(field.foldedColumn);
    }
  }
  const changed = Object.fromEntries(
    Object.entries(values).filter(([name]) => {
      const field = resource.fields.get(name);
      return !field?.stored || stored.has(field.column);
    }),
  );
  await requireReferences(writing, resource, changed);
  const id = before.id as string;
  if (update) await refuseTaken(resource, update(call, whole, values));
  else if (stored.size > 0) await refuseTaken(resource, updateStatement(place, resource, id, stored, call.now));
  const row = await readBack(place, resource, id);
  await requireRule(writing, resource, 'update', id);
  const after = wholeRow(resource, row);
  await hooks?.afterWrite?.(call, { operation: 'update', values, before: whole, after });
  const fields = Object.keys(changed);
  if (fields.length > 0) await recordWrite(writing, resource, 'updated', { id, before: whole, after, fields });
  return row;
}

async function updateStatement(
  place: Place,
  resource: Resource,
  id: string,
  stored: Map<string, unknown>,
  now: number,
): Promise<void> {
  if (resource.fields.has('updated_at')) stored.set('updated_at', now);
  const sets: Fragment[] = [...stored].map(([column, value]) => sql`${raw(quoted(column))} = ${value}`);
  if (resource.versioned) sets.push(raw('"version" = "version" + 1'));
  await writeOnce(place, sql`update ${raw(resource.table)} set ${join(sets, ', ')} where "id" = ${id}`);
}

export async function removeRow(writing: Writing, resource: Resource, before: StoredRow): Promise<void> {
  const { call, place } = writing;
  const { hooks, remove } = resource.definition;
  const whole = wholeRow(resource, before);
  await hooks?.beforeWrite?.(call, { operation: 'delete', values: {}, before: whole });
  if (remove) await remove(call, whole);
  else await write(place, sql`delete from ${raw(resource.table)} where "id" = ${before.id}`);
  await hooks?.afterWrite?.(call, { operation: 'delete', values: {}, before: whole, after: undefined });
  await recordWrite(writing, resource, 'deleted', { id: whole.id, before: whole });
}
