import type { Logger } from 'pino';

interface Work {
  poll(): Promise<void>;
  isNeeded(): boolean;
  readonly intervalMs: number;
  readonly failureMessage: string;
}

const retryAfterMs = 1000;

/** Polls for new work when `wake` is called, and at an interval. One poll runs at a time. */
export class Poller {
  readonly #log: Logger;
  readonly #work: Work;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #pollAgain = false;
  #stopped = false;

  constructor(log: Logger, work: Work) {
    this.#log = log;
    this.#work = work;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Call it when there may be new work. If a poll is running, another one follows. Returns when they have ended. */
  async wake(): Promise<void> {
    if (this.#stopped) return;
    this.#pollAgain = true;
    this.#polling ??= this.#poll();
    await this.#polling;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#polling;
  }

  async #poll(): Promise<void> {
    clearTimeout(this.#timer);
    // Waits a microtask, so that `#polling` is set before it is cleared.
    await undefined;
    let delayMs = this.#work.intervalMs;
    try {
      while (this.#pollAgain && !this.#stopped) {
        this.#pollAgain = false;
        await this.#work.poll();
      }
    } catch (error) {
      delayMs = Math.max(delayMs, retryAfterMs);
      if (!this.#stopped) this.#log.warn({ err: error }, this.#work.failureMessage);
    }
    // Cleared directly after the last check of `#pollAgain`. A call of `wake` in between would be lost.
    this.#polling = undefined;
    if (!this.#stopped && this.#work.isNeeded()) this.#timer = setTimeout(() => void this.wake(), delayMs).unref();
  }
}
