import { clientClosedRequest, tooExpensive } from '../platform/errors.ts';
import { getOrCreate } from '../platform/get-or-create.ts';
import type { Reader } from './reader.ts';

interface Limits {
  /** The number of jobs that run at the same time: in total, and per caller. */
  readonly concurrency: number;
  readonly concurrencyPerCaller: number;
  /** The number of waiting jobs: in total, and per caller. */
  readonly maxWaiting: number;
  readonly maxWaitingPerCaller: number;
  /** The time limit of a job in seconds, including its wait in the queue. */
  readonly timeoutSeconds: number;
}

type Job<T> = (signal: AbortSignal) => Promise<T>;
type StartJob = () => Promise<void>;

interface CallerQueue {
  running: number;
  readonly waiting: StartJob[];
}

/**
 * Runs a few jobs at a time. Callers take turns, so a caller with many jobs delays only itself. The time limit of a job starts when the job
 * is queued. The signal aborts the job at the limit, or when the caller disconnects. The next job starts when this one has ended.
 */
export class FairQueue {
  readonly #limits: Limits;
  /** The callers in the order of their turns. */
  readonly #callerQueues = new Map<string, CallerQueue>();
  #running = 0;
  #waiting = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get waiting(): number {
    return this.#waiting;
  }

  async run<T>(reader: Reader, job: Job<T>): Promise<T> {
    const { maxWaiting, maxWaitingPerCaller, timeoutSeconds } = this.#limits;
    const { caller } = reader;
    const callerQueue = getOrCreate(this.#callerQueues, caller, () => ({ running: 0, waiting: [] }));
    if (this.#waiting >= maxWaiting || callerQueue.waiting.length >= maxWaitingPerCaller) {
      this.#removeIfEmpty(caller, callerQueue);
      const ofCaller = callerQueue.waiting.length >= maxWaitingPerCaller ? ' of yours' : '';
      throw tooExpensive(`Too many expensive reads${ofCaller} are waiting. Send fewer at once.`, timeoutSeconds);
    }
    return new Promise<T>((resolve, reject) => {
      const abortController = new AbortController();
      const startJob: StartJob = () => job(abortController.signal).then(resolve, reject).finally(cleanUp);
      const abandon = (error: Error) => {
        cleanUp();
        this.#removeWaiting(caller, callerQueue, startJob);
        abortController.abort();
        reject(error);
      };
      const timer = setTimeout(() => abandon(readTimeoutError(timeoutSeconds)), timeoutSeconds * 1000);
      const unsubscribe = reader.onDisconnect(() => abandon(clientClosedRequest()));
      const cleanUp = () => {
        clearTimeout(timer);
        unsubscribe();
      };
      callerQueue.waiting.push(startJob);
      this.#waiting++;
      this.#startNext();
    });
  }

  #removeWaiting(caller: string, callerQueue: CallerQueue, startJob: StartJob): void {
    const index = callerQueue.waiting.indexOf(startJob);
    if (index < 0) return;
    callerQueue.waiting.splice(index, 1);
    this.#waiting--;
    this.#removeIfEmpty(caller, callerQueue);
  }

  #startNext(): void {
    if (this.#running >= this.#limits.concurrency) return;
    for (const [caller, callerQueue] of this.#callerQueues) {
      if (callerQueue.running >= this.#limits.concurrencyPerCaller) continue;
      const startJob = callerQueue.waiting.shift();
      if (!startJob) continue;
      this.#waiting--;
      this.#running++;
      callerQueue.running++;
      this.#callerQueues.delete(caller);
      this.#callerQueues.set(caller, callerQueue);
      void startJob().finally(() => {
        this.#running--;
        callerQueue.running--;
        this.#removeIfEmpty(caller, callerQueue);
        this.#startNext();
      });
      return;
    }
  }

  #removeIfEmpty(caller: string, { running, waiting }: CallerQueue): void {
    if (running === 0 && waiting.length === 0) this.#callerQueues.delete(caller);
  }
}

export const readTimeoutError = (seconds: number): Error =>
  tooExpensive(
    `This read takes longer than ${seconds} ${seconds === 1 ? 'second' : 'seconds'}. Request less: use fewer wildcards and values, indexed fields for search and order, no exact count, and a cursor instead of a high page number.`,
    seconds,
  );
