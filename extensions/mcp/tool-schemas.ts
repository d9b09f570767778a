import { asObject, isObject } from '../../src/platform/is-object.ts';
import type { Action } from '../../src/resources/declaration/define-resource.ts';
import type { Resource } from '../../src/resources/model/resource.ts';
import type { Json } from '../openapi/document/json-schema.ts';
import { inputSchema } from '../openapi/document/resource-schemas.ts';
import type { Right, Rights } from './rights.ts';

/** Keywords that stay beside several types, because they describe the whole value. */
const annotations = ['title', 'description', 'default', 'examples', 'enum', 'const'];
const valueKeywords = ['enum', 'const'];

/** Any value. MCP clients warn about an empty schema. */
const anyValue = ['object', 'array', 'string', 'number', 'boolean', 'null'].map((type) => ({ type }));

/** A schema for strict validators such as MCP clients: no custom keywords, and one type where several fit. */
function strictSchema(schema: Json): Json {
  const standard = Object.entries(schema).filter(([name]) => !name.startsWith('x-') && !name.startsWith('~'));
  const { type, ...rest } = Object.fromEntries(standard.map(([name, value]) => [name, within(name, value)]));
  if (type === undefined) {
    const isAny = Object.keys(rest).every((name) => annotations.includes(name) && !valueKeywords.includes(name));
    return isAny ? { anyOf: anyValue, ...rest } : rest;
  }
  if (!Array.isArray(type)) return { type, ...rest };
  const about = Object.entries(rest).filter(([name]) => annotations.includes(name));
  const rules = Object.fromEntries(Object.entries(rest).filter(([name]) => !annotations.includes(name)));
  const anyOf = type.map((typeName: string) =>
    typeName === 'null' ? { type: typeName } : { type: typeName, ...rules },
  );
  return { anyOf, ...Object.fromEntries(about) };
}

function within(name: string, value: unknown): unknown {
  if (name === 'properties' && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, strictSchema(asObject(inner))]));
  }
  if (['items', 'additionalProperties', 'not'].includes(name) && isObject(value)) return strictSchema(value);
  const isList = ['anyOf', 'oneOf', 'allOf'].includes(name) && Array.isArray(value);
  return isList ? value.map((inner: Json) => strictSchema(inner)) : value;
}

/** More rows or more text would fill the context of a model. */
export const maxRows = 50;
const defaultRows = 20;

/** If the schemas of all resources are longer than this, only `describe` returns them. */
const maxSchemasLength = 24_000;

const text = (description: string): Json => ({ type: 'string', description });

export type ObjectSchema = Json & { type: 'object' };

const closed = (properties: Record<string, Json>, required: readonly string[] = []): ObjectSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const resourceNames = (rights: readonly Rights[]): Json => ({
  type: 'string',
  enum: rights.map(({ resource }) => resource.name),
  description: 'The name of the resource.',
});
const id = text('The id of the row.');
const ifMatch = text('The etag of the row as you read it: the write is rejected if the row has changed since then.');
const idempotencyKey = text(
  'Any text of your choice. If you repeat a call with the same key, nothing is done twice: you get the first response.',
);
const safely = { if_match: ifMatch, idempotency_key: idempotencyKey };
const selection = {
  filter: text('Return only these fields, separated by ; Choose few.'),
  include: text('Embed relations, with , between them.'),
};

/** The schema of a write. Extension keywords are removed: they do not help a model, and might name hidden resources. */
export const valuesOf = (resource: Resource, mode: 'create' | 'update') => strictSchema(inputSchema(resource, mode));

/** The schema of the values of a write: by resource, unless that is too long. */
function valuesSchema(rights: readonly Rights[], mode: 'create' | 'update'): Json {
  const description = 'The fields and their values, as describe tells them.';
  const schemas = rights.map(({ resource }) => ({ title: resource.name, ...valuesOf(resource, mode) }));
  if (JSON.stringify(schemas).length > maxSchemasLength) return { type: 'object', description };
  return schemas.length === 1 ? { ...schemas[0], description } : { type: 'object', description, anyOf: schemas };
}

export const describeInput = (rights: readonly Rights[]): ObjectSchema =>
  closed({
    resource: {
      ...resourceNames(rights),
      description: 'The resource to describe in full. Default: a short description of all resources.',
    },
  });

/** The parameter for resources that keep deleted rows. */
const deletedOf = (rights: readonly Rights[]): Record<string, Json> =>
  softDeletable(rights).length === 0
    ? {}
    : {
        deleted: {
          type: 'string',
          enum: ['only', 'with'],
          description: `Deleted rows alone, or with the others. For: ${softDeletable(rights)
            .map(({ resource }) => resource.name)
            .join(', ')}.`,
        },
      };

/** The rights for resources that keep deleted rows. */
export const softDeletable = (rights: readonly Rights[]): Rights[] =>
  rights.filter(({ resource }) => resource.definition.softDelete === true);

export const restoreInput = (rights: readonly Rights[]): ObjectSchema =>
  closed({ resource: resourceNames(rights), id, if_match: ifMatch }, ['resource', 'id']);

export function inputOf(right: Right, rights: readonly Rights[]): ObjectSchema {
  const resource = resourceNames(rights);
  switch (right) {
    case 'list':
      return closed(
        {
          resource,
          search: text(
            'Pairs of field:value, separated by ; (relation.field:value searches related rows). * at either end is a wildcard; > >= < <= != compare; a,b matches one of the values; null matches no value.',
          ),
          searchJoin: {
            type: 'string',
            enum: ['and', 'or'],
            description: 'Whether all pairs must match (and, the default), or one of them (or).',
          },
          orderBy: text('Fields to sort by, separated by ;'),
          sortedBy: text('asc or desc for each field of orderBy, separated by ;'),
          ...selection,
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: maxRows,
            default: defaultRows,
            description: 'The maximum number of rows.',
          },
          cursor: text('next_cursor of the page before, to go on from there.'),
          aggregate: text(
            'Calculate instead of listing rows: count, sum:field, avg:field, min:field, max:field, with , between them. Takes no filter, include and cursor.',
          ),
          groupBy: text('With aggregate: calculate for each value of these fields, with , between them.'),
          ...deletedOf(rights),
        },
        ['resource'],
      );
    case 'get':
      return closed({ resource, id, ...selection, ...deletedOf(rights) }, ['resource', 'id']);
    case 'create':
      return closed({ resource, values: valuesSchema(rights, 'create'), idempotency_key: idempotencyKey }, [
        'resource',
        'values',
      ]);
    case 'update':
      return closed({ resource, id, values: valuesSchema(rights, 'update'), ...safely }, ['resource', 'id', 'values']);
    case 'delete':
      return closed({ resource, id, ...safely }, ['resource', 'id']);
  }
}

/**
 * The name of an action includes its resource: `cars.park`. If two actions have the same path, also the method:
 * `users.lockouts.delete`.
 */
export const actionsOf = (rights: readonly Rights[]): { name: string; resource: Resource; action: Action }[] =>
  rights.flatMap(({ resource, actions }) =>
    actions.map((action) => ({ name: actionName(resource, action), resource, action })),
  );

export function actionName({ name: resource, definition }: Resource, { name, method = 'POST' }: Action): string {
  const sameName = definition.actions?.filter((other) => other.name === name) ?? [];
  return `${resource}.${name}${sameName.length > 1 ? `.${method.toLowerCase()}` : ''}`;
}

export function actInput(rights: readonly Rights[]): ObjectSchema {
  const actions = actionsOf(rights);
  const about = actions.map(({ name, action }) => `${name}: ${action.summary}.`).join(' ');
  const bodies = actions.flatMap(({ name, action: { body } }) =>
    body ? [{ title: name, ...strictSchema({ ...body }) }] : [],
  );
  return closed(
    {
      action: { type: 'string', enum: actions.map(({ name }) => name), description: `Which action. ${about}` },
      id: text('The id of the row that it is about; not for actions of a whole resource.'),
      ...(bodies.length === 0
        ? {}
        : { body: { type: 'object', description: 'The body of the action.', anyOf: bodies } }),
    },
    ['action'],
  );
}

const row: Json = { type: 'object', description: 'The row.' };
const etag: Json = { type: 'string', description: 'The value for if_match.' };

export const outputs: Record<Right | 'describe' | 'act' | 'restore', ObjectSchema> = {
  describe: {
    type: 'object',
    properties: { resources: { type: 'array', items: { type: 'object' } } },
    required: ['resources'],
  },
  list: {
    type: 'object',
    properties: {
      data: { type: 'array', items: { type: 'object' } },
      next_cursor: {
        anyOf: [{ type: 'string' }, { type: 'null' }],
        description: 'The cursor of the next page, or null on the last page.',
      },
      total: { type: 'integer', description: 'With aggregate: the number of groups.' },
    },
    required: ['data', 'next_cursor'],
  },
  get: { type: 'object', properties: { data: row, etag }, required: ['data'] },
  create: { type: 'object', properties: { data: row, etag }, required: ['data'] },
  update: { type: 'object', properties: { data: row, etag }, required: ['data'] },
  delete: { type: 'object', properties: { deleted: { type: 'string' } }, required: ['deleted'] },
  restore: { type: 'object', properties: { data: row, etag }, required: ['data'] },
  act: {
    type: 'object',
    properties: { data: { anyOf: anyValue, description: 'The result of the action, if there is one.' } },
  },
};
