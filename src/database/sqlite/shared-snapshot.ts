import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * Lets the reads of one turn of the event loop share one view of the file, so that its locks are taken once
 * (docs/performance.md). A page and its count agree, too. Code that learns of a commit must `end` it, so that
 * no later read is stale.
 */
export class SharedSnapshot {
  readonly #file: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #endOfTurn = () => {
    this.#turnEnds = false;
    this.end();
  };
  #open = false;
  #turnEnds = false;

  constructor(file: DatabaseSync) {
    this.#file = file;
    this.#begin = file.prepare('begin');
    this.#commit = file.prepare('commit');
  }

  /** To be called before each read. */
  join(): void {
    if (this.#open) return;
    this.#begin.run();
    this.#open = true;
    if (this.#turnEnds) return;
    this.#turnEnds = true;
    setImmediate(this.#endOfTurn);
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    try {
      // After an I/O error SQLite has ended it by itself.
      if (this.#file.isOpen && this.#file.isTransaction) this.#commit.run();
    } catch {
      // Nothing was written: whichever way it ends, it is over.
      if (this.#file.isTransaction) this.#file.exec('rollback');
    }
  }
}
