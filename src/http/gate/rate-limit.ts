import type { FastifyReply } from 'fastify';
import type { SharedCounts } from '../../database/context.ts';
import { type Problem, tooManyRequests } from '../../platform/errors.ts';

const windowLength = 60_000;

/**
 * The number of requests per minute and caller, counted in fixed windows by this instance, for all of its workers
 * together.
 */
export class RateLimit {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #shared: SharedCounts | undefined;
  /** Above this count, a request waits until the primary has assigned its number among the requests of all workers. */
  readonly #sharedFrom: number;
  readonly #policy: string;
  #counts = new Map<string, number>();
  #windowEnds = 0;

  /** A limit of 0 counts nothing. */
  constructor(limit: number, now: () => number, shared?: SharedCounts) {
    this.#limit = limit;
    this.#policy = `"default";q=${limit};w=${windowLength / 1000}`;
    this.#now = now;
    this.#shared = limit === 0 ? undefined : shared;
    // Each worker lets this many requests of a burst pass before it asks the primary: together a tenth of the limit.
    this.#sharedFrom = Math.min(limit - 20, limit / (10 * (shared?.workers ?? 1)));
    this.#shared?.onRemoteCounts((windowEnds, counts) => {
      if (windowEnds < this.#windowEnds) return;
      if (windowEnds > this.#windowEnds) this.#begin(windowEnds);
      for (const [caller, count] of counts) this.#add(caller, count);
    });
  }

  /** Whether other workers count with this one. */
  get isShared(): boolean {
    return this.#shared !== undefined;
  }

  /** Counts one request, says in its answer how many are left, and refuses the one too many. */
  count(caller: string, answer: FastifyReply): void {
    if (this.#limit === 0) return;
    const { count, resetSeconds } = this.#take(caller);
    this.#setHeaders(answer, count, resetSeconds);
    if (count > this.#limit) throw this.#refusal(resetSeconds);
    if (this.#shared && count > this.#sharedFrom) {
      answer.request.sharedCount = this.#shared.totalOf(caller).then((number = count) => {
        this.#setHeaders(answer, number, resetSeconds);
        return number > this.#limit ? this.#refusal(resetSeconds) : undefined;
      });
    }
  }

  #setHeaders(answer: FastifyReply, count: number, resetSeconds: number): void {
    const remaining = Math.max(0, this.#limit - count);
    answer.header('RateLimit-Limit', this.#limit);
    answer.header('RateLimit-Remaining', remaining);
    answer.header('RateLimit-Reset', resetSeconds);
    // draft-ietf-httpapi-ratelimit-headers-10; the three above are those of earlier drafts.
    answer.header('RateLimit-Policy', this.#policy);
    answer.header('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
  }

  #refusal(resetSeconds: number): Problem {
    const detail = `More than ${this.#limit} requests in a minute. Wait ${resetSeconds} seconds.`;
    return tooManyRequests(detail, resetSeconds);
  }

  #take(caller: string): { count: number; resetSeconds: number } {
    const now = this.#now();
    if (now >= this.#windowEnds || this.#windowEnds - now > windowLength) {
      // Workers cannot agree on when the first request came, but on the minutes of the clock.
      this.#begin(this.#shared ? (Math.floor(now / windowLength) + 1) * windowLength : now + windowLength);
    }
    const count = this.#add(caller, 1);
    this.#shared?.note(this.#windowEnds, caller);
    return { count, resetSeconds: Math.ceil((this.#windowEnds - now) / 1000) };
  }

  /** One window for all callers: emptying it is the whole of the housekeeping. */
  #begin(windowEnds: number): void {
    this.#counts = new Map();
    this.#windowEnds = windowEnds;
  }

  #add(caller: string, by: number): number {
    const count = (this.#counts.get(caller) ?? 0) + by;
    this.#counts.set(caller, count);
    return count;
  }
}
