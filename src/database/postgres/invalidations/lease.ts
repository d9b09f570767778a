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

interface Renewal {
  readonly renewals: number;
  readonly sentAt: ClockReading;
}

/** A replica that is in use is never this many renewals behind. */
const maxRenewals = 8;

/**
 * The renewals of this instance's row in the primary, each with the time at which it was requested. A replica that has one of them has
 * everything that was committed before that time, because both are in the same log.
 */
export class LeaseRenewals {
  #id = '';
  #renewals: Renewal[] = [];

  get id(): string {
    return this.#id;
  }

  /** Adds a renewal. A new id discards the renewals of the earlier id. */
  add(id: string, renewal: Renewal): void {
    if (id !== this.#id) this.#renewals = [];
    this.#id = id;
    this.#renewals.push(renewal);
    if (this.#renewals.length > maxRenewals) this.#renewals.shift();
  }

  /** The time up to which a replica is complete, if it has this number of renewals of this id. */
  completeTo(id: string, renewals: number): ClockReading | undefined {
    return id === this.#id ? this.#renewals.findLast((renewal) => renewal.renewals <= renewals)?.sentAt : undefined;
  }
}
