import type { FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { rateLimitAccount } from '../../http/gate/gate.ts';
import { component, type RouteDocs } from '../../http/openapi/openapi-components.ts';
import { problemSchema } from '../../http/openapi/openapi-operations.ts';
import { queryOf } from '../../http/query-of.ts';
import { tooManyRequests } from '../../platform/errors.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { rejectUnknownParameters } from '../query/list-query.ts';
import { idempotencyKey } from '../write/idempotency.ts';
import { withPasswordProof } from '../write/with-password-proof.ts';
import { type BatchOperation, batchesOf, batchMethods, maxRows, readBatch, writeBatch } from '../write/write-batch.ts';
import { json, operationDocs, problem } from './openapi-operations.ts';
import { inputSchema, unsafeSchema } from './openapi-schemas.ts';
import { callOf, routeConfig, sendJson } from './resource-routes.ts';

/** `POST`, `PATCH` and `DELETE /v1/<resources>/batches`: create, change and delete many rows in one request. */
export function serveBatches(app: App, services: ResourceServices, resource: Resource, runningBatches: Set<string>) {
  const url = `/v1/${resource.name}/batches`;
  const operations = batchesOf(resource);
  // Otherwise, `batches` would be the id of a row.
  if (operations.length > 0) {
    const config = { auth: 'public', methodNotAllowed: true } as const;
    app.route({ method: ['GET', 'HEAD', 'PUT'], url, config, schema: { hide: true }, handler: () => undefined });
  }
  for (const operation of operations) {
    app.route({
      method: batchMethods[operation],
      url,
      config: routeConfig(resource, 'write', () => batchDocs(resource, operation)),
      async handler(request, reply) {
        // A batch counts as one request against the rate limit, so a caller may run only one at a time.
        const account = rateLimitAccount(request.caller);
        if (runningBatches.has(account))
          throw tooManyRequests('Another of your batches is in progress. Send one at a time.', 1);
        runningBatches.add(account);
        try {
          const responses = await runBatch(services, resource, operation, request);
          // A hook may reveal a secret.
          return sendJson(reply.header('cache-control', 'no-store'), `{"data":[${responses.join(',')}]}`);
        } finally {
          runningBatches.delete(account);
        }
      },
    });
  }
}

async function runBatch(
  services: ResourceServices,
  resource: Resource,
  operation: BatchOperation,
  request: FastifyRequest,
): Promise<string[]> {
  rejectUnknownParameters(queryOf(request));
  const idempotencyHeader = request.headers['idempotency-key'];
  const provable = { call: callOf(services, request), body: request.body };
  // One password proves all rows.
  const { call: provenCall, body } = await withPasswordProof(services, resource, provable);
  const rows = readBatch(operation, body, (id) => resource.definition.alias?.(id, request.caller) ?? id);
  const path = `${request.method} /v1/${resource.name}/batches`;
  return writeBatch(services, resource, {
    operation,
    rows,
    requestId: request.id,
    call: () => ({ ...callOf(services, request), caller: provenCall.caller }),
    // An invalid key rejects the whole batch before a row is written.
    keys: rows.map((row, i) => idempotencyKey(services.keys, idempotencyHeader, request.caller, `${path}#${i}`, row)),
  });
}

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

function batchDocs(resource: Resource, operation: BatchOperation): RouteDocs {
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
