/** How long an instance trusts its memory after its last query over the connection for invalidations, by its own clocks. */
export const leaseLength = 2500;
/**
 * How long a change waits for an instance that does not confirm it. Longer than the lease, because clocks may run apart
 * (docs/decisions/lease-on-invalidations.md).
 */
export const leaseSurelyOver = 3000;

/** One moment by both clocks of this machine. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export const thisMoment = (): Moment => ({ monotonic: performance.now(), wall: Date.now() });

/**
 * The right to answer from memory, until a moment that only asking the database moves. Clocks are compared whenever it is
 * used: the timers of a process that was stopped have not run.
 */
export class Lease {
  #monotonicEnd = Number.NEGATIVE_INFINITY;
  /** The monotonic clock stands still while a machine sleeps; the other one has been set right when it wakes. */
  #wallEnd = Number.NEGATIVE_INFINITY;

  /** `asked`: when the question was sent, since what the answer says may have been true no longer than that. */
  renew({ monotonic, wall }: Moment): void {
    this.#monotonicEnd = monotonic + leaseLength;
    this.#wallEnd = wall + leaseLength;
  }

  drop(): void {
    this.#monotonicEnd = Number.NEGATIVE_INFINITY;
  }

  holds(): boolean {
    return performance.now() < this.#monotonicEnd && Date.now() < this.#wallEnd;
  }
}
