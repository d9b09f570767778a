interface Limits {
  /** Statements under way at the same time. */
  readonly atOnce: number;
  /** Things that one statement may serve. */
  readonly most: number;
  /** Never more at once, however long one takes. */
  readonly strictly?: boolean;
  /** Milliseconds. One that takes longer waits for somebody: those that come later do not wait with it. */
  readonly usualMs?: number;
}

interface Waiting<I, O> {
  readonly item: I;
  resolve(value: O): void;
  reject(error: unknown): void;
}

const usualMs = 20;

/**
 * Lets what is asked for in one turn of the event loop travel as one statement. While that is under way, what is asked for
 * next gathers for the following one: the more there is to do, the more of it goes together. A statement that has been sent
 * takes nobody in any more, so that each sees all that was committed before it was asked for.
 */
export class Batcher<I, O> {
  readonly #limits: Limits;
  readonly #run: (items: readonly I[]) => Promise<readonly O[]>;
  #waiting: Waiting<I, O>[] = [];
  #underWay = 0;
  #scheduled = false;

  constructor(limits: Limits, run: (items: readonly I[]) => Promise<readonly O[]>) {
    this.#limits = limits;
    this.#run = run;
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0;
  }

  add(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#scheduled || this.#underWay >= this.#limits.atOnce) return;
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#sendWaiting();
      });
    });
  }

  #sendWaiting(): void {
    while (this.#waiting.length > 0 && this.#underWay < this.#limits.atOnce) {
      void this.#send(this.#waiting.splice(0, this.#limits.most));
    }
  }

  async #send(together: readonly Waiting<I, O>[]): Promise<void> {
    let counts = true;
    const makeRoom = () => {
      if (!counts) return;
      counts = false;
      this.#underWay--;
      this.#sendWaiting();
    };
    this.#underWay++;
    const timer = this.#limits.strictly ? undefined : setTimeout(makeRoom, this.#limits.usualMs ?? usualMs);
    try {
      const values = await this.#run(together.map(({ item }) => item));
      for (const [i, { resolve }] of together.entries()) resolve(values[i] as O);
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
    clearTimeout(timer);
    makeRoom();
  }
}
