import type { Worker } from 'node:cluster';

const everyMs = 1000;
/**
 * After this many heartbeats without a response, a worker is reported, and later replaced. A pause of the whole machine
 * counts as one heartbeat.
 */
const silentAfter = 3;
const hungAfter = 10;

interface Options {
  ping(worker: Worker): void;
  onSilent(count: number): void;
  onHung(worker: Worker): void;
}

/** Detects workers that hang: each worker must respond to a message every second. */
export class Heartbeats {
  readonly #options: Options;
  readonly #unanswered = new Map<Worker, number>();
  readonly #timer = setInterval(() => this.#beat(), everyMs).unref();
  #silent = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Call it for a new worker and for each response. */
  seen(worker: Worker): void {
    this.#unanswered.set(worker, 0);
  }

  forget(worker: Worker): void {
    this.#unanswered.delete(worker);
    this.#report();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    for (const [worker, unanswered] of this.#unanswered) {
      this.#unanswered.set(worker, unanswered + 1);
      if (unanswered === hungAfter) this.#options.onHung(worker);
      else this.#options.ping(worker);
    }
    this.#report();
  }

  #report(): void {
    const silent = [...this.#unanswered.values()].filter((count) => count > silentAfter).length;
    if (silent === this.#silent) return;
    this.#silent = silent;
    this.#options.onSilent(silent);
  }
}
