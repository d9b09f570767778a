import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { unavailable } from '../../platform/errors.ts';
import { errcodeOf } from './sqlite-errors.ts';

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

interface Options {
  /** False: other processes write too, and each process pauses for the others. */
  readonly singleProcess?: boolean;
  /** Called after each commit, before any job is reported as done. */
  readonly afterCommit?: () => void;
  /** Throws if the file was replaced, because a commit would be lost. */
  readonly checkFile?: () => void;
  /** Called before a commit, during which this thread waits for the disk. */
  readonly beforeCommit?: () => void;
  readonly timeoutMs?: number | undefined;
  /** Milliseconds since some point in time. */
  readonly clock?: () => number;
}

const sqliteBusy = 5;
/** The interval of attempts to get the write lock, and the pause of a worker after a commit. */
const retryMs = { alone: 5, shared: 1 };
const pauseMs = 1.5;
/**
 * The time for writes in one turn of the event loop: at least 0.3 ms, and a quarter of the time that everything else took in the last
 * turn. After it, other requests are handled. Many reads make turns long: with a fixed time, writes would wait for seconds.
 */
const minShareMs = 0.3;
const shareOfOthers = 0.25;

const dropped = () =>
  unavailable('The database cannot store this at the moment. Try again shortly.', 5, 'the transaction was dropped');

const taken = () =>
  unavailable(
    'The database cannot store this at the moment. Try again shortly.',
    5,
    'another program holds the write lock',
  );

/**
 * Concurrent writes share one commit, because a sync to disk costs as much as many inserts. Jobs run one after another in one
 * transaction. A failed job is undone alone. No job succeeds before the shared commit is durable. Many jobs run in several turns of
 * the event loop, so that reads do not wait for all of them.
 */
export class SharedCommits {
  readonly #file: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commitFile: StatementSync;
  readonly #afterCommit: () => void;
  readonly #checkFile: () => void;
  readonly #beforeCommit: () => void;
  readonly #timeoutMs: number;
  readonly #singleProcess: boolean;
  readonly #clock: () => number;
  #pausesUntil = 0;
  readonly #entering: (() => void)[] = [];
  #busy = false;
  #open = false;
  /** The number of queued jobs that still join this transaction. Undefined in its first turn of the event loop, when every job joins. */
  #joining: number | undefined;
  #turnEnds = false;
  #turnBeganAt = 0;
  #shareMs = minShareMs;
  #startedAt = 0;
  #spentMs = 0;
  #waiters: Waiter[] = [];

  constructor(file: DatabaseSync, options: Options = {}) {
    const {
      afterCommit = () => {},
      checkFile = () => {},
      beforeCommit = () => {},
      timeoutMs = 5000,
      singleProcess = true,
      clock = () => performance.now(),
    } = options;
    this.#singleProcess = singleProcess;
    this.#clock = clock;
    this.#file = file;
    this.#begin = file.prepare('begin immediate');
    this.#commitFile = file.prepare('commit');
    this.#afterCommit = afterCommit;
    this.#checkFile = checkFile;
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

  /** Runs one statement without a savepoint, because SQLite undoes a failed statement itself. */
  async run<T>(job: () => T): Promise<{ readonly result: T; readonly durable: Promise<void> }> {
    if (this.#mustWait || !(this.#open || this.#tryBegin())) await this.enter();
    else this.#start();
    try {
      return { result: job(), durable: this.leave() };
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  /** Waits for the turn to write. The timeout includes the time in the queue. */
  async enter(): Promise<void> {
    const deadline = this.#clock() + this.#timeoutMs;
    if (this.#mustWait) await new Promise<void>((resolve) => this.#entering.push(resolve));
    this.#busy = true;
    try {
      if (!this.#open && this.#clock() > deadline) throw taken();
      // Another process may be writing. Waiting must not block this thread.
      const pause = this.#singleProcess ? retryMs.alone : retryMs.shared;
      while (!this.#open && !this.#tryBegin(deadline)) await new Promise((resolve) => setTimeout(resolve, pause));
      this.#start();
    } catch (error) {
      this.#next();
      throw error;
    }
  }

  get #mustWait(): boolean {
    return this.#busy || this.#entering.length > 0 || this.#isShareSpent;
  }

  /** If other processes write too, they wait for the whole transaction. So it ends as soon as possible. */
  get #isShareSpent(): boolean {
    return this.#singleProcess && this.#spentMs >= this.#shareMs;
  }

  #start(): void {
    this.#startedAt = this.#clock();
    this.#awaitEndOfTurn();
  }

  #awaitEndOfTurn(): void {
    if (this.#turnEnds) return;
    this.#turnEnds = true;
    this.#turnBeganAt = this.#clock();
    setImmediate(this.#endOfTurn);
  }

  readonly #endOfTurn = () => {
    this.#turnEnds = false;
    const othersMs = this.#clock() - this.#turnBeganAt - this.#spentMs;
    this.#shareMs = Math.max(minShareMs, othersMs * shareOfOthers);
    this.#spentMs = 0;
    if (this.#open) this.#joining ??= this.#entering.length;
    if (!this.#busy) this.#next();
  };

  /** False while another process writes. Throws after the deadline. */
  #tryBegin(deadline = Number.POSITIVE_INFINITY): boolean {
    if (!this.#singleProcess && this.#clock() < this.#pausesUntil) return false;
    try {
      this.#begin.run();
    } catch (error) {
      if (errcodeOf(error) !== sqliteBusy || this.#clock() > deadline) throw error;
      return false;
    }
    this.#open = true;
    this.#joining = undefined;
    return true;
  }

  /** The job succeeded. Resolves when it is on disk. */
  leave(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#end();
    });
  }

  /** The job failed and was undone. */
  abandon(): void {
    // After a full disk or an I/O error SQLite rolls back the whole transaction.
    if (this.isDropped) this.#fail(dropped());
    this.#end();
  }

  async waitUntilIdle(): Promise<void> {
    while (this.#open || this.#busy || this.#entering.length > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  #end(): void {
    this.#spentMs += this.#clock() - this.#startedAt;
    this.#awaitEndOfTurn();
    this.#next();
  }

  /** Commits if all jobs of the transaction have run. Otherwise the next job runs, in this turn of the event loop or in the next. */
  #next(): void {
    this.#busy = false;
    if (this.#open && this.#joining === 0) this.#commit();
    else if (this.#entering.length > 0 && !this.#isShareSpent) this.#startNextTurn();
    if (this.#open || this.#entering.length > 0) this.#awaitEndOfTurn();
  }

  #startNextTurn(): void {
    this.#busy = true;
    if (this.#joining !== undefined) this.#joining--;
    this.#entering.shift()?.();
  }

  #commit(): void {
    const waiters = this.#waiters;
    const beganAt = this.#clock();
    this.#waiters = [];
    try {
      this.#beforeCommit();
      this.#checkFile();
      this.#commitFile.run();
    } catch (error) {
      this.#waiters = waiters;
      if (this.#file.isTransaction) this.#file.exec('rollback');
      this.#fail(error);
    }
    if (this.#open) {
      this.#open = false;
      // SQLite has no queue of writers. Without a pause, others would never get the lock.
      if (!this.#singleProcess) this.#pausesUntil = this.#clock() + pauseMs;
      this.#afterCommit();
      for (const waiter of waiters) waiter.resolve();
    }
    // A slow disk gives writes no more time.
    this.#turnBeganAt += this.#clock() - beganAt;
  }

  #fail(error: unknown): void {
    this.#open = false;
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters = [];
  }
}
