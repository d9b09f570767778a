import type { DatabaseSync } from 'node:sqlite';
import { defineExactSum } from './exact-sum.ts';
import { rowFunction } from './row-mark.ts';

/** Aborts a statement that scans too many rows or takes too long on the main thread. */
export class RowBudget {
  readonly #maxRows: number;
  readonly #maxMs: number;
  readonly #exceededError: Error;
  #scanned = 0;
  #deadline = 0;
  #isExceeded = false;

  /** The error of an aborted statement is created once, because a stack trace costs more than a short read. */
  constructor(file: DatabaseSync, { rows, ms, exceededError }: { rows: number; ms: number; exceededError: Error }) {
    this.#maxRows = rows;
    this.#maxMs = ms;
    this.#exceededError = exceededError;
    defineExactSum(file);
    file.function(rowFunction, (rows) => this.#count(rows as number));
  }

  /** Call it before each statement. */
  start(): void {
    this.#scanned = 0;
    this.#isExceeded = false;
  }

  /** Call it after each statement: node:sqlite loses errors in statements that use our aggregate function. */
  end(): void {
    if (this.#isExceeded) throw this.#exceededError;
  }

  #count(rows: number): number {
    const now = performance.now();
    if (this.#scanned === 0) this.#deadline = now + this.#maxMs;
    this.#scanned += rows;
    if (this.#scanned <= this.#maxRows && now <= this.#deadline) return 1;
    this.#isExceeded = true;
    throw this.#exceededError;
  }
}
