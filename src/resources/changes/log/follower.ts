import type { Context } from '../../../database/context.ts';
import type { ChangeLog } from './change-log.ts';

/** The interval of the query for changes of other processes, while there are subscribers. */
const lookEveryMs = 100;
const retryAfterMs = 1000;

/**
 * Follows the log for all who want to hear of changes at this instance: one look for all of them. It rests while nobody does.
 */
export class Follower {
  readonly #context: Context;
  readonly #log: ChangeLog;
  readonly #isNeeded: () => boolean;
  /** Told how far the log is final. What it has not dealt with is told again. */
  readonly #deal: (settled: number) => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(context: Context, log: ChangeLog, isNeeded: () => boolean, deal: (settled: number) => Promise<void>) {
    this.#context = context;
    this.#log = log;
    this.#isNeeded = isNeeded;
    this.#deal = deal;
  }

  /** There may be something new, or somebody new. */
  wake(): void {
    if (this.#stopped || !this.#isNeeded()) return;
    this.#again = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    let pause = lookEveryMs;
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        await this.#deal(await this.#log.observe());
      }
    } catch (error) {
      pause = retryAfterMs;
      if (!this.#stopped)
        this.#context.log.warn({ err: error }, 'the log of changes could not be read; it will be again');
    }
    if (!this.#stopped && this.#isNeeded()) this.#timer = setTimeout(() => this.wake(), pause).unref();
  }
}
