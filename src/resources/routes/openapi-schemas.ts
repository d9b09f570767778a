import { Type } from 'typebox';
import type { Resource, ResourceField } from '../model/resource.ts';

type Schema = Record<string, unknown>;

function fieldSchema({ type, options, nullable }: ResourceField): Schema {
  const schema = type.schema(options);
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
