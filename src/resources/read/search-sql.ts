import type { Engine } from '../../database/database.ts';
import { invalidParameter } from '../../http/errors/parameter-errors.ts';
import type { SearchTerm } from '../declaration/fields/field-type.ts';
import { toSearchValue } from '../declaration/fields/plain-values.ts';
import type { RuleContext } from '../model/query-context.ts';
import type { Resource, ResourceField } from '../model/resource.ts';
import type { ListQuery } from '../query/list-query.ts';
import { readSearchField } from '../query/search-fields.ts';
import type { SearchPair } from '../query/search-text.ts';
import { Fragment, join, or, quoted, raw, sql, sqlFalse, sqlTrue } from '../sql/sql-text.ts';
import { existsRelated } from './related-sql.ts';

/** The condition of a search on a row (alias `t`): all pairs must match, or with `or` at least one. */
export function searchSql(
  context: RuleContext,
  resource: Resource,
  { search, searchJoin, byReference }: Pick<ListQuery, 'search' | 'searchJoin' | 'byReference'>,
): Fragment {
  const conditions = search.map((pairs) => or(pairs.map((pair) => pairSql(context, resource, pair, byReference))));
  const [firstCondition, ...otherConditions] = conditions;
  if (!firstCondition) return sqlTrue;
  if (searchJoin === 'or') return or(conditions);
  return otherConditions.length === 0 ? firstCondition : sql`(${join(conditions, ' and ')})`;
}

/** The text of a search, if an index has the rows with each text in the order of their ids. */
export interface IndexedText {
  readonly field: ResourceField;
  readonly text: string;
}

/** Undefined unless the search is for one text in one field. */
export function findIndexedText(
  { caller, engine }: RuleContext,
  resource: Resource,
  { search, byReference }: Pick<ListQuery, 'search' | 'byReference'>,
): IndexedText | undefined {
  const [pair, ...otherPairs] = search.flat();
  const [term, ...otherTerms] = pair?.terms ?? [];
  if (!pair || !term || pair.operator !== '=' || otherPairs.length > 0 || otherTerms.length > 0 || term.isNull)
    return undefined;
  const { relations, field } = readSearchField(resource, pair.field, caller, { byReference });
  const isIndexed = resource.definition.managed && field.indexed && field.type.storage === 'text';
  if (relations.length > 0 || !isIndexed) return undefined;
  const matching = field.type.matches(term, field, engine, 't');
  const text = matching instanceof Fragment || matching.length !== 1 ? undefined : (matching[0] as string);
  // PostgreSQL would refuse the whole statement because of one such text.
  return text?.isWellFormed() && !text.includes('\0') ? { field, text } : undefined;
}

function pairSql(context: RuleContext, resource: Resource, pair: SearchPair, byReference: boolean): Fragment {
  const { relations, field } = readSearchField(resource, pair.field, context.caller, { byReference });
  const isComparison = pair.operator !== '=' && pair.operator !== '!=';
  const condition = existsRelated(context, resource, relations, (alias) =>
    isComparison ? comparisonSql(field, pair, alias) : termsSql(context.engine, field, pair.terms, alias),
  );
  // The exact negation of "=": a row without a value differs from every value.
  return pair.operator === '!=' ? sql`(${condition}) is not true` : condition;
}

function termsSql(engine: Engine, field: ResourceField, terms: readonly SearchTerm[], alias: string): Fragment {
  const values: unknown[] = [];
  const otherConditions: Fragment[] = [];
  for (const term of terms) {
    if (term.isNull) {
      otherConditions.push(sql`${raw(`${alias}.${quoted(field.column)}`)} is null`);
      continue;
    }
    const matching = field.type.matches(term, field, engine, alias);
    if (matching instanceof Fragment) otherConditions.push(matching);
    else values.push(...matching);
  }
  return or([inSql(raw(field.comparisonSql(alias)), values), ...otherConditions]);
}

function inSql(compared: Fragment, values: readonly unknown[]): Fragment {
  if (values.length === 0) return sqlFalse;
  if (values.length === 1) return sql`${compared} = ${values[0]}`;
  const listed = join(
    values.map((value) => sql`${value}`),
    ', ',
  );
  return sql`${compared} in (${listed})`;
}

function comparisonSql(field: ResourceField, { operator, terms }: SearchPair, alias: string): Fragment {
  const [term, ...otherTerms] = terms as [SearchTerm, ...SearchTerm[]];
  if (otherTerms.length > 0) {
    throw invalidParameter(`search: ${operator} on ${field.name} takes one value; write \\, for a comma in it.`);
  }
  if (term.isNull || term.wildcardBefore || term.wildcardAfter) {
    throw invalidParameter(`search: ${operator} on ${field.name} takes a plain value, not null or a wildcard.`);
  }
  if (!field.type.hasOrder) {
    throw invalidParameter(`search: ${operator} is not possible on ${field.name}; =, != and lists of values are.`);
  }
  return sql`${raw(field.comparisonSql(alias))} ${raw(operator)} ${toSearchValue(term.text, field)}`;
}
