import type { DatabaseSync } from 'node:sqlite';
import { rowFunction } from './row-mark.ts';

/** Reading the clock costs as much as a row: every so many rows is enough. */
const rowsBetweenLooks = 16;

/** Ends a statement that walks over too many rows, or for too long, on a connection whose thread has other things to do. */
export class RowBudget {
  readonly #rows: number;
  readonly #ms: number;
  readonly #spent: Error;
  #walked = 0;
  #until = 0;

  /** `spent` is thrown out of the statement; it is made once, because a stack costs more than a short read. */
  constructor(file: DatabaseSync, { rows, ms, spent }: { rows: number; ms: number; spent: Error }) {
    this.#rows = rows;
    this.#ms = ms;
    this.#spent = spent;
    file.function(rowFunction, () => this.#count());
  }

  /** To be called before each statement. */
  start(): void {
    this.#walked = 0;
  }

  #count(): number {
    const walked = ++this.#walked;
    if (walked > this.#rows) throw this.#spent;
    if (walked % rowsBetweenLooks === 0) {
      const now = performance.now();
      if (walked === rowsBetweenLooks) this.#until = now + this.#ms;
      else if (now > this.#until) throw this.#spent;
    }
    return 1;
  }
}
