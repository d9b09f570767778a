import { type Condition, evaluateAccess } from '../../../src/resources/declaration/access.ts';
import { fieldOf, type Resource } from '../../../src/resources/model/resource.ts';
import type { QueryContext } from '../../../src/resources/model/row-rules.ts';
import type { StoredRow } from '../../../src/resources/sql/executor.ts';

/** The condition that a row must meet for the caller to see it. Throws if the caller may see no row at all. */
export function readCondition(resource: Resource, { caller, now }: Pick<QueryContext, 'caller' | 'now'>) {
  const { access, where } = resource.definition;
  const rules: (boolean | Condition)[] = [evaluateAccess(access.read, caller, now), ...(where ? [where(now)] : [])];
  return rules;
}

/** Evaluates a condition without the database. Undefined if it needs SQL: other rows, lists, or order comparisons. */
export function conditionHolds(
  resource: Resource,
  condition: boolean | Condition,
  row: StoredRow,
): boolean | undefined {
  if (typeof condition === 'boolean') return condition;
  switch (condition.kind) {
    case 'all':
      return andMaybe(condition.of.map((part) => conditionHolds(resource, part, row)));
    case 'any':
      return some(condition.of.map((part) => conditionHolds(resource, part, row)));
    case 'compare':
      return compares(resource, condition.field, condition.operator, condition.value, row);
    case 'among':
      return some(condition.values.map((value) => compares(resource, condition.field, '=', value, row)));
    default:
      return undefined;
  }
}

export const andMaybe = (parts: readonly (boolean | undefined)[]): boolean | undefined =>
  parts.includes(false) ? false : parts.includes(undefined) ? undefined : true;

const some = (parts: readonly (boolean | undefined)[]): boolean | undefined =>
  parts.includes(true) ? true : parts.includes(undefined) ? undefined : false;

function compares(resource: Resource, name: string, operator: string, value: unknown, row: StoredRow) {
  if (operator !== '=' && operator !== '!=') return undefined;
  const field = fieldOf(resource, name);
  const stored = row[field.column] ?? null;
  const expected = value === null || value === undefined ? null : field.type.toStored(value);
  // JSON has fewer types than the database, so values of different types may still be equal.
  if (stored !== null && expected !== null && typeof stored !== typeof expected) return undefined;
  if (operator === '=') return stored === expected;
  return stored !== expected;
}
