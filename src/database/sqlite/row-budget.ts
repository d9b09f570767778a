import type { DatabaseSync } from 'node:sqlite';
import { defineExactSum } from './exact-sum.ts';
import { rowFunction } from './row-mark.ts';

/** Aborts a statement that scans too many rows or takes too long on the main thread. */
export class RowBudget {
  readonly #rows: number;
  readonly #ms: number;
  readonly #spent: Error;
  #walked = 0;
  #until = 0;
  #isSpent = false;

  /** The error of an aborted statement is created once, because a stack trace costs more than a short read. */
  constructor(file: DatabaseSync, { rows, ms, spent }: { rows: number; ms: number; spent: Error }) {
    this.#rows = rows;
    this.#ms = ms;
    this.#spent = spent;
    defineExactSum(file);
    file.function(rowFunction, (rows) => this.#count(rows as number));
  }

  /** Call it before each statement. */
  start(): void {
    this.#walked = 0;
    this.#isSpent = false;
  }

  /** Call it after each statement: node:sqlite loses errors in statements that use our aggregate function. */
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
