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
const pauseAfterCommitMs = 1.5;
/**
 * The time for writes in one turn of the event loop: at least 0.3 ms, and a quarter of the time that everything else took in the last
 * turn. After it, other requests are handled. Many reads make turns long: with a fixed time, writes would wait for seconds.
 */
const minWriteBudgetMs = 0.3;
const budgetRatio = 0.25;

const transactionDroppedError = () =>
  unavailable('The database cannot store this at the moment. Try again shortly.', 5, 'the transaction was dropped');

const writeLockError = () =>
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
  #pausedUntil = 0;
  readonly #waitingJobs: (() => void)[] = [];
  #isJobRunning = false;
  #isOpen = false;
  /** The number of queued jobs that still join this transaction. Undefined in its first turn of the event loop, when every job joins. */
  #jobsToJoin: number | undefined;
  #isTurnEndScheduled = false;
  #turnBeganAt = 0;
  #writeBudgetMs = minWriteBudgetMs;
  #jobStartedAt = 0;
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
    return this.#waitingJobs.length;
  }

  /** SQLite itself has rolled the transaction back. */
  get isDropped(): boolean {
    return this.#isOpen && !this.#file.isTransaction;
  }

  /** Runs one statement without a savepoint, because SQLite undoes a failed statement itself. */
  async run<T>(job: () => T): Promise<{ readonly result: T; readonly durable: Promise<void> }> {
    if (this.#mustWait || !(this.#isOpen || this.#tryBegin())) await this.waitForTurn();
    else this.#startJob();
    try {
      return { result: job(), durable: this.finishJob() };
    } catch (error) {
      this.abandonJob();
      throw error;
    }
  }

  /** Waits for the turn to write. The timeout includes the time in the queue. */
  async waitForTurn(): Promise<void> {
    const deadline = this.#clock() + this.#timeoutMs;
    if (this.#mustWait) await new Promise<void>((resolve) => this.#waitingJobs.push(resolve));
    this.#isJobRunning = true;
    try {
      if (!this.#isOpen && this.#clock() > deadline) throw writeLockError();
      // Another process may be writing. Waiting must not block this thread.
      const delayMs = this.#singleProcess ? retryMs.alone : retryMs.shared;
      while (!this.#isOpen && !this.#tryBegin(deadline)) await new Promise((resolve) => setTimeout(resolve, delayMs));
      this.#startJob();
    } catch (error) {
      this.#runNext();
      throw error;
    }
  }

  get #mustWait(): boolean {
    return this.#isJobRunning || this.#waitingJobs.length > 0 || this.#isBudgetSpent;
  }

  /** If other processes write too, they wait for the whole transaction. So it ends as soon as possible. */
  get #isBudgetSpent(): boolean {
    return this.#singleProcess && this.#spentMs >= this.#writeBudgetMs;
  }

  #startJob(): void {
    this.#jobStartedAt = this.#clock();
    this.#scheduleEndOfTurn();
  }

  #scheduleEndOfTurn(): void {
    if (this.#isTurnEndScheduled) return;
    this.#isTurnEndScheduled = true;
    this.#turnBeganAt = this.#clock();
    setImmediate(this.#endOfTurn);
  }

  readonly #endOfTurn = () => {
    this.#isTurnEndScheduled = false;
    const othersMs = this.#clock() - this.#turnBeganAt - this.#spentMs;
    this.#writeBudgetMs = Math.max(minWriteBudgetMs, othersMs * budgetRatio);
    this.#spentMs = 0;
    if (this.#isOpen) this.#jobsToJoin ??= this.#waitingJobs.length;
    if (!this.#isJobRunning) this.#runNext();
  };

  /** False while another process writes. Throws after the deadline. */
  #tryBegin(deadline = Number.POSITIVE_INFINITY): boolean {
    if (!this.#singleProcess && this.#clock() < this.#pausedUntil) return false;
    try {
      this.#begin.run();
    } catch (error) {
      if (errcodeOf(error) !== sqliteBusy || this.#clock() > deadline) throw error;
      return false;
    }
    this.#isOpen = true;
    this.#jobsToJoin = undefined;
    return true;
  }

  /** The job succeeded. Resolves when it is on disk. */
  finishJob(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#endJob();
    });
  }

  /** The job failed and was undone. */
  abandonJob(): void {
    // After a full disk or an I/O error SQLite rolls back the whole transaction.
    if (this.isDropped) this.#fail(transactionDroppedError());
    this.#endJob();
  }

  async waitUntilIdle(): Promise<void> {
    while (this.#isOpen || this.#isJobRunning || this.#waitingJobs.length > 0)
      await new Promise((resolve) => setImmediate(resolve));
  }

  #endJob(): void {
    this.#spentMs += this.#clock() - this.#jobStartedAt;
    this.#scheduleEndOfTurn();
    this.#runNext();
  }

  /** Commits if all jobs of the transaction have run. Otherwise the next job runs, in this turn of the event loop or in the next. */
  #runNext(): void {
    this.#isJobRunning = false;
    if (this.#isOpen && this.#jobsToJoin === 0) this.#commit();
    else if (this.#waitingJobs.length > 0 && !this.#isBudgetSpent) this.#startNextJob();
    if (this.#isOpen || this.#waitingJobs.length > 0) this.#scheduleEndOfTurn();
  }

  #startNextJob(): void {
    this.#isJobRunning = true;
    if (this.#jobsToJoin !== undefined) this.#jobsToJoin--;
    this.#waitingJobs.shift()?.();
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
    if (this.#isOpen) {
      this.#isOpen = false;
      // SQLite has no queue of writers. Without a pause, others would never get the lock.
      if (!this.#singleProcess) this.#pausedUntil = this.#clock() + pauseAfterCommitMs;
      this.#afterCommit();
      for (const waiter of waiters) waiter.resolve();
    }
    // Commit time must not count as other work: otherwise a slow disk would raise the write budget.
    this.#turnBeganAt += this.#clock() - beganAt;
  }

  #fail(error: unknown): void {
    this.#isOpen = false;
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters = [];
  }
}
