import { problemBody } from '../../http/errors/error-bodies.ts';
import { toProblem } from '../../http/errors/error-handler.ts';
import { badRequest, type FieldError, maxFieldErrors, Problem, unprocessable } from '../../platform/errors.ts';
import { isObject } from '../../platform/is-object.ts';
import { splitList } from '../../platform/split-list.ts';
import type { Call } from '../declaration/define-resource.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { defaultRowQuery } from '../query/list-query.ts';
import { maxCharacters } from '../read/read-rows.ts';
import { selectionFor } from '../read/resource-cache.ts';
import { canBatchCreate, maxConcurrentRows } from './batch-create.ts';
import type { IdempotencyKey } from './idempotency.ts';
import { fieldError } from './read-input.ts';
import { changeResource, createResource, deleteResource } from './write-resource.ts';

/** The method determines the operation, as for a single row. */
export const batchMethods = { create: 'POST', update: 'PATCH', delete: 'DELETE' } as const;

export type BatchOperation = keyof typeof batchMethods;

interface BatchRow {
  /** The id of the row, even if the batch names an alias. Undefined for a new row. */
  readonly id: string | undefined;
  readonly data: Record<string, unknown> | undefined;
  readonly ifMatch: string | undefined;
}

/** The maximum number of rows in one request, so that other requests do not wait long for it. */
export const maxRows = 100;

export const batchesOf = ({ definition: { operations } }: Resource): BatchOperation[] =>
  (Object.keys(batchMethods) as BatchOperation[]).filter((operation) => operations?.includes(operation) ?? true);

/** Reads a batch. If it cannot be parsed, nothing is written. Invalid values of a row are reported for that row alone. */
export function readBatch(operation: BatchOperation, body: unknown, idOf: (name: string) => string): BatchRow[] {
  const member = operation === 'delete' ? 'ids' : 'rows';
  const submitted = isObject(body) ? body[member] : undefined;
  // A form cannot contain lists, so ids are separated by commas: ids=1,2
  const list = operation === 'delete' && typeof submitted === 'string' ? splitList(submitted, ',') : submitted;
  if (!isObject(body) || !Array.isArray(list)) {
    throw badRequest(`Send {"${member}": […]}, a list of ${member}.`, 'body_invalid');
  }
  const [unknownMember] = Object.keys(body).filter((name) => name !== member);
  const errors: FieldError[] =
    unknownMember === undefined ? [] : [fieldError(unknownMember.slice(0, 100), 'unknown', 'is not known')];
  if (list.length === 0 || list.length > maxRows) {
    errors.push(fieldError(member, 'range', `takes 1 to ${maxRows} ${member}`));
  }
  const reject = (path: string, code: string, message: string): undefined => {
    errors.push(fieldError(path, code, message));
  };
  const seenIds = new Set<string>();
  const readId = (submittedId: unknown, path: string): string | undefined => {
    if (typeof submittedId !== 'string') return reject(path, 'type', 'must be the id of a row');
    const id = idOf(submittedId);
    // Rows are written concurrently, so the order of two writes to one row would be undefined.
    if (seenIds.has(id)) reject(path, 'duplicate', 'is named twice in this batch');
    seenIds.add(id);
    return id;
  };
  const rows = list.slice(0, maxRows).map((item, index): BatchRow | undefined => {
    if (errors.length >= maxFieldErrors) return undefined;
    if (operation === 'delete') return { id: readId(item, `ids.${index}`), data: undefined, ifMatch: undefined };
    const path = `rows.${index}`;
    if (!isObject(item)) return reject(path, 'type', 'must be an object');
    if (operation === 'create') return { id: undefined, data: item, ifMatch: undefined };
    const { id, if_match: submittedTag, ...data } = item;
    const ifMatch = typeof submittedTag === 'string' ? submittedTag : undefined;
    if (ifMatch !== submittedTag) reject(`${path}.if_match`, 'type', 'must be an ETag');
    return { id: readId(id, `${path}.id`), data, ifMatch };
  });
  if (errors.length > 0) throw unprocessable(errors);
  return rows.filter((row) => row !== undefined);
}

interface Batch {
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
  /** A short request can change rows with megabytes. Beyond the limit of a list, the response does not repeat them. */
  let length = 0;
  const queue = rows.entries();
  /** The error after which no more rows are started. Hooks may call other services before the transaction rejects the row. */
  let fatalError: Error | undefined;
  const writeItem = async ({ id = '', data: body, ifMatch }: BatchRow, key: IdempotencyKey | undefined) => {
    const request = { call: call(), body, isForm: false, selection: selectionFor(resource, defaultRowQuery), key };
    if (operation === 'delete') {
      await deleteResource(services, resource, { ...request, id, ifMatch });
      return '{"status":204}';
    }
    if (operation === 'create') {
      const created = await createResource(services, resource, request);
      return itemResponse(201, created.headers.etag ?? '', created.body);
    }
    const { etag, json } = await changeResource(services, resource, { ...request, id, mode: 'update', ifMatch });
    length += json.length;
    return length <= maxCharacters ? itemResponse(200, etag, json) : `{"status":200,"etag":${JSON.stringify(etag)}}`;
  };
  const writeNext = async () => {
    for (const [index, row] of queue) {
      try {
        if (fatalError) throw fatalError;
        responses[index] = await writeItem(row, keys[index]);
      } catch (error) {
        if (error instanceof Problem && error.status === 401) fatalError = error;
        responses[index] = errorResponse(services, requestId, error);
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

function errorResponse({ context: { log } }: ResourceServices, requestId: string, error: unknown): string {
  const problem = toProblem(error);
  if (problem.status >= 500) log.error({ requestId, err: error, reason: problem.reason }, 'operation failed');
  const retryAfter = problem.headers['Retry-After'];
  return `{"status":${problem.status}${retryAfter ? `,"retry_after":${retryAfter}` : ''},"error":${problemBody(problem, requestId)}}`;
}
