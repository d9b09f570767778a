import { availableParallelism } from 'node:os';
import { unavailable } from '../../platform/errors.ts';
import { WorkerThread } from '../../platform/worker-thread.ts';
import { FairQueue } from '../fair-queue.ts';
import type { Reader } from '../reader.ts';
import type { Scan, ScanResult, ScanThreadData } from './scan-thread.ts';
import { objectMaker, toSqliteValues } from './sqlite-statements.ts';

interface ScanThread {
  readonly thread: WorkerThread<Scan, ScanResult>;
  readonly stop: Int32Array;
}

/** One caller can use at most half of them. */
const threadCount = Math.min(4, Math.max(2, availableParallelism()));

/** Runs reads of many rows in threads, with a time limit. Callers take turns. */
export class ScanThreads {
  readonly #idle: ScanThread[];
  readonly #threads: readonly ScanThread[];
  readonly #queue: FairQueue;

  constructor(path: string, seconds: number) {
    this.#threads = Array.from({ length: threadCount }, () => {
      const stop = new Int32Array(new SharedArrayBuffer(4));
      const data: ScanThreadData = { path, stop };
      return { thread: new WorkerThread<Scan, ScanResult>('scan-thread', import.meta.url, { data }), stop };
    });
    this.#idle = [...this.#threads];
    this.#queue = new FairQueue({
      concurrency: threadCount,
      concurrencyPerCaller: Math.floor(threadCount / 2),
      maxWaiting: 500,
      maxWaitingPerCaller: 50,
      timeoutSeconds: seconds,
    });
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  read<R>(sql: string, parameters: readonly unknown[], reader: Reader): Promise<R[]> {
    return this.#queue.run(reader, async (signal) => {
      // A thread is always idle here, because the queue runs as many jobs as there are threads. The last used thread is taken first, so
      // that unused threads can end.
      const idle = this.#idle.pop() as ScanThread;
      try {
        return await scan<R>(idle, { sql, parameters: toSqliteValues(parameters) }, signal);
      } finally {
        this.#idle.push(idle);
      }
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ thread }) => thread.end()));
  }
}

async function scan<R>({ thread, stop }: ScanThread, query: Scan, signal: AbortSignal): Promise<R[]> {
  Atomics.store(stop, 0, 0);
  signal.addEventListener('abort', () => Atomics.store(stop, 0, 1), { once: true });
  const result = await thread.request(query).catch((error: Error) => {
    throw unavailable('This cannot be read at the moment. Try again shortly.', 5, error.message);
  });
  if ('message' in result) {
    throw Object.assign(new Error(result.message), result.errcode === undefined ? {} : { errcode: result.errcode });
  }
  const toObject = objectMaker(result.columns);
  return result.rows.map((row) => toObject(row) as R);
}
