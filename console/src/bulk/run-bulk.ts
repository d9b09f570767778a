import { GatehouseError } from '../../../client/errors.ts';
import type { Result } from '../../../client/resource.ts';
import { asObject } from '../../../src/platform/is-object.ts';

/** A write of one row. */
export type Operation =
  | { operation: 'create'; data: object }
  | { operation: 'update'; id: string; data: object; if_match?: string }
  | { operation: 'delete' | 'restore'; id: string };

export interface Progress {
  succeeded: number;
  failed: number;
  /** Seconds that the service asked to wait. */
  waits?: number | undefined;
}

export interface Failure<Row> {
  row: Row;
  message: string;
  error: Error & Partial<GatehouseError>;
}

export interface Report<Row> {
  succeeded: number;
  failures: Failure<Row>[];
  /** The work was stopped before the last row. */
  isStopped: boolean;
}

export type RowResult = Pick<Result<unknown>, 'status' | 'data' | 'etag'> & { error?: Failure<unknown>['error'] };

interface Options<Row> {
  rows: AsyncIterable<Row> | Iterable<Row>;
  operationOf: (row: Row) => Operation;
  send: (operations: Operation[]) => Promise<RowResult[]>;
  onProgress: (progress: Progress) => void;
  onDone?: ((row: Row, response: RowResult) => void) | undefined;
  signal: AbortSignal;
  /** Returns the seconds to wait, so that enough requests remain for other work. */
  secondsToWait?: () => number;
  wait?: (seconds: number, signal: AbortSignal) => Promise<void>;
}

type Task<Row> = { row: Row; operation: Operation };

/** Applies an operation to many rows, one batch at a time. Continues after failures, and waits when the service requests it. */
export async function runBulk<Row>(options: Options<Row>): Promise<Report<Row>> {
  const { rows, operationOf, send, onProgress, onDone, signal, secondsToWait = () => 0, wait = waitOrAbort } = options;
  const failures: Failure<Row>[] = [];
  let succeeded = 0;
  let isUnreachable = false;
  const isStopped = () => signal.aborted || isUnreachable;
  const reportProgress = (waits?: number) => onProgress({ succeeded, failed: failures.length, waits });

  async function waitSeconds(seconds: number): Promise<void> {
    if (seconds <= 0) return;
    reportProgress(seconds);
    await wait(seconds, signal);
  }

  async function work(batch: readonly Task<Row>[]): Promise<void> {
    for (let pendingTasks = batch; pendingTasks.length > 0 && !isStopped(); ) {
      await waitSeconds(secondsToWait());
      const results = await send(pendingTasks.map(({ operation }) => operation)).catch((error: Error) =>
        failEach(error, pendingTasks),
      );
      const retries: Task<Row>[] = [];
      let seconds = 0;
      for (const [index, task] of pendingTasks.entries()) {
        const response = results[index] ?? { status: 0 };
        const { status, error } = response;
        if ((status === 429 || status === 503) && error?.retryAfter !== undefined) {
          retries.push(task);
          seconds = Math.max(seconds, error.retryAfter);
        } else if (error && !(status === 404 && task.operation.operation === 'delete')) {
          failures.push({ row: task.row, message: messageOf(error), error });
        } else {
          succeeded++;
          onDone?.(task.row, response);
        }
      }
      isUnreachable = results.every(({ status }) => status === 0);
      reportProgress();
      if (retries.length > 0) await waitSeconds(Math.max(1, seconds));
      pendingTasks = retries;
    }
  }

  // Reads the next rows while these are written.
  const batches = batchesOf(rows, (row) => ({ row, operation: operationOf(row) }));
  let next = batches.next();
  while (!isStopped()) {
    const { done: isOver, value: batch } = await next;
    if (isOver) break;
    next = batches.next();
    next.catch(() => undefined);
    await work(batch);
  }
  return { succeeded, failures, isStopped: isStopped() };
}

/** If the whole batch is rejected, the error applies to each of its rows. */
function failEach(error: Error, tasks: readonly unknown[]): RowResult[] {
  const status = error instanceof GatehouseError ? error.status : 0;
  return tasks.map(() => ({ status, error }));
}

const messageOf = ({ message, fields = [] }: Failure<unknown>['error']): string =>
  fields.length === 0 ? message : fields.map((field) => field.message).join(' ');

/** Waits some seconds, or until the work is stopped. */
function waitOrAbort(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, seconds * 1000);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The limits of one request. */
const requestLimits = { operations: 100, members: 950, characters: 900_000 };

/** Members and items at every depth, as the service counts them. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  return inner.reduce<number>((sum, item) => sum + membersOf(item), inner.length);
}

/** Tasks in batches that the service accepts: all of one kind, and no row twice. */
async function* batchesOf<Row>(rows: AsyncIterable<Row> | Iterable<Row>, taskOf: (row: Row) => Task<Row>) {
  let batch: Task<Row>[] = [];
  let size = { members: 0, characters: 0 };
  const ids = new Set<string>();
  for await (const row of rows) {
    const task = taskOf(row);
    const { operation } = task;
    const members = size.members + membersOf(operation) + 1;
    const characters = size.characters + JSON.stringify(operation).length + 1;
    const isFull =
      batch.length === requestLimits.operations ||
      members > requestLimits.members ||
      characters > requestLimits.characters;
    const isOtherKind = batch[0] !== undefined && batch[0].operation.operation !== operation.operation;
    if (batch.length > 0 && (isFull || isOtherKind || ('id' in operation && ids.has(operation.id)))) {
      yield batch;
      batch = [];
      ids.clear();
      size = { members: members - size.members, characters: characters - size.characters };
    } else size = { members, characters };
    batch.push(task);
    if ('id' in operation) ids.add(operation.id);
  }
  if (batch.length > 0) yield batch;
}

type Row = Record<string, unknown>;

/** The operation that undoes a write. Empty if that is not possible. A row that has changed since then is not changed. */
export function undoOf(
  operation: Operation,
  before: Row | undefined,
  { data: after, etag }: RowResult,
  softDelete = false,
): Operation[] {
  if (operation.operation === 'create') {
    const { id } = asObject(after);
    return typeof id === 'string' ? [{ operation: 'delete', id }] : [];
  }
  if (operation.operation === 'delete' && softDelete) return [{ operation: 'restore', id: operation.id }];
  if (operation.operation !== 'update' || !before) return [];
  const data = Object.fromEntries(Object.keys(operation.data).map((name) => [name, before[name] ?? null]));
  return [{ operation: 'update', id: operation.id, data, ...(etag && { if_match: etag }) }];
}
