import { GatehouseError } from '../../../client/errors.ts';
import type { Result } from '../../../client/resource.ts';
import { pause } from '../../../client/transport.ts';
import { asObject } from '../../../src/platform/is-object.ts';

/** A write of one row. */
export interface Operation {
  operation: 'create' | 'update' | 'delete' | 'restore';
  id?: string;
  data?: object;
  if_match?: string;
}

export interface Progress {
  succeeded: number;
  failed: number;
  /** Seconds that the service asked to wait. */
  waits?: number | undefined;
}

interface Failure<Row> {
  row: Row;
  message: string;
  error: Error & Partial<GatehouseError>;
}

export interface Report<Row> {
  succeeded: number;
  failures: Failure<Row>[];
  /** The operations that undo the writes. */
  undo: Operation[];
  /** The work was stopped before the last row. */
  isStopped: boolean;
}

export type RowResult = Pick<Result<unknown>, 'status' | 'data' | 'etag'> & { error?: Failure<unknown>['error'] };

export interface Work<Row> {
  rows: AsyncIterable<Row> | Iterable<Row>;
  operationOf: (row: Row) => Operation;
  /** The stored values of a row before the write. */
  valuesOf?: (row: Row) => Record<string, unknown> | undefined;
  /** Deleted rows can be restored. */
  softDelete?: boolean | undefined;
}

interface Options<Row> extends Work<Row> {
  send: (operations: Operation[]) => Promise<RowResult[]>;
  onProgress: (progress: Progress) => void;
  signal: AbortSignal;
  /** Returns the seconds to wait, so that enough requests remain for other work. */
  secondsToWait?: () => number;
  wait?: (seconds: number, signal: AbortSignal) => Promise<void>;
}

type Task<Row> = { row: Row; operation: Operation };

/** Applies an operation to many rows, one batch at a time. Continues after failures, and waits when the service requests it. */
export async function runBulk<Row>(options: Options<Row>): Promise<Report<Row>> {
  const { rows, operationOf, send, onProgress, signal, secondsToWait = () => 0, wait = waitOrAbort } = options;
  const failures: Failure<Row>[] = [];
  const undo: Operation[] = [];
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
      // If the whole batch is rejected, the error applies to each of its rows.
      const results = await send(pendingTasks.map(({ operation }) => operation)).catch((error: Error): RowResult[] =>
        pendingTasks.map(() => ({ status: error instanceof GatehouseError ? error.status : 0, error })),
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
          undo.push(...undoOf(task, response, options));
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
  return { succeeded, failures, undo, isStopped: isStopped() };
}

const messageOf = ({ message, fields = [] }: Failure<unknown>['error']): string =>
  fields.length === 0 ? message : fields.map((field) => field.message).join(' ');

/** Waits some seconds, or until the work is stopped. */
const waitOrAbort = (seconds: number, signal: AbortSignal): Promise<void> =>
  pause(seconds * 1000, signal).catch(() => undefined);

/** The limits of one request. */
const requestLimits = { operations: 100, members: 950, characters: 900_000 };

/** Members and items at every depth, as the service counts them. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  return inner.reduce<number>((sum, item) => sum + membersOf(item), inner.length);
}

/** Tasks in batches that the service accepts: all of one kind, and no row twice. */
async function* batchesOf<Row>(rows: Work<Row>['rows'], taskOf: (row: Row) => Task<Row>) {
  let batch: Task<Row>[] = [];
  let [members, characters] = [0, 0];
  for await (const row of rows) {
    const task = taskOf(row);
    const { operation, id } = task.operation;
    const size = { members: membersOf(task.operation) + 1, characters: JSON.stringify(task.operation).length + 1 };
    const isFull =
      batch.length === requestLimits.operations ||
      members + size.members > requestLimits.members ||
      characters + size.characters > requestLimits.characters;
    const isOther = (each: Operation) => each.operation !== operation || (id !== undefined && each.id === id);
    if (batch.length > 0 && (isFull || batch.some((each) => isOther(each.operation)))) {
      yield batch;
      batch = [];
      [members, characters] = [0, 0];
    }
    batch.push(task);
    members += size.members;
    characters += size.characters;
  }
  if (batch.length > 0) yield batch;
}

/** The operation that undoes a write. Empty if that is not possible. A row that has changed since then is not changed. */
function undoOf<Row>(
  { row, operation: { operation, id, data = {} } }: Task<Row>,
  { data: after, etag }: RowResult,
  { valuesOf, softDelete }: Work<Row>,
): Operation[] {
  if (operation === 'create') {
    const { id: created } = asObject(after);
    return typeof created === 'string' ? [{ operation: 'delete', id: created }] : [];
  }
  if (id === undefined) return [];
  if (operation === 'delete' && softDelete) return [{ operation: 'restore', id }];
  const before = valuesOf?.(row);
  if (operation !== 'update' || !before) return [];
  const values = Object.fromEntries(Object.keys(data).map((name) => [name, before[name] ?? null]));
  return [{ operation, id, data: values, ...(etag && { if_match: etag }) }];
}
