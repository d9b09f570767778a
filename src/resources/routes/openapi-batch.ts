import { component } from '../../http/openapi/openapi-components.ts';
import { problemSchema } from '../../http/openapi/openapi-operations.ts';
import type { Resource } from '../model/resource.ts';
import { type BatchOperation, mostOperations, offeredInBatch } from '../write/read-batch.ts';
import { operationDocs } from './openapi-operations.ts';
import { plain, replacesAsItCreates } from './openapi-schemas.ts';

const id = { type: 'string', description: 'The id of the row.' };
const ifMatch = { type: 'string', description: 'As the header If-Match: the ETag of the row that is meant.' };

/** One kind of operation. */
function operationSchema(resource: Resource, operation: BatchOperation['operation']) {
  const { component: name, definition } = resource;
  const inputs = {
    create: `${name}Input`,
    replace: `${name}${replacesAsItCreates(resource) ? 'Input' : 'Replacement'}`,
    update: `${name}Patch`,
  };
  const data = operation === 'delete' ? definition.deleteBody : component(inputs[operation]);
  return {
    type: 'object',
    properties: {
      operation: { type: 'string', const: operation },
      ...(operation === 'create' ? {} : { id, if_match: ifMatch }),
      ...(data ? { data } : {}),
    },
    required: ['operation', ...(operation === 'create' ? [] : ['id']), ...(operation === 'delete' ? [] : ['data'])],
    additionalProperties: false,
  };
}

/** The description of `POST /v1/<resources>/batch`. */
export function batchDocs(resource: Resource) {
  const { name, writeScope, component: row, definition } = resource;
  const offered = offeredInBatch(resource);
  const kinds = offered.map((operation) => operationSchema(resource, operation));
  const { 401: unauthorized, 403: forbidden } = operationDocs(resource, 'list').response as Record<number, object>;
  const data = component(definition.reveals ? `${row}Created` : row);
  return {
    tags: [name],
    operationId: `batch_${name}`,
    summary: `Write up to ${mostOperations} ${name} in one request`,
    description: `Each operation is a write of its own, by the same rules as a request for it alone; one that fails leaves the others as they are. They are done in no order. An \`Idempotency-Key\` holds for every row that is made. Needs the scope \`${writeScope}\`.`,
    'x-client': `const results = await gatehouse.resource('${name}').batch([{ operation: '${offered.at(-1)}', ${offered.at(-1) === 'create' ? 'data: {}' : 'id'} }]);`,
    body: plain({
      type: 'object',
      properties: {
        operations: {
          type: 'array',
          minItems: 1,
          maxItems: mostOperations,
          items: kinds.length === 1 ? kinds[0] : { oneOf: kinds },
        },
      },
      required: ['operations'],
      additionalProperties: false,
    }),
    response: {
      200: {
        description: 'One answer for each operation, in the order of the request.',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: {
                data: {
                  type: 'array',
                  items: {
                    type: 'object',
                    properties: {
                      status: { type: 'integer', description: 'That of a request for this operation alone.' },
                      etag: { type: 'string' },
                      data,
                      error: problemSchema,
                      retry_after: { type: 'integer', description: 'Seconds to wait before another try.' },
                    },
                    required: ['status'],
                  },
                },
              },
              required: ['data'],
            },
          },
        },
      },
      401: unauthorized,
      403: forbidden,
      422: {
        description: 'The batch cannot be read, and nothing was done; errors names what is wrong.',
        content: { 'application/problem+json': { schema: problemSchema } },
      },
    },
  };
}
