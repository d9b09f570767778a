import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { unavailable } from '../../platform/errors.ts';

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

interface Options {
  /** False: other processes write too, and each leaves time for the others. */
  readonly alone?: boolean;
  /** Called after each commit, before anybody is told of it. */
  readonly committed?: () => void;
  /** Throws if a commit would be lost. */
  readonly inPlace?: () => void;
  /** Called before a commit, during which this thread waits for the disk. */
  readonly beforeCommit?: () => void;
  readonly timeoutMs?: number | undefined;
}

const sqliteBusy = 5;
/** The interval of attempts to get the write lock, and the time that a worker leaves to others. */
const lookAgainMs = { alone: 5, shared: 1 };
const restMs = 1.5;

const dropped = () =>
  unavailable('The database cannot take this at the moment. Try again shortly.', 5, 'the transaction was dropped');

const taken = () =>
  unavailable(
    'The database cannot take this at the moment. Try again shortly.',
    5,
    'another program holds the write lock',
  );

/**
 * Concurrent writes share one commit, because a sync to disk costs as much as many inserts. Jobs run one after another in one
 * transaction. A failed job is undone alone. No job succeeds before the shared commit is durable.
 */
export class SharedCommits {
  readonly #file: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #committed: () => void;
  readonly #inPlace: () => void;
  readonly #beforeCommit: () => void;
  readonly #timeoutMs: number;
  readonly #alone: boolean;
  #restsUntil = 0;
  readonly #entering: (() => void)[] = [];
  #busy = false;
  #open = false;
  #commitDue = false;
  #waiters: Waiter[] = [];

  constructor(file: DatabaseSync, options: Options = {}) {
    const {
      committed = () => {},
      inPlace = () => {},
      beforeCommit = () => {},
      timeoutMs = 5000,
      alone = true,
    } = options;
    this.#alone = alone;
    this.#file = file;
    this.#begin = file.prepare('begin immediate');
    this.#end = file.prepare('commit');
    this.#committed = committed;
    this.#inPlace = inPlace;
    this.#beforeCommit = beforeCommit;
    this.#timeoutMs = timeoutMs;
  }

  get waiting(): number {
    return this.#entering.length;
  }

  /** SQLite itself has rolled the transaction back. */
  get isDropped(): boolean {
    return this.#open && !this.#file.isTransaction;
  }

  /** Runs one statement without a savepoint: SQLite undoes a failed statement itself. */
  async run<T>(job: () => T): Promise<{ readonly result: T; readonly durable: Promise<void> }> {
    if (this.#busy || !(this.#open || this.#tryBegin())) await this.enter();
    try {
      return { result: job(), durable: this.leave() };
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  /** Waits for the turn to write. The timeout includes the time in the queue. */
  async enter(): Promise<void> {
    const deadline = performance.now() + this.#timeoutMs;
    if (this.#busy) await new Promise<void>((resolve) => this.#entering.push(resolve));
    this.#busy = true;
    try {
      if (!this.#open && performance.now() > deadline) throw taken();
      // Another process may be writing. Waiting must not block this thread.
      const pause = this.#alone ? lookAgainMs.alone : lookAgainMs.shared;
      while (!this.#open && !this.#tryBegin(deadline)) await new Promise((resolve) => setTimeout(resolve, pause));
    } catch (error) {
      this.#passTurn();
      throw error;
    }
  }

  /** False while another process writes; past the deadline that is an error. */
  #tryBegin(deadline = Number.POSITIVE_INFINITY): boolean {
    if (!this.#alone && performance.now() < this.#restsUntil) return false;
    try {
      this.#begin.run();
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== sqliteBusy || performance.now() > deadline) throw error;
      return false;
    }
    this.#open = true;
    this.#commitDue = false;
    // After this turn, so that concurrent writes can join.
    setImmediate(() => {
      this.#commitDue = true;
      if (!this.#busy && this.#open) this.#commit();
    });
    return true;
  }

  /** The job succeeded. Resolves when it is on disk. */
  leave(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#next();
    });
  }

  /** The job failed and was undone. */
  abandon(): void {
    // After a full disk or an I/O error SQLite rolls back the whole transaction.
    if (this.isDropped) this.#fail(dropped());
    this.#next();
  }

  async drained(): Promise<void> {
    while (this.#open || this.#busy) await new Promise((resolve) => setImmediate(resolve));
  }

  #next(): void {
    if (this.#entering.length > 0 && !(this.#commitDue && this.#open)) this.#passTurn();
    else {
      this.#busy = false;
      if (this.#commitDue && this.#open) this.#commit();
    }
  }

  #passTurn(): void {
    const next = this.#entering.shift();
    if (next) next();
    else this.#busy = false;
  }

  #commit(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    try {
      this.#beforeCommit();
      this.#inPlace();
      this.#end.run();
    } catch (error) {
      this.#waiters = waiters;
      if (this.#file.isTransaction) this.#file.exec('rollback');
      this.#fail(error);
    }
    if (this.#open) {
      this.#open = false;
      // SQLite has no queue of writers. Without a pause, others would never get the lock.
      if (!this.#alone) this.#restsUntil = performance.now() + restMs;
      this.#committed();
      for (const waiter of waiters) waiter.resolve();
    }
    if (this.#entering.length > 0) {
      this.#busy = true;
      this.#passTurn();
    }
  }

  #fail(error: unknown): void {
    this.#open = false;
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters = [];
  }
}
