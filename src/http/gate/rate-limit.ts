import type { FastifyReply } from 'fastify';
import type { SharedCounts } from '../../database/context.ts';
import { type Problem, tooManyRequests } from '../../platform/errors.ts';

const windowMs = 60_000;

/** Limits the requests per minute and caller. This instance counts them in fixed windows, for all of its workers together. */
export class RateLimit {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #shared: SharedCounts | undefined;
  /** Above this count, a request waits until the primary has counted it together with the requests of all workers. */
  readonly #sharedAbove: number;
  readonly #policy: string;
  #counts = new Map<string, number>();
  #windowEnds = 0;

  /** A limit of 0 counts nothing. */
  constructor(limit: number, now: () => number, shared?: SharedCounts) {
    this.#limit = limit;
    this.#policy = `"default";q=${limit};w=${windowMs / 1000}`;
    this.#now = now;
    this.#shared = limit === 0 ? undefined : shared;
    // Each worker admits this many requests of a burst before it asks the primary. All workers together admit a tenth
    // of the limit.
    this.#sharedAbove = Math.min(limit - 20, limit / (10 * (shared?.workers ?? 1)));
    this.#shared?.onRemoteCounts((windowEnds, counts) => {
      if (windowEnds < this.#windowEnds) return;
      if (windowEnds > this.#windowEnds) this.#beginWindow(windowEnds);
      for (const [caller, count] of counts) this.#add(caller, count);
    });
  }

  get isShared(): boolean {
    return this.#shared !== undefined;
  }

  /** Counts one request and sets the RateLimit headers. Throws 429 above the limit. */
  count(caller: string, reply: FastifyReply): void {
    if (this.#limit === 0) return;
    const { count, resetSeconds } = this.#increment(caller);
    this.#setHeaders(reply, count, resetSeconds);
    if (count > this.#limit) throw this.#limitExceeded(resetSeconds);
    if (this.#shared && count > this.#sharedAbove) {
      reply.request.sharedCount = this.#shared.totalOf(caller).then((total = count) => {
        this.#setHeaders(reply, total, resetSeconds);
        return total > this.#limit ? this.#limitExceeded(resetSeconds) : undefined;
      });
    }
  }

  #setHeaders(reply: FastifyReply, count: number, resetSeconds: number): void {
    const remaining = Math.max(0, this.#limit - count);
    reply.header('RateLimit-Limit', this.#limit);
    reply.header('RateLimit-Remaining', remaining);
    reply.header('RateLimit-Reset', resetSeconds);
    // These two are from draft-ietf-httpapi-ratelimit-headers-10. The three above are from earlier drafts.
    reply.header('RateLimit-Policy', this.#policy);
    reply.header('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
  }

  #limitExceeded(resetSeconds: number): Problem {
    const detail = `More than ${this.#limit} requests in a minute. Wait ${resetSeconds} seconds.`;
    return tooManyRequests(detail, resetSeconds);
  }

  #increment(caller: string): { count: number; resetSeconds: number } {
    const now = this.#now();
    if (now >= this.#windowEnds || this.#windowEnds - now > windowMs) {
      // Workers share windows that end at full minutes of the clock: they do not know when the first request of another
      // worker came.
      this.#beginWindow(this.#shared ? (Math.floor(now / windowMs) + 1) * windowMs : now + windowMs);
    }
    const count = this.#add(caller, 1);
    this.#shared?.countRequest(this.#windowEnds, caller);
    return { count, resetSeconds: Math.ceil((this.#windowEnds - now) / 1000) };
  }

  /** All callers share one window, so starting a new one also discards old counts. */
  #beginWindow(windowEnds: number): void {
    this.#counts = new Map();
    this.#windowEnds = windowEnds;
  }

  #add(caller: string, amount: number): number {
    const count = (this.#counts.get(caller) ?? 0) + amount;
    this.#counts.set(caller, count);
    return count;
  }
}
