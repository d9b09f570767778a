import type { Engine } from '../../database/database.ts';
import { invalidParameter } from '../../http/errors/parameter-errors.ts';
import { type SearchTerm, toSearchValue } from '../declaration/fields/field-type.ts';
import type { Resource, ResourceField } from '../model/resource.ts';
import type { RuleContext } from '../model/row-rules.ts';
import type { ListQuery } from '../query/list-query.ts';
import { readSearchField } from '../query/search-fields.ts';
import type { SearchPair } from '../query/search-text.ts';
import type { Sort } from '../query/sorting.ts';
import { Fragment, join, or, quoted, raw, sql, sqlFalse, sqlTrue } from '../sql/sql-text.ts';
import { existsRelated, relatedValue } from './related-sql.ts';
import { cacheOf, type Selection, selectionFor } from './resource-cache.ts';

export interface CompiledList extends Selection, Pick<ListQuery, 'limit' | 'page' | 'count' | 'cursor' | 'aggregates'> {
  readonly search: Fragment;
  /** Only on PostgreSQL. */
  readonly indexedText: IndexedText | undefined;
  readonly sort: Sort;
  /** The SQL text is the same for each call. */
  readonly prepared: boolean;
  /** Whether it reads rows of other resources. */
  readonly readsOtherResources: boolean;
}

/** Responds 400 for a search value that the field cannot have. */
export function compileListQuery(context: RuleContext, resource: Resource, query: ListQuery): CompiledList {
  const { shape, includes } = selectionFor(resource, query);
  const { limit, page, count, cursor, fields } = query;
  const sortsByRelation = query.sort?.keys.some(({ relations }) => relations.length > 0) ?? false;
  return {
    shape,
    includes,
    search: searchSql(context, resource, query),
    indexedText: context.engine === 'postgres' ? findIndexedText(context, resource, query) : undefined,
    sort: query.sort ? sortFor(context, resource, query.sort) : cacheOf(resource).sort,
    limit,
    page,
    count,
    cursor,
    aggregates: query.aggregates,
    prepared: query.search.length === 0 && fields === undefined && !sortsByRelation,
    readsOtherResources:
      includes.length > 0 || sortsByRelation || query.search.flat().some(({ field }) => field.includes('.')),
  };
}

/** Through relations, the keys compare only rows that the caller may see. */
const sortFor = (context: RuleContext, resource: Resource, sort: Sort): Sort => ({
  ...sort,
  keys: sort.keys.map((key) => {
    if (key.relations.length === 0) return key;
    const expression = relatedValue(context, resource, key.relations, (alias) => raw(key.field.comparisonSql(alias)));
    return { ...key, expression };
  }),
});

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
function findIndexedText(
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
  if (matching instanceof Fragment || matching.length !== 1) return undefined;
  const [text] = matching;
  // PostgreSQL would refuse the whole statement because of one such text.
  return typeof text === 'string' && text.isWellFormed() && !text.includes('\0') ? { field, text } : undefined;
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
  const [term, ...otherTerms] = terms;
  if (!term || otherTerms.length > 0) {
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
