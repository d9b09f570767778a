import type { Logger } from 'pino';

interface Work {
  poll(): Promise<void>;
  isNeeded(): boolean;
  readonly everyMs: number;
  readonly failed: string;
}

const retryAfterMs = 1000;

/** Looks for new work when `wake` is called, and at an interval. One look runs at a time. */
export class Poller {
  readonly #log: Logger;
  readonly #work: Work;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(log: Logger, work: Work) {
    this.#log = log;
    this.#work = work;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Call it when there may be new work. If a look is running, another one follows. Returns when they have ended. */
  async wake(): Promise<void> {
    if (this.#stopped) return;
    this.#again = true;
    this.#looking ??= this.#poll();
    await this.#looking;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  async #poll(): Promise<void> {
    clearTimeout(this.#timer);
    // Waits a microtask, so that `#looking` is set before it is cleared.
    await undefined;
    let pause = this.#work.everyMs;
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        await this.#work.poll();
      }
    } catch (error) {
      pause = Math.max(pause, retryAfterMs);
      if (!this.#stopped) this.#log.warn({ err: error }, this.#work.failed);
    }
    // Cleared directly after the last check of `#again`. A call of `wake` in between would be lost.
    this.#looking = undefined;
    if (!this.#stopped && this.#work.isNeeded()) this.#timer = setTimeout(() => void this.wake(), pause).unref();
  }
}
