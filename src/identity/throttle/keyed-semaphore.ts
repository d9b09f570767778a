import { unavailable } from '../../platform/errors.ts';

/** Lets a few attempts per key run concurrently. Otherwise parallel right passwords would count as failures. */
export class KeyedSemaphore {
  readonly #atATime: number;
  readonly #waiting: number;
  readonly #refusal: string;
  readonly #keys = new Map<string, { inside: number; line: (() => void)[] }>();

  constructor(atATime: number, waiting: number, refusal = 'Too many sign-ins at once. Try again shortly.') {
    this.#atATime = atATime;
    this.#waiting = waiting;
    this.#refusal = refusal;
  }

  async run<T>(key: string, job: () => Promise<T>): Promise<T> {
    const gate = this.#keys.get(key) ?? { inside: 0, line: [] };
    this.#keys.set(key, gate);
    if (gate.inside < this.#atATime) gate.inside++;
    else {
      if (gate.line.length >= this.#waiting) {
        throw unavailable(this.#refusal, 2, 'the line of one account, address or client is full');
      }
      await new Promise<void>((resolve) => gate.line.push(resolve));
    }
    try {
      return await job();
    } finally {
      const next = gate.line.shift();
      if (next) next();
      else if (--gate.inside === 0) this.#keys.delete(key);
    }
  }
}
