import type { RuleContext } from '../model/query-context.ts';
import { columnOf, type Resource, type ResourceRelation } from '../model/resource.ts';
import { allowedRows, relationJoin } from '../model/row-rules.ts';
import { and, countInnerRow, type Fragment, raw, sql } from '../sql/sql-text.ts';

/** Builds SQL for the rows of the table with this alias. */
type SqlForAlias = (alias: string) => Fragment;

type Relations = readonly ResourceRelation[];

/** At least one row of the relations that the caller may see satisfies a condition. */
export function existsRelated(
  context: RuleContext,
  resource: Resource,
  [relation, ...rest]: Relations,
  condition: SqlForAlias,
  alias = 't',
): Fragment {
  if (!relation) return condition(alias);
  const { target, relation: link, through } = relation;
  const inner = `${alias}s`;
  const visible = and([
    allowedRows(target, 'read', context, inner),
    existsRelated(context, target, rest, condition, inner),
  ]);
  const rows = raw(`${target.table} as ${inner}`);
  switch (link.kind) {
    // An uncorrelated subquery: the database finds the rows of the target once, by its indexes.
    case 'belongsTo':
      return sql`${raw(`${alias}.${columnOf(resource, link.by)}`)} in (select ${raw(inner)}."id" from ${rows} where ${countInnerRow} ${visible})`;
    case 'hasMany':
      return sql`${raw(alias)}."id" in (select ${raw(`${inner}.${columnOf(target, link.by)}`)} from ${rows} where ${countInnerRow} ${visible})`;
    case 'manyToMany': {
      const links = through as Resource;
      const by = `${alias}l`;
      const linked = sql`${raw(`${by}.${columnOf(links, link.to)}`)} in (select ${raw(inner)}."id" from ${rows} where ${countInnerRow} ${visible})`;
      return sql`${raw(alias)}."id" in (select ${raw(`${by}.${columnOf(links, link.from)}`)} from ${raw(`${links.table} as ${by}`)} where ${countInnerRow} ${and([allowedRows(links, 'read', context, by), linked])})`;
    }
    default:
      return sql`exists (select 1 from ${rows} where ${countInnerRow} ${relationJoin(resource, relation, context, alias, inner)} and ${visible})`;
  }
}

/** A value of the related row. Null if the caller may not see that row. */
export function relatedValue(
  context: RuleContext,
  resource: Resource,
  [relation, ...rest]: Relations,
  value: SqlForAlias,
  alias = 't',
): Fragment {
  if (!relation) return value(alias);
  const { target } = relation;
  const inner = `${alias}v`;
  const join = relationJoin(resource, relation, context, alias, inner);
  return sql`(select ${relatedValue(context, target, rest, value, inner)} from ${raw(`${target.table} as ${inner}`)} where ${countInnerRow} ${and([join, allowedRows(target, 'read', context, inner)])})`;
}
