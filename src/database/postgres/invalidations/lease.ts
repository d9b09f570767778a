/** Milliseconds for which an instance may use its caches after it asked to renew the lease, by its own clocks. */
export const leaseMs = 2500;
/**
 * How long a change waits for an instance that does not confirm it. It is longer than the lease, because clocks may drift
 * (docs/decisions/lease-on-invalidations.md).
 */
export const confirmationTimeoutMs = 3000;

/** One moment by both clocks of this machine. */
export interface ClockReading {
  readonly monotonic: number;
  readonly wall: number;
}

export const readClocks = (): ClockReading => ({ monotonic: performance.now(), wall: Date.now() });

/**
 * The right to use the caches until a point in time. Only a query to the database extends it. Every use compares the clocks, because timers
 * do not run while a process is stopped.
 */
export class Lease {
  #monotonicEnd = Number.NEGATIVE_INFINITY;
  /** The monotonic clock may stop while the machine sleeps. The wall clock is correct after it wakes. */
  #wallEnd = Number.NEGATIVE_INFINITY;

  /** Takes the time at which the renewal was sent, because the response may describe the state at that time. */
  renew({ monotonic, wall }: ClockReading): void {
    this.#monotonicEnd = monotonic + leaseMs;
    this.#wallEnd = wall + leaseMs;
  }

  drop(): void {
    this.#monotonicEnd = Number.NEGATIVE_INFINITY;
  }

  isHeld(): boolean {
    return performance.now() < this.#monotonicEnd && Date.now() < this.#wallEnd;
  }
}
