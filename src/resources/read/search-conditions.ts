import type { Engine } from '../../database/database.ts';
import { shown, unknownName, wrongParameter } from '../../http/parameter-errors.ts';
import { afterPrefix } from '../declaration/fields/folding.ts';
import { isIndexed, type Resource, type ResourceField } from '../model/resource.ts';
import { listHolds } from '../model/row-rules.ts';
import type { ListQuery } from '../query/list-query.ts';
import type { Alternative, SearchPair } from '../query/search-text.ts';
import { searchableNames } from '../query/searchable-names.ts';
import { type Fragment, falsehood, join, longText, or, quoted, raw, sql, truth } from '../sql/sql-text.ts';

/** What a search asks of a row (alias `t`): all pairs must hold, or with `or` at least one. */
export function searchConditions(
  engine: Engine,
  resource: Resource,
  { search, searchJoin }: Pick<ListQuery, 'search' | 'searchJoin'>,
): Fragment {
  const conditions = search.map((pair) => searchCondition(engine, resource, pair));
  const [only, ...more] = conditions;
  if (!only) return truth;
  if (searchJoin === 'or') return or(conditions);
  return more.length === 0 ? only : sql`(${join(conditions, ' and ')})`;
}

function searchCondition(engine: Engine, resource: Resource, pair: SearchPair): Fragment {
  const field = resource.fields.get(pair.field);
  if (!field?.options.searchable || !field.stored) {
    throw unknownName('search: the field', pair.field, searchableNames(resource), 'field_unknown');
  }
  if (pair.operator !== '=' && pair.operator !== '!=') return comparison(field, pair);
  const holds = anyOfThem(engine, field, pair.alternatives);
  // The exact opposite of "=": a row without a value is different from every value.
  return pair.operator === '=' ? holds : sql`(${holds}) is not true`;
}

function anyOfThem(engine: Engine, field: ResourceField, alternatives: readonly Alternative[]): Fragment {
  const values: unknown[] = [];
  const others: Fragment[] = [];
  for (const each of alternatives) {
    if (each.isNull) others.push(sql`${raw(`t.${quoted(field.column)}`)} is null`);
    else if (field.type === 'list') others.push(listItem(engine, field, each));
    else if (field.type === 'enum') values.push(...enumValues(field, each));
    else if (each.openStart || each.openEnd) others.push(wildcard(engine, field, each));
    else values.push(comparable(field, each.text));
  }
  const compared = raw(field.compared('t'));
  const equal =
    values.length === 0
      ? falsehood
      : values.length === 1
        ? sql`${compared} = ${values[0]}`
        : sql`${compared} in (${join(
            values.map((value) => sql`${value}`),
            ', ',
          )})`;
  return or([equal, ...others]);
}

/** The form in which a search's text meets the column; 400 when the field cannot hold it. */
function comparable(field: ResourceField, text: string): unknown {
  if (field.type === 'text') return field.foldText(text);
  const stored = field.kind?.fromSearch(text);
  if (stored === undefined) {
    throw wrongParameter(`search: ${field.name} takes ${field.kind?.takes}; ${shown(text)} is not that.`);
  }
  return stored;
}

function comparison(field: ResourceField, { operator, alternatives }: SearchPair): Fragment {
  const [only, ...more] = alternatives as [Alternative, ...Alternative[]];
  if (more.length > 0) {
    throw wrongParameter(`search: ${operator} on ${field.name} takes one value; write \\, for a comma in it.`);
  }
  if (only.isNull || only.openStart || only.openEnd) {
    throw wrongParameter(`search: ${operator} on ${field.name} takes a plain value, not null or a wildcard.`);
  }
  if (field.type === 'enum' || field.type === 'list' || field.type === 'boolean') {
    throw wrongParameter(`search: ${operator} is not possible on ${field.name}; =, != and lists of values are.`);
  }
  const value = comparable(field, only.text);
  const compared = raw(field.compared('t'));
  return sql`${compared} ${raw(operator)} ${value}`;
}

function wildcard(engine: Engine, field: ResourceField, { text, openStart, openEnd }: Alternative): Fragment {
  if (field.type !== 'text')
    throw wrongParameter(`search: ${field.name} takes no wildcard; it takes ${field.kind?.takes}.`);
  const compared = raw(field.compared('t'));
  const folded = field.foldText(text);
  if (folded === '') return sql`${compared} is not null`;
  if (openStart && openEnd) {
    const position = raw(engine === 'sqlite' ? 'instr' : 'strpos');
    return sql`(${isIndexed(field) ? raw('') : longText} ${position}(${compared}, ${folded}) > 0)`;
  }
  if (openStart) {
    const length = Array.from(folded).length;
    return engine === 'sqlite'
      ? sql`substr(${compared}, ${-length}) = ${folded}`
      : sql`right(${compared}, ${length}) = ${folded}`;
  }
  const end = afterPrefix(folded);
  return end === undefined ? sql`${compared} >= ${folded}` : sql`(${compared} >= ${folded} and ${compared} < ${end})`;
}

function listItem(engine: Engine, field: ResourceField, { text, openStart, openEnd }: Alternative): Fragment {
  if (openStart || openEnd)
    throw wrongParameter(`search: ${field.name} takes no wildcard; it takes an item of the list.`);
  return listHolds(engine, `t.${quoted(field.column)}`, sql`${text}`);
}

/** The values that are meant, ignoring case; a wildcard may mean several. */
function enumValues(field: ResourceField, { text, openStart, openEnd }: Alternative): string[] {
  const values = field.options.values ?? [];
  const wanted = text.toLowerCase();
  const matches = values.filter((value) => {
    const lower = value.toLowerCase();
    if (openStart && openEnd) return lower.includes(wanted);
    if (openStart) return lower.endsWith(wanted);
    return openEnd ? lower.startsWith(wanted) : lower === wanted;
  });
  if (matches.length === 0 && !openStart && !openEnd) {
    throw unknownName(`search: for ${field.name} the value`, text, values, 'value_unknown');
  }
  return matches;
}
