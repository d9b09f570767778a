import type { FastifyReply } from 'fastify';
import { tooManyRequests } from '../../errors.ts';

const windowLength = 60_000;

/** Requests a minute for one caller, counted in this instance's memory in fixed windows. */
export class RateLimit {
  readonly #limit: number;
  readonly #now: () => number;
  #counts = new Map<string, number>();
  #windowEnds = 0;

  /** A limit of 0 counts nothing. */
  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Counts one request, says in its answer how many are left, and refuses the one too many. */
  count(caller: string, answer: FastifyReply): void {
    if (this.#limit === 0) return;
    const { remaining, resetSeconds } = this.#take(caller);
    answer.header('RateLimit-Limit', this.#limit);
    answer.header('RateLimit-Remaining', Math.max(0, remaining));
    answer.header('RateLimit-Reset', resetSeconds);
    if (remaining >= 0) return;
    const detail = `More than ${this.#limit} requests in a minute. Wait ${resetSeconds} seconds.`;
    throw tooManyRequests(detail, resetSeconds);
  }

  #take(caller: string): { remaining: number; resetSeconds: number } {
    const now = this.#now();
    if (now >= this.#windowEnds || this.#windowEnds - now > windowLength) {
      // One window for all callers: emptying it is the whole of the housekeeping.
      this.#counts = new Map();
      this.#windowEnds = now + windowLength;
    }
    const count = (this.#counts.get(caller) ?? 0) + 1;
    this.#counts.set(caller, count);
    return { remaining: this.#limit - count, resetSeconds: Math.ceil((this.#windowEnds - now) / 1000) };
  }
}
