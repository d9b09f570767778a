import type { DatabaseSync } from 'node:sqlite';
import { defineExactSum } from './exact-sum.ts';
import { rowFunction } from './row-mark.ts';

/** Ends a statement that walks over too many rows, or for too long, on a connection whose thread has other things to do. */
export class RowBudget {
  readonly #rows: number;
  readonly #ms: number;
  readonly #spent: Error;
  #walked = 0;
  #until = 0;
  #isSpent = false;

  /** `spent` is thrown out of the statement; it is made once, because a stack costs more than a short read. */
  constructor(file: DatabaseSync, { rows, ms, spent }: { rows: number; ms: number; spent: Error }) {
    this.#rows = rows;
    this.#ms = ms;
    this.#spent = spent;
    defineExactSum(file);
    file.function(rowFunction, (rows) => this.#count(rows as number));
  }

  /** To be called before each statement. */
  start(): void {
    this.#walked = 0;
    this.#isSpent = false;
  }

  /** To be called after each statement: node:sqlite loses what is thrown in a statement with an aggregate function of ours. */
  end(): void {
    if (this.#isSpent) throw this.#spent;
  }

  #count(rows: number): number {
    const now = performance.now();
    if (this.#walked === 0) this.#until = now + this.#ms;
    this.#walked += rows;
    if (this.#walked <= this.#rows && now <= this.#until) return 1;
    this.#isSpent = true;
    throw this.#spent;
  }
}
