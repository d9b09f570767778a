import type { Engine } from '../../database/database.ts';
import { unknownName, wrongParameter } from '../../http/errors/parameter-errors.ts';
import { searchedValue } from '../declaration/fields/plain-values.ts';
import type { SearchTerm } from '../declaration/fields/search-term.ts';
import type { Resource, ResourceField } from '../model/resource.ts';
import type { ListQuery } from '../query/list-query.ts';
import type { SearchPair } from '../query/search-text.ts';
import { searchableNames } from '../query/searchable-names.ts';
import { Fragment, falsehood, join, or, quoted, raw, sql, truth } from '../sql/sql-text.ts';

/** What a search asks of a row (alias `t`): all pairs must hold, or with `or` at least one. */
export function searchConditions(
  engine: Engine,
  resource: Resource,
  { search, searchJoin, byReference }: Pick<ListQuery, 'search' | 'searchJoin' | 'byReference'>,
): Fragment {
  const conditions = search.map((pairs) =>
    or(pairs.map((pair) => searchCondition(engine, resource, pair, byReference))),
  );
  const [only, ...more] = conditions;
  if (!only) return truth;
  if (searchJoin === 'or') return or(conditions);
  return more.length === 0 ? only : sql`(${join(conditions, ' and ')})`;
}

const canBeSearched = ({ options, stored, shown }: ResourceField, byReference: boolean): boolean =>
  stored && (options.searchable === true || (byReference && shown && options.target !== undefined));

function searchCondition(engine: Engine, resource: Resource, pair: SearchPair, byReference: boolean): Fragment {
  const field = resource.fields.get(pair.field);
  if (!field || !canBeSearched(field, byReference)) {
    const why = field?.shown ? 'is not searchable' : undefined;
    throw unknownName('search: the field', pair.field, searchableNames(resource), 'field_unknown', why);
  }
  if (pair.operator !== '=' && pair.operator !== '!=') return comparison(field, pair);
  const holds = anyTerm(engine, field, pair.terms);
  // The exact opposite of "=": a row without a value is different from every value.
  return pair.operator === '=' ? holds : sql`(${holds}) is not true`;
}

function anyTerm(engine: Engine, field: ResourceField, terms: readonly SearchTerm[]): Fragment {
  const values: unknown[] = [];
  const others: Fragment[] = [];
  for (const term of terms) {
    if (term.isNull) {
      others.push(sql`${raw(`t.${quoted(field.column)}`)} is null`);
      continue;
    }
    const matching = field.type.matches(term, field, engine);
    if (matching instanceof Fragment) others.push(matching);
    else values.push(...matching);
  }
  return or([isAmong(raw(field.compared('t')), values), ...others]);
}

function isAmong(compared: Fragment, values: readonly unknown[]): Fragment {
  if (values.length === 0) return falsehood;
  if (values.length === 1) return sql`${compared} = ${values[0]}`;
  const listed = join(
    values.map((value) => sql`${value}`),
    ', ',
  );
  return sql`${compared} in (${listed})`;
}

function comparison(field: ResourceField, { operator, terms }: SearchPair): Fragment {
  const [only, ...more] = terms as [SearchTerm, ...SearchTerm[]];
  if (more.length > 0) {
    throw wrongParameter(`search: ${operator} on ${field.name} takes one value; write \\, for a comma in it.`);
  }
  if (only.isNull || only.openStart || only.openEnd) {
    throw wrongParameter(`search: ${operator} on ${field.name} takes a plain value, not null or a wildcard.`);
  }
  if (!field.type.hasOrder) {
    throw wrongParameter(`search: ${operator} is not possible on ${field.name}; =, != and lists of values are.`);
  }
  return sql`${raw(field.compared('t'))} ${raw(operator)} ${searchedValue(only.text, field)}`;
}
