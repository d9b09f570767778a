import type { DatabaseSync } from 'node:sqlite';
import { type Bus, everything, type Invalidation, type InvalidationListener, notifyListeners } from '../bus.ts';
import type { CommitCounts, Db, Tx } from '../database.ts';
import { type ArrayStatement, prepareArrays } from './array-statement.ts';
import type { SharedSnapshot } from './shared-snapshot.ts';
import type { SqliteInvalidations } from './sqlite-invalidations.ts';

/**
 * Calls listeners for the invalidations of this process. Before a cache is used, it checks `data_version` for writes of other processes.
 * Their invalidations are in a table. If this is the only serving process, it clears its whole cache instead, because other processes
 * rarely write.
 */
export class SqliteBus implements Bus {
  readonly #listeners: InvalidationListener[] = [];
  readonly #dataVersion: ArrayStatement;
  readonly #snapshot: SharedSnapshot;
  readonly #invalidations: SqliteInvalidations;
  readonly #singleProcess: boolean;
  readonly #totalChanges: ArrayStatement;
  readonly #wakeListeners: (() => void)[] = [];
  #wakeAtCommit = false;
  #committedChanges = 0;
  #rowsAtCommit = 0;
  #foreignCommits = 0;
  #isSnapshotEnded = false;
  #lastDataVersion: unknown;
  #isChecked = false;

  constructor(
    writer: DatabaseSync,
    snapshot: SharedSnapshot,
    invalidations: SqliteInvalidations,
    singleProcess: boolean,
  ) {
    this.#snapshot = snapshot;
    this.#invalidations = invalidations;
    this.#singleProcess = singleProcess;
    // On the writing connection, only commits of other processes change `data_version`.
    this.#dataVersion = prepareArrays(writer, 'pragma data_version');
    this.#lastDataVersion = this.#readDataVersion();
    this.#totalChanges = prepareArrays(writer, 'select total_changes()');
  }

  async join(): Promise<void> {
    this.#invalidations.join();
  }

  async announce(tx: Tx, invalidations: readonly Invalidation[]): Promise<string> {
    await this.#invalidations.write(tx, invalidations);
    return '';
  }

  async settle(_announcement: string, invalidations: readonly Invalidation[]): Promise<void> {
    await notifyListeners(this.#listeners, invalidations);
  }

  subscribe(listener: InvalidationListener): void {
    this.#listeners.push(listener);
  }

  async wakeQueues(db: Db | Tx): Promise<void> {
    if (db.isTransaction) this.#wakeAtCommit = true;
    else this.#wake();
  }

  onWake(listener: () => void): void {
    this.#wakeListeners.push(listener);
  }

  isCacheUsable(): boolean {
    // Checks once per turn of the event loop.
    if (this.#isChecked) return true;
    this.#isChecked = true;
    setImmediate(() => {
      this.#isChecked = false;
    });
    const version = this.#readDataVersion();
    if (version !== this.#lastDataVersion) {
      this.#lastDataVersion = version;
      this.#foreignCommits++;
      this.#snapshot.end();
      notifyListeners(this.#listeners, this.#singleProcess ? [everything] : this.#invalidations.read());
    }
    return true;
  }

  /** Call it after each commit of this process. */
  committed(): void {
    const rows = this.#rowsChanged();
    this.#committedChanges += 1 + rows - this.#rowsAtCommit;
    this.#rowsAtCommit = rows;
    this.#snapshot.end();
    if (!this.#wakeAtCommit) return;
    this.#wakeAtCommit = false;
    this.#wake();
  }

  /** A changed row counts when it changes, and again when the change is committed. */
  changes(): CommitCounts {
    this.isCacheUsable();
    return { changeCount: this.#committedChanges + this.#rowsChanged(), generation: this.#foreignCommits };
  }

  revision(): number {
    this.isCacheUsable();
    return this.#committedChanges + this.#foreignCommits;
  }

  endSnapshot(): void {
    if (this.#isSnapshotEnded) return;
    this.#isSnapshotEnded = true;
    setImmediate(() => {
      this.#isSnapshotEnded = false;
    });
    this.#isChecked = false;
    this.#snapshot.end();
  }

  /** Runs after the code that has just committed. */
  #wake(): void {
    setImmediate(() => {
      for (const listener of this.#wakeListeners) listener();
    });
  }

  #rowsChanged(): number {
    return Number(this.#totalChanges.get()?.[0]);
  }

  #readDataVersion(): unknown {
    return this.#dataVersion.get()?.[0];
  }
}
