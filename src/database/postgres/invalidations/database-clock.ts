/**
 * The clock of the database. It is read from time to time and advanced by the monotonic clock of this machine. So instances agree on expiry
 * times even if their system clocks differ or are reset.
 */
export class DatabaseClock {
  /** The database's clock minus the monotonic clock. */
  #ahead: number | undefined;

  /** The clock of the database showed `time` between `sentAt` and `receivedAt`, which are monotonic times. */
  set({ time, sentAt, receivedAt }: { time: number; sentAt: number; receivedAt: number }): void {
    const [min, max] = [time - receivedAt, time - sentAt];
    // Keeps the current estimate if the response allows it, because a slow response is imprecise.
    const known = this.#ahead ?? (min + max) / 2;
    this.#ahead = Math.min(Math.max(known, min), max);
  }

  now(): number {
    if (this.#ahead === undefined) throw new Error('the clock of the database has not been read yet');
    return Math.floor(performance.now() + this.#ahead);
  }
}
