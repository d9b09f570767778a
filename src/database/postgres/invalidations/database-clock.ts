/**
 * The clock of the database. It is read from time to time and advanced by the monotonic clock of this machine. So instances agree on expiry
 * times even if their system clocks differ or are reset.
 */
export class DatabaseClock {
  /** The database's clock minus the monotonic clock. */
  #ahead: number | undefined;

  /** The clock of the database showed `time` between `asked` and `answered`, which are monotonic times. */
  set({ time, asked, answered }: { time: number; asked: number; answered: number }): void {
    const [least, most] = [time - answered, time - asked];
    // Keeps the current estimate if the answer allows it, because a slow answer is imprecise.
    const known = this.#ahead ?? (least + most) / 2;
    this.#ahead = Math.min(Math.max(known, least), most);
  }

  now(): number {
    if (this.#ahead === undefined) throw new Error('the clock of the database has not been read yet');
    return Math.floor(performance.now() + this.#ahead);
  }
}
