import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { unavailable } from '../../platform/errors.ts';

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

interface Options {
  /** False: other processes write all the time, and each lets the others have their turn. */
  readonly alone?: boolean;
  /** Called after each commit, before anybody is told of it. */
  readonly committed?: () => void;
  /** Throws where a commit would be lost although it succeeds. */
  readonly inPlace?: () => void;
  /** Called right before a commit: this thread waits for the disk then. */
  readonly beforeCommit?: () => void;
  /** How long to wait for another process that writes. */
  readonly timeoutMs?: number | undefined;
}

const sqliteBusy = 5;
/** Between two looks at whether another process has done writing; and how long a worker leaves the file to the others. */
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
 * Lets writes that arrive together share one commit, and so one sync to disk (SQLite has one writer at a time anyway).
 * Jobs run one after another inside one transaction; each is undone alone when it fails, and none is told that it
 * succeeded before the shared commit is durable. A sync costs as much as many inserts.
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

  /** SQLite itself has undone what was open. */
  get isDropped(): boolean {
    return this.#open && !this.#file.isTransaction;
  }

  /** One statement, with no savepoint: SQLite undoes a failed statement by itself. `durable` is the shared commit. */
  async run<T>(job: () => T): Promise<{ readonly result: T; readonly durable: Promise<void> }> {
    if (this.#busy || !(this.#open || this.#tryBegin())) await this.enter();
    try {
      return { result: job(), durable: this.leave() };
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  /** Waits for the turn to write. The time in the line counts: where another program holds the file, nobody waits for longer than one does. */
  async enter(): Promise<void> {
    const deadline = performance.now() + this.#timeoutMs;
    if (this.#busy) await new Promise<void>((resolve) => this.#entering.push(resolve));
    this.#busy = true;
    try {
      if (!this.#open && performance.now() > deadline) throw taken();
      // Another process may be writing: waiting for it must not stop this one from answering.
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
    // After the current round of input: whatever arrived with this write has joined by then.
    setImmediate(() => {
      this.#commitDue = true;
      if (!this.#busy && this.#open) this.#commit();
    });
    return true;
  }

  /** The job is done: returns when it is on disk. */
  leave(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#next();
    });
  }

  /** The job failed and was undone. */
  abandon(): void {
    // A full disk or an I/O error makes SQLite drop the whole transaction: then nobody in it may succeed.
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
      // SQLite has no line of those who wait: who looks now and then would never find the file free.
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
