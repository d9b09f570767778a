import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * The reads of one turn of the event loop share one snapshot, so that locks are taken once (docs/performance.md). Call `end` at a
 * commit, so that no later read is stale, and SQLite can restart its write-ahead log.
 */
export class SharedSnapshot {
  readonly #file: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #endOfTurn = () => {
    this.#isTurnEndScheduled = false;
    this.end();
  };
  #isOpen = false;
  #isTurnEndScheduled = false;

  constructor(file: DatabaseSync) {
    this.#file = file;
    this.#begin = file.prepare('begin');
    this.#commit = file.prepare('commit');
  }

  /** Call it before each read. */
  join(): void {
    if (this.#isOpen) return;
    this.#begin.run();
    this.#isOpen = true;
    if (this.#isTurnEndScheduled) return;
    this.#isTurnEndScheduled = true;
    setImmediate(this.#endOfTurn);
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      if (this.#file.isOpen && this.#file.isTransaction) this.#commit.run();
    } catch {
      // Nothing was written, so nothing is lost.
      if (this.#file.isTransaction) this.#file.exec('rollback');
    }
  }
}
