interface Limits {
  /** The number of statements that run at the same time. */
  readonly concurrency: number;
  readonly maxItems: number;
  /** Never exceeds `concurrency`, however long a statement takes. */
  readonly strict?: boolean;
  /** Milliseconds. A statement that takes longer no longer counts towards `concurrency`, so later items do not wait for it. */
  readonly expectedMs?: number;
}

interface WaitingItem<I, O> {
  readonly item: I;
  resolve(value: O): void;
  reject(error: unknown): void;
}

const defaultExpectedMs = 20;

/**
 * Sends the items of one turn of the event loop in one statement. Items that arrive while the allowed statements run wait for the next
 * statement, so batches grow with the load. An item never joins a statement that was already sent. Each item therefore sees everything that
 * was committed before it was added.
 */
export class Batcher<I, O> {
  readonly #limits: Limits;
  readonly #run: (items: readonly I[]) => Promise<readonly O[]>;
  #waiting: WaitingItem<I, O>[] = [];
  #running = 0;
  #scheduled = false;

  constructor(limits: Limits, run: (items: readonly I[]) => Promise<readonly O[]>) {
    this.#limits = limits;
    this.#run = run;
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0;
  }

  add(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#scheduled || this.#running >= this.#limits.concurrency) return;
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#sendWaiting();
      });
    });
  }

  #sendWaiting(): void {
    while (this.#waiting.length > 0 && this.#running < this.#limits.concurrency) {
      void this.#send(this.#waiting.splice(0, this.#limits.maxItems));
    }
  }

  async #send(batch: readonly WaitingItem<I, O>[]): Promise<void> {
    let isActive = true;
    const releaseSlot = () => {
      if (!isActive) return;
      isActive = false;
      this.#running--;
      this.#sendWaiting();
    };
    this.#running++;
    const timer = this.#limits.strict
      ? undefined
      : setTimeout(releaseSlot, this.#limits.expectedMs ?? defaultExpectedMs);
    try {
      const values = await this.#run(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(values[i] as O);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    clearTimeout(timer);
    releaseSlot();
  }
}
