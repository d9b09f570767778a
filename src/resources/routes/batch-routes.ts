import type { FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { rateLimitAccount } from '../../http/gate/gate.ts';
import { badRequest, tooManyRequests } from '../../platform/errors.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { idempotencyKey } from '../write/idempotency.ts';
import { withPasswordProof } from '../write/with-password-proof.ts';
import { type BatchOperation, batchesOf, batchMethods, readBatch, writeBatch } from '../write/write-batch.ts';
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
      config: routeConfig(resource, 'write', { kind: 'batch', resource, operation }),
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
  const { 'if-match': ifMatch, 'idempotency-key': idempotencyHeader } = request.headers;
  // Ignored, the condition would not protect the changes of others. `*` only requires rows that exist.
  if (operation !== 'create' && ifMatch !== undefined && ifMatch.trim() !== '*') {
    throw badRequest(
      'If-Match names the version of one row, so a batch cannot use it. Send if_match with each row of a PATCH, or delete rows one by one.',
    );
  }
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
