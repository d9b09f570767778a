import type { Engine } from '../../database/database.ts';
import { unknownName, wrongParameter } from '../../http/errors/parameter-errors.ts';
import type { Resource, ResourceField } from '../model/resource.ts';
import { and, type Fragment, or, raw, sql } from '../sql/sql-text.ts';
import { wordsOf } from './words-of.ts';

interface SortKey {
  readonly field: ResourceField;
  readonly descending: boolean;
}

/** The order of a list: its keys, then the id, so that no two rows tie and pages never overlap. */
export interface Sort {
  readonly keys: readonly SortKey[];
  /** The direction of the id follows that of the last key, so that one index serves both. */
  readonly idDescending: boolean;
  /** Names the order, for cursors. */
  readonly signature: string;
}

const maxKeys = 5;

export const sortableNames = ({ fields }: Resource): string[] =>
  [...fields.values()].filter(({ options, stored }) => options.sortable && stored).map(({ name }) => name);

/** The order of lists that ask for none. */
export const usualSort = (resource: Resource): Sort => readSort(resource, undefined, undefined);

/** `orderBy=a;b` with `sortedBy=asc;desc`; a direction left out is ascending. Without `orderBy` lists are by id. */
export function readSort(resource: Resource, orderBy: string | undefined, sortedBy: string | undefined): Sort {
  const directions = wordsOf(sortedBy ?? '', ';').map(readDirection);
  const given = wordsOf(orderBy ?? '', ';');
  const names = given.length > 0 ? given : defaultNames(resource, directions);
  if (names.length > maxKeys) throw wrongParameter(`orderBy: at most ${maxKeys} fields.`);
  if (directions.length > Math.max(1, names.length)) {
    throw wrongParameter(`sortedBy: it has ${directions.length} directions for ${names.length} fields of orderBy.`);
  }
  const keys: SortKey[] = [];
  for (const [i, name] of names.entries()) {
    const field = resource.fields.get(name);
    if (!field?.options.sortable || !field.stored) {
      const why = field?.shown ? 'is not sortable' : undefined;
      throw unknownName('orderBy: the field', name, sortableNames(resource), 'field_unknown', why);
    }
    if (keys.some((key) => key.field === field)) throw wrongParameter(`orderBy: "${name}" is there twice.`);
    keys.push({ field, descending: directions[i] ?? false });
  }
  return sortBy(keys, directions[0] ?? false);
}

function readDirection(word: string): boolean {
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

function sortBy(keys: readonly SortKey[], descending: boolean): Sort {
  const idAt = keys.findIndex(({ field }) => field.name === 'id');
  const before = idAt < 0 ? keys : keys.slice(0, idAt);
  const idDescending = idAt < 0 ? (keys.at(-1)?.descending ?? descending) : (keys[idAt] as SortKey).descending;
  const words = [
    ...before.map(({ field, descending: down }) => `${field.name}${down ? '-' : '+'}`),
    idDescending ? '-' : '+',
  ];
  return { keys: before, idDescending, signature: words.join(' ') };
}

/** Whether an index has the rows in this order, so that the first of them are read without the others. */
export function isServed({ definition }: Resource, { keys, idDescending }: Sort): boolean {
  const [only, ...more] = keys;
  if (!only) return true;
  return more.length === 0 && only.descending === idDescending && definition.managed === true && only.field.indexed;
}

/** Rows without a value come first, and last when descending: SQLite's way, said to PostgreSQL. */
export function orderSql({ keys, idDescending }: Sort, engine: Engine): Fragment {
  const parts = keys.map(({ field, descending }) => {
    const nulls = engine === 'postgres' && field.nullable ? (descending ? ' nulls last' : ' nulls first') : '';
    return `${field.compared('t')}${descending ? ' desc' : ''}${nulls}`;
  });
  return raw([...parts, `t."id"${idDescending ? ' desc' : ''}`].join(', '));
}

/** Where a walk by cursor stands: the keys and the id of the last row it saw. */
export interface Position {
  readonly values: readonly unknown[];
  readonly id: string;
}

/**
 * The rows after a position, as conditions to be asked one after another until the page is full: each is one stretch of
 * an index, where a single condition with "or" would make the database walk all rows before it.
 */
export function rowsAfter({ keys, idDescending }: Sort, { values, id }: Position): Fragment[] {
  const beyond = raw(idDescending ? '<' : '>');
  const [first] = keys;
  if (!first) return [sql`t."id" ${beyond} ${id}`];
  if (keys.length > 1 || first.descending !== idDescending)
    return [lexicographic(keys, values, sql`t."id" ${beyond} ${id}`)];
  const column = raw(first.field.compared('t'));
  const [value] = values;
  const sameNull = sql`${column} is null and t."id" ${beyond} ${id}`;
  const after = sql`(${column}, t."id") ${beyond} (${value}, ${id})`;
  if (first.descending) {
    if (value === null) return [sameNull];
    return first.field.nullable ? [after, sql`${column} is null`] : [after];
  }
  return value === null ? [sameNull, sql`${column} is not null`] : [after];
}

function lexicographic(keys: readonly SortKey[], values: readonly unknown[], idAfter: Fragment): Fragment {
  const same: Fragment[] = [];
  const ways: Fragment[] = [];
  for (const [i, { field, descending }] of keys.entries()) {
    const column = raw(field.compared('t'));
    const value = values[i];
    const after = later(column, value, descending, field.nullable);
    if (after) ways.push(and([...same, after]));
    same.push(value === null ? sql`${column} is null` : sql`${column} = ${value}`);
  }
  ways.push(and([...same, idAfter]));
  return or(ways);
}

function later(column: Fragment, value: unknown, descending: boolean, nullable: boolean): Fragment | undefined {
  if (!descending) return value === null ? sql`${column} is not null` : sql`${column} > ${value}`;
  if (value === null) return undefined;
  return nullable ? sql`(${column} < ${value} or ${column} is null)` : sql`${column} < ${value}`;
}
