import { invalidParameter, unknownName } from '../../src/http/errors/parameter-errors.ts';
import { isOneOf } from '../../src/platform/is-one-of.ts';
import { splitList } from '../../src/platform/split-list.ts';
import { isTooLongToIndex } from '../../src/resources/declaration/fields/field-types.ts';
import type { AggregateParameters } from '../../src/resources/model/paging.ts';
import type { Resource, ResourceField } from '../../src/resources/model/resource.ts';
import { readDirection } from '../../src/resources/query/sorting.ts';

export const aggregateFunctions = ['count', 'sum', 'avg', 'min', 'max'] as const;
type AggregateFunction = (typeof aggregateFunctions)[number];

/** `count`, or `sum:seats`. */
export type Aggregate =
  | { readonly name: string; readonly of: 'count' }
  | { readonly name: string; readonly of: Exclude<AggregateFunction, 'count'>; readonly field: ResourceField };

export interface AggregateQuery {
  readonly aggregates: readonly Aggregate[];
  readonly groupBy: readonly ResourceField[];
  /** The order by groups and aggregates, then by the values of the groups. */
  readonly order: readonly { readonly sortBy: Aggregate | ResourceField; readonly descending: boolean }[];
}

const maxAggregates = 10;
const maxGroups = 3;

const summable = ['integer', 'number', 'decimal'];
const comparable = [...summable, 'date', 'timestamp'];
const groupable = [...comparable, 'text', 'boolean', 'enum', 'uuid', 'reference'];

const fieldsOf = ({ fields }: Resource, types: readonly string[]): ResourceField[] =>
  [...fields.values()].filter(({ stored, shown, type }) => stored && shown && types.includes(type.name));

export const summableFields = (resource: Resource): ResourceField[] => fieldsOf(resource, summable);
export const comparableFields = (resource: Resource): ResourceField[] => fieldsOf(resource, comparable);
export const groupableFields = (resource: Resource): ResourceField[] =>
  fieldsOf(resource, groupable).filter(({ type, options }) => !isTooLongToIndex({ type: type.name, options }));

/** `aggregate=count,sum:seats` with `groupBy=kind`. */
export function readAggregates(resource: Resource, parameters: AggregateParameters): AggregateQuery {
  const { aggregate, groupBy } = parameters;
  const names = [...new Set(splitList(aggregate, ','))];
  const groups = [...new Set(splitList(groupBy ?? '', ','))];
  if (names.length === 0) throw invalidParameter('aggregate: name the functions, such as count,sum:seats.');
  if (names.length > maxAggregates) throw invalidParameter(`aggregate: at most ${maxAggregates} at once.`);
  if (groups.length > maxGroups) throw invalidParameter(`groupBy: at most ${maxGroups} fields.`);
  const aggregates = names.map((name) => readAggregate(resource, name));
  const fields = groups.map((name) => {
    const usable = groupableFields(resource);
    const field = usable.find((candidate) => candidate.name === name);
    if (!field) throw unusableField(resource, 'groupBy: the field', name, usable, 'cannot be grouped by');
    if (aggregates.some(({ of }) => of === name)) {
      throw invalidParameter(`groupBy: the response has a member "${name}" already; leave ${name} out of aggregate.`);
    }
    return field;
  });
  return { aggregates, groupBy: fields, order: readOrder(parameters, aggregates, fields) };
}

const unusableField = (
  resource: Resource,
  label: string,
  name: string,
  usable: readonly ResourceField[],
  reason: string,
) => {
  const allowed = usable.map((field) => field.name);
  return unknownName(label, name, allowed, 'field_unknown', resource.fields.get(name)?.shown ? reason : undefined);
};

function readAggregate(resource: Resource, name: string): Aggregate {
  const colon = name.indexOf(':');
  const of = (colon < 0 ? name : name.slice(0, colon)).trim();
  const fieldName = colon < 0 ? undefined : name.slice(colon + 1).trim();
  if (!isOneOf(aggregateFunctions, of)) {
    throw unknownName('aggregate: the function', of, aggregateFunctions, 'operator_unknown');
  }
  if (of === 'count') {
    if (fieldName !== undefined) throw invalidParameter('aggregate: count counts rows and takes no field.');
    return { name: of, of };
  }
  const usable = of === 'sum' || of === 'avg' ? summableFields(resource) : comparableFields(resource);
  const field = usable.find((candidate) => candidate.name === fieldName);
  if (!field)
    throw unusableField(resource, `aggregate: ${of} of the field`, fieldName ?? '', usable, 'cannot be calculated');
  return { name: `${of}:${field.name}`, of, field };
}

function readOrder(
  { orderBy, sortedBy }: AggregateParameters,
  aggregates: readonly Aggregate[],
  groups: readonly ResourceField[],
) {
  const names = [...new Set(splitList(orderBy ?? '', ';'))];
  const directions = splitList(sortedBy ?? '', ';').map(readDirection);
  const sortable = [...aggregates, ...groups];
  if (directions.length > Math.max(1, names.length)) {
    throw invalidParameter(`sortedBy: it has ${directions.length} directions for ${names.length} names of orderBy.`);
  }
  const order = names.map((name, i) => {
    const sortBy = sortable.find((candidate) => candidate.name === name);
    if (!sortBy) {
      const allowed = sortable.map((candidate) => candidate.name);
      throw unknownName('orderBy: with aggregate, the name', name, allowed, 'field_unknown');
    }
    return { sortBy, descending: directions[i] ?? false };
  });
  const remainingGroups = groups.filter(({ name }) => !names.includes(name));
  const isDescending = order.length === 0 && (directions[0] ?? false);
  return [...order, ...remainingGroups.map((sortBy) => ({ sortBy, descending: isDescending }))];
}
