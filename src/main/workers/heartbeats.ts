import type { Worker } from 'node:cluster';

const everyMs = 1000;
/** So many beats without an answer: the worker is reported. Then it is replaced. A pause of the machine itself counts as one. */
const silentAfter = 3;
const hungAfter = 10;

interface Options {
  ping(worker: Worker): void;
  /** How many workers do not answer, whenever that changes. */
  onSilent(count: number): void;
  onHung(worker: Worker): void;
}

/** Finds workers that hang: each is asked every second, and answers by its event loop. */
export class Heartbeats {
  readonly #options: Options;
  readonly #unanswered = new Map<Worker, number>();
  readonly #timer = setInterval(() => this.#beat(), everyMs).unref();
  #silent = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** From now on, or because it has answered. */
  alive(worker: Worker): void {
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
