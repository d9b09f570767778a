import { problemBody } from '../../http/errors/error-bodies.ts';
import { toProblem } from '../../http/errors/error-handler.ts';
import { Problem } from '../../platform/errors.ts';
import type { Call } from '../declaration/define-resource.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { defaultRowQuery } from '../query/list-query.ts';
import { selectionFor } from '../read/resource-cache.ts';
import { canBatchCreate, maxConcurrentRows } from './batch-create.ts';
import type { IdempotencyKey } from './idempotency.ts';
import type { BatchOperation, BatchRow } from './read-batch.ts';
import { changeResource, createResource, deleteResource } from './write-resource.ts';

export interface Batch {
  readonly operation: BatchOperation;
  readonly rows: readonly BatchRow[];
  readonly requestId: string;
  /** Called when the write of a row starts. */
  readonly call: () => Call;
  readonly keys: readonly (IdempotencyKey | undefined)[];
}

/** The number of rows that are written concurrently. Their commits are shared, and other requests run in between. */
const defaultConcurrency = 8;

/** Writes every row as if it had been sent alone, with a separate transaction and response. */
export async function writeBatch(
  services: ResourceServices,
  resource: Resource,
  { operation, rows, requestId, call, keys }: Batch,
): Promise<string[]> {
  const responses: string[] = [];
  let next = 0;
  /** The error after which no more rows are started. Hooks may call other services before the transaction rejects the row. */
  let fatalError: Error | undefined;
  const writeNext = async () => {
    while (next < rows.length) {
      const index = next++;
      try {
        if (fatalError) throw fatalError;
        responses[index] = await writeItem(services, resource, call(), operation, rows[index] as BatchRow, keys[index]);
      } catch (error) {
        if (error instanceof Problem && error.status === 401) fatalError = error;
        responses[index] = errorResponse(services, requestId, error as Error);
      }
    }
  };
  const canShareTransactions = operation === 'create' && keys.every((key) => !key) && canBatchCreate(resource);
  const concurrency = canShareTransactions ? maxConcurrentRows[services.context.database.engine] : defaultConcurrency;
  await Promise.all(Array.from({ length: Math.min(concurrency, rows.length) }, writeNext));
  return responses;
}

/** The status, the ETag, and the members of the body that a single request would have got. */
const itemResponse = (status: number, etag: string, body: string): string =>
  `{"status":${status},"etag":${JSON.stringify(etag)},${body.slice(1)}`;

async function writeItem(
  services: ResourceServices,
  resource: Resource,
  call: Call,
  operation: BatchOperation,
  { id = '', data: body, ifMatch }: BatchRow,
  key: IdempotencyKey | undefined,
): Promise<string> {
  if (operation === 'delete') {
    await deleteResource(services, resource, { call, id, body, ifMatch, key });
    return '{"status":204}';
  }
  const request = { call, body, isForm: false, selection: selectionFor(resource, defaultRowQuery), key };
  if (operation === 'create') {
    const created = await createResource(services, resource, request);
    return itemResponse(201, created.headers.etag ?? '', created.body);
  }
  const { etag, json } = await changeResource(services, resource, { ...request, id, mode: 'update', ifMatch });
  return itemResponse(200, etag, json);
}

function errorResponse({ context: { log } }: ResourceServices, requestId: string, error: Error): string {
  const problem = toProblem(error);
  if (problem.status >= 500) log.error({ requestId, err: error, reason: problem.reason }, 'operation failed');
  const retryAfter = problem.headers['Retry-After'];
  return `{"status":${problem.status}${retryAfter ? `,"retry_after":${retryAfter}` : ''},"error":${problemBody(problem, requestId)}}`;
}
