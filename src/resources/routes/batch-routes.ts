import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { App } from '../../http/app.ts';
import { accountOf } from '../../http/gate/admit.ts';
import { tooManyRequests } from '../../platform/errors.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { refuseParameters } from '../query/list-query.ts';
import { idempotencyKey } from '../write/idempotency.ts';
import { offeredInBatch, readBatch } from '../write/read-batch.ts';
import { withProof } from '../write/with-proof.ts';
import { writeBatch } from '../write/write-batch.ts';
import { batchDocs } from './openapi-batch.ts';
import { callOf, engineRoute, guardOf, type Query, sendJson } from './resource-routes.ts';

/** Callers whose batch is under way. */
export type Batching = Set<string>;

/** `POST /v1/<resources>/batch`: many writes in one request. POST has no meaning on a row, so that no id can be mistaken for it. */
export function serveBatch(app: App, services: ResourceServices, resource: Resource, batching: Batching): void {
  if (offeredInBatch(resource).length === 0) return;
  app.post(
    `/v1/${resource.name}/batch`,
    { ...engineRoute, config: guardOf(resource, 'write'), schema: batchDocs(resource) as FastifySchema },
    (request, reply) => oneAtATime(batching, request, () => batch(services, resource, request, reply)),
  );
}

/** It counts as one request, so one caller has one under way: a batch is not to be a way around the limit. */
async function oneAtATime<T>(batching: Batching, { caller }: FastifyRequest, work: () => Promise<T>): Promise<T> {
  const account = accountOf(caller);
  if (batching.has(account)) throw tooManyRequests('Another batch of yours is under way. Send one at a time.', 1);
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
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  refuseParameters(request.query as Query);
  const sent = request.headers['idempotency-key'];
  // One password for all rows.
  const { call: first, body } = await withProof(services, resource, {
    call: callOf(services, request),
    body: request.body,
  });
  const operations = readBatch(resource, body, (id) => resource.definition.alias?.(id, request.caller) ?? id);
  const answers = await writeBatch(services, resource, {
    operations,
    requestId: request.id,
    call: () => ({ ...callOf(services, request), caller: first.caller }),
    // Before anything is written: a key that is none refuses the batch as it refuses a single request.
    keys: operations.map(({ data }, index) =>
      idempotencyKey(services.keys, sent, request.caller, `/v1/${resource.name}/batch#${index}`, data),
    ),
  });
  // Whatever a hook reveals is shown in this answer alone.
  reply.header('cache-control', 'no-store');
  return sendJson(reply, `{"data":[${answers.join(',')}]}`);
}
