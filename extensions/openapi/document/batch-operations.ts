import type { Resource } from '../../../src/resources/model/resource.ts';
import { ruleOf } from '../../../src/resources/model/row-rules.ts';
import { type BatchOperation, maxRows } from '../../../src/resources/write/write-batch.ts';
import { component } from './components.ts';
import { problemSchema } from './problem-schema.ts';
import { accessErrors, json, problem, type RouteDocs } from './resource-operations.ts';
import { acceptsProof, inputSchema, withProof } from './resource-schemas.ts';

const id = { type: 'string', description: 'The id of the row.' };
const ifMatch = { type: 'string', description: 'The ETag of the version to change, as in the header If-Match.' };

function itemSchema(resource: Resource, operation: BatchOperation) {
  if (operation === 'delete') return id;
  if (operation === 'create') {
    return acceptsProof(resource, ruleOf(resource, 'create'))
      ? inputSchema(resource, 'create')
      : component(resource, 'Input');
  }
  const { properties, ...schema } = inputSchema(resource, 'update');
  return { ...schema, properties: { id, if_match: ifMatch, ...properties }, required: ['id'] };
}

const longRows = ' If the rows are larger than 16 MiB, the other results have no data.';

const clientCalls = { create: 'createAll([{}])', update: 'patchAll([{ id }])', delete: 'deleteAll([id])' } as const;
const verbs = { create: 'Create', update: 'Change', delete: 'Delete' } as const;

export function batchDocs(resource: Resource, operation: BatchOperation): RouteDocs {
  const { name, writeScope, definition } = resource;
  const member = operation === 'delete' ? 'ids' : 'rows';
  const data = component(resource, operation === 'create' && definition.reveals ? 'Created' : '');
  const batch = {
    type: 'object',
    properties: {
      [member]: { type: 'array', minItems: 1, maxItems: maxRows, items: itemSchema(resource, operation) },
    },
    required: [member],
    additionalProperties: false,
  };
  return {
    tags: [name],
    operationId: `${operation}_${name}_batch`,
    summary: `${verbs[operation]} up to ${maxRows} ${name} in one request`,
    description: `The same rules apply to each row as to a single request, and each row gets its own status. If a row fails, the others are still written. The order is not defined. An \`Idempotency-Key\` applies to every row. Needs the scope \`${writeScope}\`.`,
    'x-client': `const results = await gatehouse.resource('${name}').${clientCalls[operation]};`,
    body: acceptsProof(resource, ruleOf(resource, operation)) ? withProof(batch) : batch,
    response: {
      200: json(`One result for each row, in the order of the request.${operation === 'update' ? longRows : ''}`, {
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
      ...accessErrors,
      422: problem('The batch is invalid, and nothing was written. `errors` lists the problems.'),
    },
  };
}
