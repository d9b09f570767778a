import { conflict, type FieldError, unprocessable } from '../../platform/errors.ts';
import type { Resource, Resources } from '../model/resource.ts';
import { existingRows } from '../model/row-rules.ts';
import { isRow } from '../read/read-rows.ts';
import { readUnprepared, writeUnprepared } from '../sql/executor.ts';
import { inJsonArray } from '../sql/json-arrays.ts';
import { type Fragment, raw, sql } from '../sql/sql-text.ts';
import { fieldError, type Values } from './read-input.ts';
import type { WriteContext } from './write-transaction.ts';

/** The reference fields of other resources to this one. */
export function referrersOf(resources: Resources, { name }: Resource) {
  return [...resources.values()].flatMap((resource) =>
    resource.stored
      .filter(({ options }) => options.target === name)
      .map((field) => ({
        resource,
        column: raw(field.comparisonSql('t')),
        name: field.name,
        // For built-in tables, the migrations define `cascade` or `set null`, not the declaration.
        onDelete: field.options.onDelete ?? (resource.definition.managed ? 'restrict' : 'set null'),
      })),
  );
}

const isListed = ({ engine }: WriteContext, column: Fragment, ids: readonly string[]): Fragment =>
  inJsonArray(engine, column, sql`${JSON.stringify(ids)}`);

function setDeletedAt(context: WriteContext, resource: Resource, ids: readonly string[], deletedAt: number | null) {
  const version = raw(resource.versioned ? ', "version" = "version" + 1' : '');
  const isOneOfRows = isListed(context, raw('"id"'), ids);
  return writeUnprepared(
    context,
    sql`update ${raw(resource.table)} set "deleted_at" = ${deletedAt}${version} where ${isOneOfRows}`,
  );
}

/**
 * Marks rows as deleted, and the rows that refer to them with `onDelete: 'cascade'`. A reference with `restrict` rejects the deletion. A
 * reference with `set null` is kept, so that it is valid again when the row is restored.
 */
export async function markDeleted(context: WriteContext, resource: Resource, ids: readonly string[]): Promise<void> {
  for (const { resource: referrer, column, name, onDelete } of referrersOf(context.services.resources, resource)) {
    if (onDelete === 'set null') continue;
    const rows = await readUnprepared<{ id: string }>(
      context,
      sql`select t."id" from ${raw(referrer.table)} as t where ${isListed(context, column, ids)} and ${existingRows(referrer, context)} ${raw(onDelete === 'restrict' ? 'limit 1' : '')}`,
    );
    const cascadedIds = rows.map(({ id }) => id).filter((id) => referrer !== resource || !ids.includes(id));
    if (cascadedIds.length === 0) continue;
    if (onDelete === 'restrict') {
      throw conflict(
        `This ${resource.singular} is still referred to by ${referrer.name} (${name}). Change or delete those first.`,
        'still_referred_to',
      );
    }
    await markDeleted(context, referrer, cascadedIds);
  }
  await setDeletedAt(context, resource, ids, context.now);
}

/** Restores rows, and the rows that were deleted together with them. */
export async function unmarkDeleted(
  context: WriteContext,
  resource: Resource,
  ids: readonly string[],
  deletedAt: unknown,
) {
  await setDeletedAt(context, resource, ids, null);
  for (const { resource: referrer, column, onDelete } of referrersOf(context.services.resources, resource)) {
    if (onDelete !== 'cascade' || !referrer.definition.softDelete) continue;
    const rows = await readUnprepared<{ id: string }>(
      context,
      sql`select t."id" from ${raw(referrer.table)} as t where ${isListed(context, column, ids)} and t."deleted_at" = ${deletedAt}`,
    );
    const cascadedIds = rows.map(({ id }) => id);
    if (cascadedIds.length > 0) await unmarkDeleted(context, referrer, cascadedIds, deletedAt);
  }
}

/** A restored row must not refer to a deleted row. */
export async function requireUndeletedReferences(context: WriteContext, resource: Resource, values: Values) {
  const errors: FieldError[] = [];
  for (const { name, options } of resource.stored) {
    const target = context.services.resources.get(options.target ?? '');
    const value = values[name];
    if (!target?.definition.softDelete || value === null || value === undefined || options.onDelete === 'set null')
      continue;
    if (!(await isRow(context, target, value, existingRows(target, context))))
      errors.push(fieldError(name, 'deleted', `refers to a deleted row of ${target.name}`));
  }
  if (errors.length > 0) throw unprocessable(errors);
}
