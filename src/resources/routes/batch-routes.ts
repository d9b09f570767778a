import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { rateLimitAccount } from '../../http/gate/gate.ts';
import { queryOf } from '../../http/query-of.ts';
import { tooManyRequests } from '../../platform/errors.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { rejectParameters } from '../query/list-query.ts';
import { idempotencyKey } from '../write/idempotency.ts';
import { type BatchOperation, batchesOf, batchMethods, readBatch } from '../write/read-batch.ts';
import { withProof } from '../write/with-proof.ts';
import { writeBatch } from '../write/write-batch.ts';
import { batchDocs } from './openapi-batch.ts';
import { callOf, guardOf, sendJson } from './resource-routes.ts';

export type Batching = Set<string>;

/** `POST`, `PATCH` and `DELETE /v1/<resources>/batches`: create, change and delete many rows in one request. */
export function serveBatches(app: App, services: ResourceServices, resource: Resource, batching: Batching): void {
  for (const operation of batchesOf(resource)) {
    app.route({
      method: batchMethods[operation],
      url: `/v1/${resource.name}/batches`,
      config: guardOf(resource, 'write', () => batchDocs(resource, operation)),
      handler: (request, reply) =>
        onePerAccount(batching, request, () => batch(services, resource, operation, request, reply)),
    });
  }
}

/** A batch counts as one request against the rate limit, so a caller may run only one at a time. */
async function onePerAccount<T>(batching: Batching, { caller }: FastifyRequest, work: () => Promise<T>): Promise<T> {
  const account = rateLimitAccount(caller);
  if (batching.has(account)) throw tooManyRequests('Another of your batches is in progress. Send one at a time.', 1);
  batching.add(account);
  try {
    return await work();
  } finally {
    batching.delete(account);
  }
}

async function batch(
  services: ResourceServices,
  resource: Resource,
  operation: BatchOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  rejectParameters(queryOf(request));
  const sent = request.headers['idempotency-key'];
  // One password proves all rows.
  const { call: first, body } = await withProof(services, resource, {
    call: callOf(services, request),
    body: request.body,
  });
  const rows = readBatch(operation, body, (id) => resource.definition.alias?.(id, request.caller) ?? id);
  const responses = await writeBatch(services, resource, {
    operation,
    rows,
    requestId: request.id,
    call: () => ({ ...callOf(services, request), caller: first.caller }),
    // An invalid key rejects the whole batch before a row is written.
    keys: rows.map((row, index) =>
      idempotencyKey(
        services.keys,
        sent,
        request.caller,
        `${request.method} /v1/${resource.name}/batches#${index}`,
        row,
      ),
    ),
  });
  // A hook may reveal a secret.
  reply.header('cache-control', 'no-store');
  return sendJson(reply, `{"data":[${responses.join(',')}]}`);
}
