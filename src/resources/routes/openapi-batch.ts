import { component, type RouteDocs } from '../../http/openapi/openapi-components.ts';
import { problemSchema } from '../../http/openapi/openapi-operations.ts';
import type { Resource } from '../model/resource.ts';
import { type BatchOperation, maxRows } from '../write/read-batch.ts';
import { json, operationDocs, problem } from './openapi-operations.ts';
import { inputSchema, unsafeSchema } from './openapi-schemas.ts';

const id = { type: 'string', description: 'The id of the row.' };
const ifMatch = { type: 'string', description: 'The ETag of the version to change, as in the header If-Match.' };

function itemSchema(resource: Resource, operation: BatchOperation) {
  if (operation === 'delete') return id;
  if (operation === 'create') return component(`${resource.component}Input`);
  const { properties, ...schema } = inputSchema(resource, 'update');
  return { ...schema, properties: { id, if_match: ifMatch, ...properties }, required: ['id'] };
}

const clientCalls = { create: 'createAll([{}])', update: 'patchAll([{ id }])', delete: 'removeAll([id])' } as const;
const verbs = { create: 'Create', update: 'Change', delete: 'Delete' } as const;

export function batchDocs(resource: Resource, operation: BatchOperation): RouteDocs {
  const { name, writeScope, component: row, definition } = resource;
  const member = operation === 'delete' ? 'ids' : 'rows';
  const { 401: unauthorized, 403: forbidden } = operationDocs(resource, 'list').response;
  const data = component(operation === 'create' && definition.reveals ? `${row}Created` : row);
  return {
    tags: [name],
    operationId: `${operation}_${name}_batch`,
    summary: `${verbs[operation]} up to ${maxRows} ${name} in one request`,
    description: `The same rules apply to each row as to a single request, and each row gets its own status. If a row fails, the others are still written. The order is not defined. An \`Idempotency-Key\` applies to every row. Needs the scope \`${writeScope}\`.`,
    'x-client': `const results = await gatehouse.resource('${name}').${clientCalls[operation]};`,
    body: unsafeSchema({
      type: 'object',
      properties: {
        [member]: { type: 'array', minItems: 1, maxItems: maxRows, items: itemSchema(resource, operation) },
      },
      required: [member],
      additionalProperties: false,
    }),
    response: {
      200: json('One result for each row, in the order of the request.', {
        type: 'object',
        properties: {
          data: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                status: { type: 'integer', description: 'The status that a request for this row alone would get.' },
                ...(operation === 'delete' ? {} : { etag: { type: 'string' }, data }),
                error: problemSchema,
                retry_after: { type: 'integer', description: 'The number of seconds to wait before a retry.' },
              },
              required: ['status'],
            },
          },
        },
        required: ['data'],
      }),
      401: unauthorized,
      403: forbidden,
      422: problem('The batch is invalid, and nothing was written. `errors` lists the problems.'),
    },
  };
}
