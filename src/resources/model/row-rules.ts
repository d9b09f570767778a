import type { Database } from '../../database/database.ts';
import type { Reader } from '../../database/reader.ts';
import type { Caller } from '../../platform/caller.ts';
import { type Access, type ActionAccess, type Condition, evaluateAccess, type Rule } from '../declaration/access.ts';
import type { Executor, StoredRow } from '../sql/executor.ts';
import { inJsonArray, jsonArrayContains } from '../sql/json-arrays.ts';
import { and, type Fragment, innerRowBudgetMark, or, quoted, raw, sql, sqlFalse, sqlTrue } from '../sql/sql-text.ts';
import { columnOf, fieldOf, type Resource, type ResourceRelation } from './resource.ts';

export type DeletedFilter = 'only' | 'with';

interface DeletedRows {
  readonly resource: Resource;
  readonly filter: DeletedFilter;
}

/** The context of a read: where statements run, the caller and the time. The context of a write uses its transaction. */
export interface QueryContext extends Executor {
  readonly caller: Caller;
  readonly now: number;
  /** The request asks for deleted rows of this resource. */
  readonly deleted?: DeletedRows;
}

export type RuleContext = Pick<QueryContext, 'engine' | 'caller' | 'now' | 'deleted'>;

export const queryContext = (
  { engine, db, read, readFirst, readKeyed, changes, revision }: Database,
  { caller, now }: Pick<QueryContext, 'caller' | 'now'>,
  reader?: Reader,
): QueryContext => ({ engine, db, read, readFirst, readKeyed, changes, revision, reader, caller, now });

export const withDeletedRows = (
  context: QueryContext,
  resource: Resource,
  { deleted: filter }: { readonly deleted?: DeletedFilter | undefined },
): QueryContext => (filter ? { ...context, deleted: { resource, filter } } : context);

/** The context for rows that a relation reaches. `deleted` applies only to the rows that the request names. */
export function contextOfRelated<C extends RuleContext>(context: C): Omit<C, 'deleted'> {
  if (!context.deleted) return context;
  const { deleted, ...contextOfKept } = context;
  return contextOfKept;
}

export type RowOperation = 'read' | 'create' | 'update' | 'delete';
export type RowRule = RowOperation | Rule;

export function ruleOf({ definition: { access } }: Resource, operation: RowRule): Access {
  if (typeof operation === 'function') return operation;
  return operation === 'read' ? access.read : (access[operation] ?? access.write);
}

/** A rule of the resource, such as `update`, or a separate rule about the caller or the row. */
export type RouteAccess = ActionAccess | RowOperation;

const isOperation = (access: RouteAccess): access is RowOperation =>
  access === 'read' || access === 'create' || access === 'update' || access === 'delete';

/** The rule for the row of an action or a route, in addition to the rule for reading it. */
export function rowRuleOf(access: RouteAccess): RowRule {
  if (access === 'write') return 'update';
  return isOperation(access) ? access : (caller, now) => evaluateAccess(access, caller, now);
}

/** The rule of an action or a route that is about no row. It must be true for every row. */
export function callerRuleOf(resource: Resource, access: RouteAccess): Access {
  if (access === 'write') return resource.definition.access.write;
  return isOperation(access) ? ruleOf(resource, access) : access;
}

/** The SQL condition for the rows on which the caller may do this operation. */
export function allowedRows(resource: Resource, operation: RowRule, context: RuleContext, alias = 't'): Fragment {
  const allowed = allowedByRule(resource, operation, context, alias);
  const existing = existingRows(resource, context, alias);
  if (context.deleted?.resource !== resource) return existing === sqlTrue ? allowed : and([existing, allowed]);
  // A caller who may delete rows may see deleted rows.
  const mayDelete = allowedByRule(resource, 'delete', context, alias);
  const isKept = raw(`${alias}."deleted_at" is null`);
  return and([existing, allowed, context.deleted.filter === 'only' ? mayDelete : or([isKept, mayDelete])]);
}

/** Rules about callers do not apply to the service itself. */
const allowedByRule = (resource: Resource, operation: RowRule, context: RuleContext, alias: string): Fragment =>
  context.caller.kind === 'system'
    ? sqlTrue
    : toSql(resource, evaluateAccess(ruleOf(resource, operation), context.caller, context.now), context, alias);

/** The condition that a row must meet to be visible to any caller. */
export const existingRows = (resource: Resource, context: RuleContext, alias = 't'): Fragment => {
  const { where, softDelete } = resource.definition;
  const declaredCondition = where ? toSql(resource, where(context.now), context, alias) : sqlTrue;
  if (!softDelete) return declaredCondition;
  const deletedFilter = context.deleted?.resource === resource ? context.deleted.filter : undefined;
  const deletedCondition =
    deletedFilter === 'with' ? sqlTrue : raw(`${alias}."deleted_at" is ${deletedFilter === 'only' ? 'not ' : ''}null`);
  return and([deletedCondition, declaredCondition]);
};

function toSql(resource: Resource, condition: boolean | Condition, context: RuleContext, alias: string): Fragment {
  if (typeof condition === 'boolean') return condition ? sqlTrue : sqlFalse;
  switch (condition.kind) {
    case 'all':
      return and(condition.of.map((part) => toSql(resource, part, context, alias)));
    case 'any':
      return or(condition.of.map((part) => toSql(resource, part, context, alias)));
    case 'compare':
      return compareSql(resource, condition.field, condition.operator, condition.value, alias);
    case 'among':
      return or(condition.values.map((value) => compareSql(resource, condition.field, '=', value, alias)));
    case 'lists':
      return jsonArrayContains(
        context.engine,
        `${alias}.${columnOf(resource, condition.field)}`,
        sql`${condition.value}`,
      );
    case 'related':
      return relatedSql(resource, condition.relation, condition.condition, context, alias);
  }
}

function compareSql(resource: Resource, name: string, operator: string, value: unknown, alias: string): Fragment {
  const field = fieldOf(resource, name);
  const column = raw(`${alias}.${quoted(field.column)}`);
  if (value === null || value === undefined) {
    if (operator === '=') return sql`${column} is null`;
    if (operator === '!=') return sql`${column} is not null`;
    return sqlFalse;
  }
  const stored = field.type.toStored(value);
  // The negation of equality: a row without a value differs from every value.
  if (operator === '!=') return sql`(${column} <> ${stored} or ${column} is null)`;
  return sql`${column} ${raw(operator)} ${stored}`;
}

function relatedSql(resource: Resource, name: string, condition: Condition, ruleContext: RuleContext, alias: string) {
  const context = contextOfRelated(ruleContext);
  const relation = resource.relations.get(name);
  if (!relation) throw new Error(`${resource.name} has no relation "${name}"`);
  const { target } = relation;
  const innerAlias = `${alias}r`;
  const matches = and([existingRows(target, context, innerAlias), toSql(target, condition, context, innerAlias)]);
  return sql`exists (select 1 from ${raw(target.table)} as ${raw(innerAlias)} where ${innerRowBudgetMark} ${relationJoin(resource, relation, context, alias, innerAlias)} and ${matches})`;
}

/** Returns the value of a column in the row from which a relation starts. */
type StartOf = (column: string) => Fragment;

export const relationJoin = (
  resource: Resource,
  relation: ResourceRelation,
  context: RuleContext,
  alias: string,
  innerAlias: string,
): Fragment => linkedRows(resource, relation, context, (column) => raw(`${alias}.${quoted(column)}`), innerAlias);

/** The rows of the target (alias `t`) that belong to one row by a relation. */
export const relatedRows = (
  resource: Resource,
  relation: ResourceRelation,
  context: RuleContext,
  row: StoredRow,
): Fragment => linkedRows(resource, relation, context, (column) => sql`${row[column]}`, 't');

function linkedRows(
  resource: Resource,
  { relation, target, through }: ResourceRelation,
  context: RuleContext,
  startOf: StartOf,
  innerAlias: string,
): Fragment {
  const columnIn = (of: Resource, alias: string, field: string) => raw(`${alias}.${columnOf(of, field)}`);
  const startValue = (field: string) => startOf(fieldOf(resource, field).column);
  switch (relation.kind) {
    case 'belongsTo':
      return sql`${raw(innerAlias)}."id" = ${startValue(relation.by)}`;
    case 'hasMany':
      return sql`${columnIn(target, innerAlias, relation.by)} = ${startOf('id')}`;
    case 'manyToMany': {
      const linkResource = through as Resource;
      const linkAlias = `${innerAlias}l`;
      const visible = allowedRows(linkResource, 'read', contextOfRelated(context), linkAlias);
      return sql`${raw(innerAlias)}."id" in (select ${columnIn(linkResource, linkAlias, relation.to)} from ${raw(linkResource.table)} as ${raw(linkAlias)} where ${innerRowBudgetMark} ${columnIn(linkResource, linkAlias, relation.from)} = ${startOf('id')} and ${visible})`;
    }
    case 'listsNames':
      return inJsonArray(context.engine, columnIn(target, innerAlias, relation.key), startValue(relation.list));
    case 'namedBy':
      return jsonArrayContains(
        context.engine,
        `${innerAlias}.${columnOf(target, relation.list)}`,
        startValue(relation.key),
      );
  }
}
