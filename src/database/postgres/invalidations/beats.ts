import type { Moment } from './lease.ts';

interface Beat {
  readonly renewals: number;
  readonly asked: Moment;
}

/** A replica that is in use is never this many renewals behind. */
const kept = 8;

/**
 * The renewals of this instance's row in the primary, each with the time at which it was requested. A replica that has one of them has
 * everything that was committed before that time, because both are in the same log.
 */
export class Beats {
  #id = '';
  #beats: Beat[] = [];

  get id(): string {
    return this.#id;
  }

  /** Adds a renewal. A new id discards the renewals of the earlier id. */
  add(id: string, beat: Beat): void {
    if (id !== this.#id) this.#beats = [];
    this.#id = id;
    this.#beats.push(beat);
    if (this.#beats.length > kept) this.#beats.shift();
  }

  /** The time up to which a replica is complete, if it has this number of renewals of this id. */
  completeTo(id: string, renewals: number): Moment | undefined {
    return id === this.#id ? this.#beats.findLast((beat) => beat.renewals <= renewals)?.asked : undefined;
  }
}
