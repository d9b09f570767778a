import { columnOf, type Resource, type ResourceRelation } from '../model/resource.ts';
import { allowedRows, contextOfRelated, type RuleContext, relationJoin } from '../model/row-rules.ts';
import { and, type Fragment, innerRowBudgetMark, raw, sql } from '../sql/sql-text.ts';

/** Builds SQL for the rows of the table with this alias. */
type SqlForAlias = (alias: string) => Fragment;

type Relations = readonly ResourceRelation[];

/** At least one row of the relations that the caller may see satisfies a condition. */
export function existsRelated(
  ruleContext: RuleContext,
  resource: Resource,
  [relation, ...otherRelations]: Relations,
  condition: SqlForAlias,
  alias = 't',
): Fragment {
  if (!relation) return condition(alias);
  const context = contextOfRelated(ruleContext);
  const { target, relation: link, through } = relation;
  const innerAlias = `${alias}s`;
  const visible = and([
    allowedRows(target, 'read', context, innerAlias),
    existsRelated(context, target, otherRelations, condition, innerAlias),
  ]);
  const rows = raw(`${target.table} as ${innerAlias}`);
  switch (link.kind) {
    // An uncorrelated subquery: the database finds the rows of the target once, by its indexes.
    case 'belongsTo':
      return sql`${raw(`${alias}.${columnOf(resource, link.by)}`)} in (select ${raw(innerAlias)}."id" from ${rows} where ${innerRowBudgetMark} ${visible})`;
    case 'hasMany':
      return sql`${raw(alias)}."id" in (select ${raw(`${innerAlias}.${columnOf(target, link.by)}`)} from ${rows} where ${innerRowBudgetMark} ${visible})`;
    case 'manyToMany': {
      const linkResource = through as Resource;
      const linkAlias = `${alias}l`;
      const linked = sql`${raw(`${linkAlias}.${columnOf(linkResource, link.to)}`)} in (select ${raw(innerAlias)}."id" from ${rows} where ${innerRowBudgetMark} ${visible})`;
      return sql`${raw(alias)}."id" in (select ${raw(`${linkAlias}.${columnOf(linkResource, link.from)}`)} from ${raw(`${linkResource.table} as ${linkAlias}`)} where ${innerRowBudgetMark} ${and([allowedRows(linkResource, 'read', context, linkAlias), linked])})`;
    }
    default:
      return sql`exists (select 1 from ${rows} where ${innerRowBudgetMark} ${relationJoin(resource, relation, context, alias, innerAlias)} and ${visible})`;
  }
}

/** A value of the related row. Null if the caller may not see that row. */
export function relatedValue(
  ruleContext: RuleContext,
  resource: Resource,
  [relation, ...otherRelations]: Relations,
  value: SqlForAlias,
  alias = 't',
): Fragment {
  if (!relation) return value(alias);
  const context = contextOfRelated(ruleContext);
  const { target } = relation;
  const innerAlias = `${alias}v`;
  const join = relationJoin(resource, relation, context, alias, innerAlias);
  return sql`(select ${relatedValue(context, target, otherRelations, value, innerAlias)} from ${raw(`${target.table} as ${innerAlias}`)} where ${innerRowBudgetMark} ${and([join, allowedRows(target, 'read', context, innerAlias)])})`;
}
