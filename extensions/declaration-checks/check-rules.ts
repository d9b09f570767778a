import { anonymousCaller, type Caller } from '../../src/platform/caller.ts';
import { closestName } from '../../src/platform/closest-name.ts';
import { reasonOf } from '../../src/platform/errors.ts';
import { type Condition, probeUser, type Rule } from '../../src/resources/declaration/access.ts';
import { describeValue, didYouMean, type ReportMistake } from '../../src/resources/declaration/check-options.ts';
import { fieldTypeOf } from '../../src/resources/declaration/fields/field-types.ts';
import { listType } from '../../src/resources/declaration/fields/list.ts';
import { type Check, storedNames } from './check.ts';

/** Calls a rule with callers of every kind. Checks the roles and scopes that the rule reads, and its conditions. Returns the results. */
export function checkRule(where: string, rule: Rule, check: Check): readonly unknown[] {
  const { roles, scopes } = check.knownNames;
  const usedNames = { roles: new Set<string>(), scopes: new Set<string>() };
  const reported = new Set<string>();
  const reportOnce: ReportMistake = (path, message) => {
    if (!reported.has(message)) check.report(path, message);
    reported.add(message);
  };
  const errors: unknown[] = [];
  const results: unknown[] = [];
  const callers = probeCallers(roles ?? ['admin'], usedNames);
  for (const caller of callers) {
    try {
      const result: unknown = rule(caller, exampleTime);
      results.push(result);
      checkResult(where, result, { ...check, report: reportOnce });
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === callers.length) reportOnce(where, `the rule fails for every caller: ${reasonOf(errors[0])}`);
  for (const name of usedNames.roles) {
    if (roles?.includes(name) ?? true) continue;
    const knownRoles = roles ?? [];
    const example = closestName(name, knownRoles) ? '' : `, such as ROLES=${[...knownRoles, name].join(',')}`;
    reportOnce(
      where,
      `there is no role "${name}".${didYouMean(name, knownRoles)} The setting ROLES names them${example}.`,
    );
  }
  for (const name of usedNames.scopes) {
    if (scopes?.includes(name) ?? true) continue;
    reportOnce(where, `there is no scope "${name}".${didYouMean(name, scopes ?? [])} The setting SCOPES adds more.`);
  }
  return results;
}

const exampleTime = Date.parse('2026-01-31T12:00:00Z');

/** Callers with no role, with each single role and with all roles. They record the roles and scopes that a rule reads. */
function probeCallers(knownRoles: readonly string[], usedNames: { roles: Set<string>; scopes: Set<string> }): Caller[] {
  const recordReads = (names: Set<string>, granted: readonly string[]): readonly string[] =>
    Object.assign([...granted], {
      includes(name: string): boolean {
        // A declaration in JavaScript may pass anything.
        names.add(String(name));
        return granted.includes(name);
      },
    });
  const user = probeUser(exampleTime);
  const roles = (...granted: string[]) => recordReads(usedNames.roles, granted);
  const scopes = (...granted: string[]) => recordReads(usedNames.scopes, granted);
  return [
    ...[[], ...knownRoles.map((name) => [name]), knownRoles].flatMap((granted) => [
      { ...user, roles: roles(...granted), scopes: scopes() },
      { ...user, roles: roles(...granted), scopes: scopes('*') },
    ]),
    { ...user, kind: 'client', roles: roles(), scopes: scopes('*') },
    { ...user, kind: 'client', userId: null, roles: roles(), scopes: scopes('*') },
    { ...anonymousCaller, roles: roles(), scopes: scopes() },
  ];
}

function checkResult(where: string, result: unknown, check: Check): void {
  const { definition, all, report } = check;
  if (typeof result === 'boolean') return;
  const condition = result as Condition;
  switch (condition?.kind) {
    case 'all':
    case 'any':
      for (const part of condition.of) checkResult(where, part, check);
      return;
    case 'compare':
      checkField(where, condition.field, [condition.value], check);
      return;
    case 'among':
      checkField(where, condition.field, condition.values, check);
      return;
    case 'lists':
      if (definition.fields[condition.field]?.type === listType.name) return;
      checkField(where, condition.field, [], check);
      if (definition.fields[condition.field]) report(where, `"${condition.field}" is not a list field.`);
      return;
    case 'related': {
      const relations = definition.relations ?? {};
      const relation = relations[condition.relation];
      const target = all.get(relation?.target ?? '');
      if (target) checkResult(where, condition.condition, { ...check, definition: target });
      else if (!relation) {
        const suggestion = didYouMean(condition.relation, Object.keys(relations));
        report(where, `${definition.name} has no relation "${condition.relation}".${suggestion}`);
      }
      return;
    }
    default:
      report(
        where,
        `a rule returns true, false or a condition such as equals('field', value); this one ${describeResult(result)}`,
      );
  }
}

function describeResult(result: unknown): string {
  if (result instanceof Promise) {
    result.catch(() => undefined);
    return 'is async.';
  }
  return result === undefined ? 'returns nothing.' : `returns ${describeValue(result)}.`;
}

/** Checks a condition for SQL: its field must have a column, and its values must be of the field's type. */
function checkField(where: string, name: string, values: readonly unknown[], { definition, report }: Check): void {
  const { fields, managed } = definition;
  const stored = ['id', ...storedNames(fields), ...(managed ? ['created_at', 'updated_at'] : [])];
  if (!stored.includes(name)) {
    report(where, `${definition.name} has no stored field "${name}".${didYouMean(name, stored)}`);
    return;
  }
  const field = fields[name];
  // The target resource decides on the format of ids.
  if (!field || field.options.target !== undefined) return;
  const type = fieldTypeOf(field);
  const unbounded = { ...field.options, min: -Infinity, max: Infinity, maxItem: Infinity, pattern: undefined };
  for (const value of values) {
    const refusal = value === null || value === undefined ? undefined : type.check(value, unbounded);
    if (refusal) report(where, `"${name}" is compared with ${describeValue(value)}: it ${refusal.message}.`);
  }
}
