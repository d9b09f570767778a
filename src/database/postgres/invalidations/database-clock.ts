/**
 * The clock of the database. It is read from time to time and advanced by the monotonic clock of this machine. So instances agree on expiry
 * times even if their system clocks differ or are reset.
 */
export class DatabaseClock {
  /** The database's clock minus the monotonic clock. */
  #offset: number | undefined;

  /** The clock of the database showed `time` between `sentAt` and `receivedAt`, which are monotonic times. */
  set({ time, sentAt, receivedAt }: { time: number; sentAt: number; receivedAt: number }): void {
    const [min, max] = [time - receivedAt, time - sentAt];
    // Keeps the current estimate if the response allows it, because a slow response is imprecise.
    const estimate = this.#offset ?? (min + max) / 2;
    this.#offset = Math.min(Math.max(estimate, min), max);
  }

  now(): number {
    if (this.#offset === undefined) throw new Error('the clock of the database has not been read yet');
    return Math.floor(performance.now() + this.#offset);
  }
}
