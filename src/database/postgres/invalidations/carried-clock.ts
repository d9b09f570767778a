/**
 * The clock of the database, read now and then and carried on by this machine's monotonic clock. Instances whose own
 * clocks differ, or are set anew, so agree on what has expired.
 */
export class CarriedClock {
  /** The database's clock less the monotonic one. */
  #ahead: number | undefined;

  /** The database said `time` at some moment between `asked` and `answered`, by the monotonic clock. */
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
