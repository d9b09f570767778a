/** Requests a minute for one caller, counted in this instance's memory in fixed windows. */
export class RateLimit {
  readonly limit: number;
  readonly #now: () => number;
  #counts = new Map<string, number>();
  #windowEnds = 0;

  constructor(limit: number, now: () => number) {
    this.limit = limit;
    this.#now = now;
  }

  /** Counts one request: how many are left (below zero: refused), and the seconds until the window ends. */
  take(caller: string): { remaining: number; resetSeconds: number } {
    const now = this.#now();
    if (now >= this.#windowEnds || this.#windowEnds - now > 60_000) {
      // One window for all callers: emptying it is the whole of the housekeeping.
      this.#counts = new Map();
      this.#windowEnds = now + 60_000;
    }
    const count = (this.#counts.get(caller) ?? 0) + 1;
    this.#counts.set(caller, count);
    return { remaining: this.limit - count, resetSeconds: Math.ceil((this.#windowEnds - now) / 1000) };
  }
}
