import { tooExpensive, unavailable } from '../platform/errors.ts';
import { getOrCreate } from '../platform/get-or-create.ts';
import type { Reader } from './reader.ts';

interface Limits {
  /** The number of jobs that run at the same time: in total, and per caller. */
  readonly atOnce: number;
  readonly atOnceForOne: number;
  /** The number of waiting jobs: in total, and per caller. */
  readonly waiting: number;
  readonly waitingForOne: number;
  /** The time limit of a job in seconds, including its wait in the queue. */
  readonly seconds: number;
}

type Job<T> = (signal: AbortSignal) => Promise<T>;
type Turn = () => Promise<void>;

interface Line {
  running: number;
  readonly waiting: Turn[];
}

/**
 * Runs a few jobs at a time. Callers take turns, so a caller with many jobs delays only itself. The time limit of a job starts when the job
 * is queued. The signal aborts the job at the limit, or when the caller disconnects. The next job starts when this one has ended.
 */
export class FairQueue {
  readonly #limits: Limits;
  /** The callers in the order of their turns. */
  readonly #lines = new Map<string, Line>();
  #running = 0;
  #waiting = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get waiting(): number {
    return this.#waiting;
  }

  async run<T>(reader: Reader, job: Job<T>): Promise<T> {
    const { waiting, waitingForOne, seconds } = this.#limits;
    const { caller } = reader;
    const line = getOrCreate(this.#lines, caller, () => ({ running: 0, waiting: [] }));
    if (this.#waiting >= waiting || line.waiting.length >= waitingForOne) {
      this.#forget(caller, line);
      const whose = line.waiting.length >= waitingForOne ? ' of yours' : '';
      throw tooExpensive(`Too many expensive reads${whose} are waiting. Send fewer at once.`, seconds);
    }
    return new Promise<T>((resolve, reject) => {
      const ending = new AbortController();
      const turn: Turn = () => job(ending.signal).then(resolve, reject).finally(settle);
      const giveUp = (error: Error) => {
        settle();
        this.#leave(caller, line, turn);
        ending.abort();
        reject(error);
      };
      const timer = setTimeout(() => giveUp(readTimeoutError(seconds)), seconds * 1000);
      const stay = reader.onDisconnect(() => giveUp(unavailable('Nobody waits for this.', 1, 'the caller hung up')));
      const settle = () => {
        clearTimeout(timer);
        stay();
      };
      line.waiting.push(turn);
      this.#waiting++;
      this.#startNext();
    });
  }

  #leave(caller: string, line: Line, turn: Turn): void {
    const at = line.waiting.indexOf(turn);
    if (at < 0) return;
    line.waiting.splice(at, 1);
    this.#waiting--;
    this.#forget(caller, line);
  }

  #startNext(): void {
    if (this.#running >= this.#limits.atOnce) return;
    for (const [caller, line] of this.#lines) {
      if (line.running >= this.#limits.atOnceForOne) continue;
      const turn = line.waiting.shift();
      if (!turn) continue;
      this.#waiting--;
      this.#running++;
      line.running++;
      this.#lines.delete(caller);
      this.#lines.set(caller, line);
      void turn().finally(() => {
        this.#running--;
        line.running--;
        this.#forget(caller, line);
        this.#startNext();
      });
      return;
    }
  }

  #forget(caller: string, { running, waiting }: Line): void {
    if (running === 0 && waiting.length === 0) this.#lines.delete(caller);
  }
}

export const readTimeoutError = (seconds: number): Error =>
  tooExpensive(
    `This read takes longer than ${seconds} ${seconds === 1 ? 'second' : 'seconds'}. Request less: use fewer wildcards and values, indexed fields for search and order, no exact count, and a cursor instead of a high page number.`,
    seconds,
  );
