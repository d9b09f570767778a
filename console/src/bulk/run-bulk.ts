import { GatehouseError } from '../../../client/errors.ts';

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
  /** It ended before all was done: by the person, or because the service was away. */
  isStopped: boolean;
}

interface Options<Row> {
  rows: AsyncIterable<Row> | Iterable<Row>;
  work: (row: Row) => Promise<unknown>;
  onProgress: (progress: Progress) => void;
  signal: AbortSignal;
  wait?: (seconds: number, signal: AbortSignal) => Promise<void>;
}

const atOnce = 4;
/** So many without an answer, one after the other: nobody is there. */
const mostUnanswered = 8;

/** Does the same to many rows, a few at a time; goes on over those that fail, and waits where the service asks for it. */
export async function runBulk<Row>({
  rows,
  work,
  onProgress,
  signal,
  wait = pause,
}: Options<Row>): Promise<Report<Row>> {
  const failures: Failure<Row>[] = [];
  let done = 0;
  let unanswered = 0;
  const stopped = () => signal.aborted || unanswered >= mostUnanswered;
  const tell = (waits?: number) => onProgress({ done, failed: failures.length, waits });
  const source = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();

  async function one(row: Row): Promise<void> {
    for (;;) {
      try {
        await work(row);
        unanswered = 0;
        done++;
        return tell();
      } catch (error) {
        const { status = 0, retryAfter } = error instanceof GatehouseError ? error : ({} as Partial<GatehouseError>);
        if ((status === 429 || status === 503) && retryAfter !== undefined && !signal.aborted) {
          tell(retryAfter);
          await wait(retryAfter, signal);
          continue;
        }
        unanswered = status === 0 ? unanswered + 1 : 0;
        failures.push({ row, message: error instanceof Error ? error.message : String(error) });
        return tell();
      }
    }
  }

  async function worker(): Promise<void> {
    while (!stopped()) {
      const next = await source.next();
      if (next.done) return;
      await one(next.value);
    }
  }

  await Promise.all(Array.from({ length: atOnce }, worker));
  return { done, failures, isStopped: stopped() };
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(1, seconds) * 1000);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
