import { isDeepStrictEqual } from 'node:util';
import { isForeignKeyViolation, violatedUniqueColumns } from '../../database/constraint-errors.ts';
import { anonymousCaller, type Caller } from '../../platform/caller.ts';
import { conflict, type FieldError, forbidden, type Problem, unprocessable } from '../../platform/errors.ts';
import { getOrCreate } from '../../platform/get-or-create.ts';
import { recordEvent } from '../audit/record-event.ts';
import { allowsEveryRow } from '../declaration/access.ts';
import { withFullProof } from '../declaration/step-up.ts';
import type { Resource, ResourceField } from '../model/resource.ts';
import { allowedRows, type RowOperation, type RowRule } from '../model/row-rules.ts';
import { isRow } from '../read/read-rows.ts';
import type { StoredRow } from '../sql/executor.ts';
import { sqlTrue } from '../sql/sql-text.ts';
import { changesBetween } from './changes.ts';
import { fieldError, type Values } from './read-input.ts';
import type { WriteContext } from './write-transaction.ts';

export function operationForbidden(resource: Resource, operation: RowRule): Problem {
  if (typeof operation === 'function') return forbidden(`You may not run this action on this ${resource.singular}.`);
  const target = operation === 'create' ? `such ${resource.name}` : `this ${resource.singular}`;
  return forbidden(`You may not ${operation} ${target}.`);
}

/** The row must also satisfy the rule after the write, so that a caller cannot create a row that the caller may not write. */
export async function requireRule(context: WriteContext, resource: Resource, operation: RowOperation, id: string) {
  if (context.checksRowRule === false) return;
  const rule = allowedRows(resource, operation, context);
  if (rule !== sqlTrue && !(await isRow(context, resource, id, rule))) throw operationForbidden(resource, operation);
}

const referenceFields = new WeakMap<Resource, readonly ResourceField[]>();

/** The fields that refer to other rows. `lockClause` locks a target that another transaction may be soft-deleting. */
export const referencesOf = ({ services, engine }: WriteContext, resource: Resource) =>
  getOrCreate(referenceFields, resource, ({ fields }) =>
    [...fields.values()].filter(({ options, sendable }) => options.target && sendable),
  ).flatMap(({ name, options }) => {
    const target = services.resources.get(options.target ?? '');
    if (!target) return [];
    return [
      { name, target, lockClause: engine === 'postgres' && target.definition.softDelete ? ' for key share of t' : '' },
    ];
  });

/** A row may refer only to rows that exist and that the caller may see. */
export async function requireReferences(context: WriteContext, resource: Resource, values: Values): Promise<void> {
  const errors: FieldError[] = [];
  for (const { name, target, lockClause } of referencesOf(context, resource)) {
    const value = values[name];
    if (value === undefined || value === null) continue;
    if (!(await isRow(context, target, value, allowedRows(target, 'read', context), lockClause))) {
      errors.push(fieldError(name, 'not_found', `does not refer to a row of ${target.name} that you may see`));
    }
  }
  if (errors.length > 0) throw unprocessable(errors);
}

/** Fields that cannot be changed may be sent with their current value. */
export function requireUnchanged(resource: Resource, before: StoredRow, wholeRow: Values, unchanged: Values): void {
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(unchanged)) {
    const field = resource.fields.get(name);
    const isComparable = field?.stored && value !== null && !field.type.check(value, field.options);
    const isUnchanged = isComparable
      ? field.type.toStored(value) === before[field.column]
      : isDeepStrictEqual(value, wholeRow[name]);
    if (!isUnchanged) errors.push(fieldError(name, 'read_only', 'cannot be changed'));
  }
  if (errors.length > 0) throw unprocessable(errors);
}

/** Awaits a write. If a unique value is taken, the error names the field. */
export async function mapUniqueViolation<T>(resource: Resource, written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    const columns = violatedUniqueColumns(error);
    if (columns) {
      const fields = [...resource.fields.values()].filter(({ column, stored }) => stored && columns.includes(column));
      const names = fields.map(({ name }) => name);
      const togetherText = names.length > 1 ? ` in combination with ${names.slice(1).join(', ')}` : '';
      throw unprocessable([fieldError(names[0] ?? columns[0] ?? '', 'taken', `is already taken${togetherText}`)]);
    }
    // The referenced row was deleted after the check.
    if (isForeignKeyViolation(error)) throw conflict('The row that this refers to was deleted in the meantime.');
    throw error;
  }
}

/** Omits computed fields: they depend on other fields, and may depend on hidden ones. */
const storedOf = (resource: Resource, row: Values | undefined): Values | undefined =>
  row && Object.fromEntries(resource.stored.map(({ name }) => [name, row[name]]));

const administrator: Caller = { ...anonymousCaller, kind: 'user', userId: '', roles: ['admin'], scopes: ['*'] };

/** Records the changed fields in the audit trail. For fields that are never shown, only the name is recorded. */
export async function recordWrite(
  { services, call }: WriteContext,
  resource: Resource,
  operation: 'created' | 'updated' | 'deleted' | 'restored',
  { id, before, after, fields }: { id: string; before?: Values; after?: Values; fields?: readonly string[] },
): Promise<void> {
  if (!resource.definition.events) return;
  const { caller, source, tx, now } = call;
  // If administrators may not read every row, the audit trail must not show its values to them.
  const isPrivate = !allowsEveryRow(resource.definition.access.read, withFullProof(administrator, now), now);
  const isSecret = (name: string) => {
    const { hidden = false, writeOnly = false } = resource.fields.get(name)?.options ?? {};
    return isPrivate || hidden || writeOnly;
  };
  await recordEvent(services.context, tx, {
    type: `${resource.name}.${operation}`,
    userId: caller.userId,
    clientId: caller.clientId,
    sessionId: caller.sessionId,
    rowId: id,
    source,
    data: {
      id,
      ...(fields ? { fields } : {}),
      changes: changesBetween(storedOf(resource, before), storedOf(resource, after), isSecret),
    },
  });
}
