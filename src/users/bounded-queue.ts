import { unavailable } from '../errors.ts';

/** Runs a few jobs at a time and lets a bounded number wait: beyond that it refuses at once instead of piling up. */
export class BoundedQueue {
  readonly #running: number;
  readonly #waiting: number;
  readonly #changed: (jobs: number) => void;
  readonly #line: (() => void)[] = [];
  #active = 0;

  constructor(running: number, waiting: number, changed: (jobs: number) => void = () => undefined) {
    this.#running = running;
    this.#waiting = waiting;
    this.#changed = changed;
  }

  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#active >= this.#running) {
      if (this.#line.length >= this.#waiting) {
        throw unavailable('Too many sign-ins at the moment. Try again shortly.', 2, 'the password queue is full');
      }
      // Whoever leaves hands over its place, so that nobody arriving in between takes it.
      const turn = new Promise<void>((resolve) => this.#line.push(resolve));
      this.#changed(this.#active + this.#line.length);
      await turn;
    } else {
      this.#active++;
      this.#changed(this.#active + this.#line.length);
    }
    try {
      return await job();
    } finally {
      const next = this.#line.shift();
      if (next) next();
      else this.#active--;
      this.#changed(this.#active + this.#line.length);
    }
  }
}
