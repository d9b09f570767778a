import { GatehouseError } from '../../../client/errors.ts';
import { type Operation, packed, type Task } from './packed.ts';
import { pause } from './pause.ts';

export interface Progress {
  done: number;
  failed: number;
  /** Seconds that the service asked to wait for. */
  waits: number | undefined;
}

export interface Failure<Row> {
  row: Row;
  message: string;
}

export interface Report<Row> {
  done: number;
  failures: Failure<Row>[];
  /** Not all rows were tried. */
  isStopped: boolean;
}

/** The answer of the service for one row; status 0 stands for no answer. */
export interface Answer {
  status: number;
  error?: Error & Partial<GatehouseError>;
}

interface Options<Row> {
  rows: AsyncIterable<Row> | Iterable<Row>;
  operationOf: (row: Row) => Operation;
  send: (operations: Operation[]) => Promise<Answer[]>;
  onProgress: (progress: Progress) => void;
  signal: AbortSignal;
  /** Seconds until there is room for more than other work may need. */
  room?: () => number;
  wait?: (seconds: number, signal: AbortSignal) => Promise<void>;
}

/** Does the same to many rows, a batch at a time; goes on over those that fail, and waits where the service asks for it. */
export async function runBulk<Row>({
  rows,
  operationOf,
  send,
  onProgress,
  signal,
  room = () => 0,
  wait = pause,
}: Options<Row>): Promise<Report<Row>> {
  const failures: Failure<Row>[] = [];
  let done = 0;
  let isAway = false;
  const stopped = () => signal.aborted || isAway;
  const tell = (waits?: number) => onProgress({ done, failed: failures.length, waits });

  async function hold(seconds: number): Promise<void> {
    if (seconds <= 0) return;
    tell(seconds);
    await wait(seconds, signal);
  }

  async function work(batch: readonly Task<Row>[]): Promise<void> {
    for (let left = batch; left.length > 0 && !stopped(); ) {
      await hold(room());
      const answers = await send(left.map(({ operation }) => operation)).catch((error: unknown) =>
        refusedAll(error, left),
      );
      const again: Task<Row>[] = [];
      let seconds = 0;
      for (const [index, task] of left.entries()) {
        const { status, error } = answers[index] ?? { status: 0 };
        if (isPassing(status, error)) {
          again.push(task);
          seconds = Math.max(seconds, error?.retryAfter ?? 0);
        } else if (error && !(status === 404 && task.operation.operation === 'delete')) {
          failures.push({ row: task.row, message: sayOf(error) });
        } else done++;
      }
      isAway = answers.every(({ status }) => status === 0);
      tell();
      if (again.length > 0) await hold(Math.max(1, seconds));
      left = again;
    }
  }

  // The next rows are read while these are written.
  const batches = packed(rows, (row) => ({ row, operation: operationOf(row) }));
  let next = batches.next();
  while (!stopped()) {
    const { done: isOver, value: batch } = await next;
    if (isOver) break;
    next = batches.next();
    // Whoever is interested awaits it in the next round.
    next.catch(() => undefined);
    await work(batch);
  }
  return { done, failures, isStopped: stopped() };
}

/** A refusal of the whole batch is one of each of its rows. */
export function refusedAll(error: unknown, rows: readonly unknown[]): Answer[] {
  const status = error instanceof GatehouseError ? error.status : 0;
  return rows.map(() => ({ status, error: error as Error }));
}

const isPassing = (status: number, error: Partial<GatehouseError> | undefined): boolean =>
  (status === 429 || status === 503) && error?.retryAfter !== undefined;

/** What is wrong with each field says more than that some are. */
const sayOf = ({ message, fields = [] }: Error & Partial<GatehouseError>): string =>
  fields.length === 0 ? message : fields.map((field) => field.message).join(' ');
