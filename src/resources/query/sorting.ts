import type { Engine } from '../../database/database.ts';
import { invalidParameter, unknownName } from '../../http/errors/parameter-errors.ts';
import { anonymousCaller, type Caller } from '../../platform/caller.ts';
import { splitList } from '../../platform/split-list.ts';
import type { Resource, ResourceField, ResourceRelation } from '../model/resource.ts';
import { and, type Fragment, join, or, raw, sql } from '../sql/sql-text.ts';
import { pathsThrough, readPath } from './field-path.ts';

interface SortKey {
  /** `name` or `owner.name`. */
  readonly name: string;
  readonly field: ResourceField;
  /** The relations that lead to the row with the field. */
  readonly relations: readonly ResourceRelation[];
  readonly descending: boolean;
  /** The SQL expression that is compared. Through relations, it depends on the caller (see `sortFor`). */
  readonly expression: Fragment;
  readonly nullable: boolean;
}

/** The order of a list: its keys, then the id, so that pages never overlap. */
export interface Sort {
  readonly keys: readonly SortKey[];
  /** The id has the direction of the last key, so that one index serves both. */
  readonly idDescending: boolean;
  /** Identifies the order, for cursors. */
  readonly signature: string;
}

/** The part of a sort that SQL needs. */
type Order = Pick<Sort, 'idDescending'> & {
  readonly keys: readonly Pick<SortKey, 'expression' | 'descending' | 'nullable'>[];
};

const maxKeys = 5;

export const sortableNames = ({ fields }: Resource): string[] =>
  [...fields.values()].filter(({ options, stored }) => options.sortable && stored).map(({ name }) => name);

/** `owner.name`, for each sortable field of a related resource. */
export const sortablePaths = (resource: Resource): string[] => pathsThrough(resource, sortableNames, true);

const sortPathRules = {
  parameter: 'orderBy',
  accepts: ({ options, stored }: ResourceField) => options.sortable === true && stored,
  names: sortableNames,
  refusal: 'is not sortable',
  toOne: true,
} as const;

export const defaultSort = (resource: Resource): Sort =>
  readSort(resource, { orderBy: undefined, sortedBy: undefined }, anonymousCaller);

/** Parses `orderBy=a;b` with `sortedBy=asc;desc`. The default direction is ascending. Without `orderBy`, lists are ordered by id. */
export function readSort(
  resource: Resource,
  { orderBy, sortedBy }: { readonly orderBy: string | undefined; readonly sortedBy: string | undefined },
  caller: Caller,
): Sort {
  const directions = splitList(sortedBy ?? '', ';').map(readDirection);
  const requestedNames = splitList(orderBy ?? '', ';');
  const names = requestedNames.length > 0 ? requestedNames : defaultNames(resource, directions);
  if (names.length > maxKeys) throw invalidParameter(`orderBy: at most ${maxKeys} fields.`);
  if (directions.length > Math.max(1, names.length)) {
    throw invalidParameter(`sortedBy: it has ${directions.length} directions for ${names.length} fields of orderBy.`);
  }
  const keys: SortKey[] = [];
  for (const [i, name] of names.entries()) {
    const { field, relations } = readPath(resource, name, caller, sortPathRules);
    if (keys.some((key) => key.name === name)) throw invalidParameter(`orderBy: "${name}" appears twice.`);
    const nullable = field.nullable || relations.length > 0;
    const expression = raw(field.comparisonSql('t'));
    keys.push({ name, field, relations, descending: directions[i] ?? false, expression, nullable });
  }
  return createSort(keys, directions[0] ?? false);
}

export function readDirection(word: string): boolean {
  const direction = word.toLowerCase();
  if (direction !== 'asc' && direction !== 'desc') {
    throw unknownName('sortedBy: the direction', word, ['asc', 'desc'], 'value_unknown');
  }
  return direction === 'desc';
}

function defaultNames({ definition: { defaultOrder } }: Resource, directions: boolean[]): string[] {
  if (defaultOrder === undefined) return [];
  if (directions.length === 0 && defaultOrder.startsWith('-')) directions.push(true);
  return [defaultOrder.replace(/^-/, '')];
}

function createSort(keys: readonly SortKey[], descending: boolean): Sort {
  const idIndex = keys.findIndex(({ name }) => name === 'id');
  const keysBeforeId = idIndex < 0 ? keys : keys.slice(0, idIndex);
  // Without `id`, `at(-1)` is the last key.
  const idDescending = keys.at(idIndex)?.descending ?? descending;
  const signatureParts = [
    ...keysBeforeId.map(({ name, descending: isDescending }) => `${name}${isDescending ? '-' : '+'}`),
    idDescending ? '-' : '+',
  ];
  return { keys: keysBeforeId, idDescending, signature: signatureParts.join(' ') };
}

/** Whether an index has this order, so that the first rows can be read without the others. */
export function hasIndexFor({ definition }: Resource, { keys, idDescending }: Sort): boolean {
  const [firstKey, ...otherKeys] = keys;
  if (!firstKey) return true;
  if (firstKey.relations.length > 0) return false;
  return (
    otherKeys.length === 0 &&
    firstKey.descending === idDescending &&
    definition.managed === true &&
    firstKey.field.indexed
  );
}

/** Nulls come first, and last when descending, on both engines. */
export function orderSql({ keys, idDescending }: Order, engine: Engine): Fragment {
  const parts = keys.map(({ expression, descending, nullable }) => {
    const nulls = engine === 'postgres' && nullable ? (descending ? ' nulls last' : ' nulls first') : '';
    return sql`${expression}${raw(`${descending ? ' desc' : ''}${nulls}`)}`;
  });
  return join([...parts, raw(`t."id"${idDescending ? ' desc' : ''}`)], ', ');
}

/** The keys and the id of the last row of a page. */
export interface CursorPosition {
  readonly values: readonly unknown[];
  readonly id: string;
}

/**
 * The rows after a position, as conditions to run one after another until the page is full. Each is one range of an index. One
 * condition with "or" would scan all rows before the position.
 */
export function seekConditions({ keys, idDescending }: Sort, { values, id }: CursorPosition): Fragment[] {
  const comparison = raw(idDescending ? '<' : '>');
  const [first] = keys;
  if (!first) return [sql`t."id" ${comparison} ${id}`];
  if (keys.length > 1 || first.descending !== idDescending)
    return [lexicographic(keys, values, sql`t."id" ${comparison} ${id}`)];
  const column = first.expression;
  const [value] = values;
  const afterNull = sql`${column} is null and t."id" ${comparison} ${id}`;
  const after = sql`(${column}, t."id") ${comparison} (${value}, ${id})`;
  if (first.descending) {
    if (value === null) return [afterNull];
    return first.nullable ? [after, sql`${column} is null`] : [after];
  }
  return value === null ? [afterNull, sql`${column} is not null`] : [after];
}

function lexicographic(keys: readonly SortKey[], values: readonly unknown[], idAfter: Fragment): Fragment {
  const equalConditions: Fragment[] = [];
  const alternatives: Fragment[] = [];
  for (const [i, { expression: column, descending, nullable }] of keys.entries()) {
    const value = values[i];
    const after = afterCondition(column, value, descending, nullable);
    if (after) alternatives.push(and([...equalConditions, after]));
    equalConditions.push(value === null ? sql`${column} is null` : sql`${column} = ${value}`);
  }
  alternatives.push(and([...equalConditions, idAfter]));
  return or(alternatives);
}

function afterCondition(column: Fragment, value: unknown, descending: boolean, nullable: boolean) {
  if (!descending) return value === null ? sql`${column} is not null` : sql`${column} > ${value}`;
  if (value === null) return undefined;
  return nullable ? sql`(${column} < ${value} or ${column} is null)` : sql`${column} < ${value}`;
}
