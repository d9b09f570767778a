import type { ClockReading } from './lease.ts';

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
