import { Type } from 'typebox';
import type { AnyOptions, FieldType } from '../declaration/fields.ts';
import type { Resource, ResourceField } from '../model/resource.ts';

type Schema = Record<string, unknown>;

const exampleId = '0199d0a0-7c00-7000-8000-000000000001';

/** The JSON schema of values of each type, with an example that a reader can copy. */
const types = new Map<FieldType, (options: AnyOptions) => Schema>([
  [
    'text',
    ({ min = 1, max = 255, pattern }) => ({
      type: 'string',
      minLength: min,
      maxLength: max,
      ...(pattern ? { pattern: pattern.source } : { examples: ['text'.slice(0, max)] }),
    }),
  ],
  ['integer', ({ min, max }) => ({ type: 'integer', ...bounds(min, max), examples: [min ?? Math.min(1, max ?? 1)] })],
  ['number', ({ min, max }) => ({ type: 'number', ...bounds(min, max), examples: [min ?? Math.min(1.5, max ?? 1.5)] })],
  ['boolean', () => ({ type: 'boolean', examples: [true] })],
  ['date', () => ({ type: 'string', format: 'date', examples: ['2026-01-31'] })],
  ['timestamp', () => ({ type: 'string', format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] })],
  ['enum', ({ values = [] }) => ({ type: 'string', enum: [...values], examples: [values[0]] })],
  ['json', () => ({ description: 'Any JSON value.', examples: [{ key: 'value' }] })],
  [
    'list',
    ({ values, max = 100, maxItem = 255 }) => ({
      type: 'array',
      items: values ? { type: 'string', enum: [...values] } : { type: 'string', minLength: 1, maxLength: maxItem },
      maxItems: max,
      uniqueItems: true,
      examples: [values ? values.slice(0, 1) : ['item']],
    }),
  ],
  ['uuid', () => ({ type: 'string', format: 'uuid', examples: [exampleId] })],
  ['reference', () => ({ type: 'string', examples: [exampleId] })],
]);

const bounds = (min: number | undefined, max: number | undefined): Schema => ({
  ...(min === undefined ? {} : { minimum: min }),
  ...(max === undefined ? {} : { maximum: max }),
});

export function fieldSchema({ type, options, nullable }: ResourceField): Schema {
  const shown = type === 'computed' ? (options.as ?? 'json') : type;
  const schema = types.get(shown)?.(options) ?? {};
  const { example, description, target } = options;
  const about = [description, target === undefined ? undefined : `The id of one of the ${target}.`].filter(Boolean);
  const constant = options.default !== undefined && typeof options.default !== 'function';
  return {
    ...schema,
    ...(nullable && typeof schema.type === 'string' ? { type: [schema.type, 'null'] } : {}),
    ...(nullable && Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}),
    ...(example === undefined ? {} : { examples: [example] }),
    ...(about.length > 0 ? { description: about.join(' ') } : {}),
    ...(constant ? { default: options.default } : {}),
    ...(options.readOnly ? { readOnly: true } : {}),
    ...(options.writeOnly ? { writeOnly: true } : {}),
  };
}

/** A row as answers show it. */
export function rowSchema(resource: Resource): Schema {
  return {
    type: 'object',
    ...(resource.definition.description ? { description: resource.definition.description } : {}),
    properties: Object.fromEntries(resource.shown.map((field) => [field.name, fieldSchema(field)])),
    required: ['id'],
  };
}

/** What POST and PUT take; PATCH takes the same with nothing required. */
export function inputSchema(resource: Resource, partial: boolean): Schema {
  const fields = [...resource.fields.values()].filter(({ sendable }) => sendable);
  const required = fields.filter(({ options }) => options.required && options.default === undefined);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    ...(partial || required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
    additionalProperties: false,
  };
}

export const problemSchema: Schema = {
  type: 'object',
  description: 'What was wrong, as RFC 9457 writes it.',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'The request id.' },
    code: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { field: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'instance'],
};

const link = { type: ['string', 'null'] };

export const paginationSchema: Schema = {
  type: 'object',
  properties: {
    total: { type: 'integer', description: 'Exact up to 10,000; see total_capped and the parameter count.' },
    total_capped: { type: 'boolean', description: 'There are more rows than total says.' },
    count: { type: 'integer', description: 'Rows on this page.' },
    per_page: { type: 'integer' },
    current_page: { type: 'integer' },
    total_pages: { type: 'integer' },
    next_cursor: { type: ['string', 'null'], description: 'With the parameter cursor: where the next page begins.' },
    links: { type: 'object', properties: { next: link, previous: link } },
  },
  required: ['count', 'per_page', 'links'],
};

/** A schema of plain JSON where Fastify's types ask for one of TypeBox. */
export const plain = (schema: Schema) => Type.Unsafe<unknown>(schema);
