import type { DatabaseSync } from 'node:sqlite';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { type Reader, systemReader } from '../reader.ts';
import { RowBudget } from './row-budget.ts';
import { ScanThreads } from './scan-threads.ts';
import type { SharedSnapshot } from './shared-snapshot.ts';
import { throwProblem, toProblem } from './sqlite-errors.ts';
import { Statements } from './sqlite-statements.ts';

/** The limit for one read on the main thread. Handing a read to a worker thread takes about as long. */
const budget = { rows: 1000, ms: 2 };
/** After an expensive read, the next reads of the same SQL go straight to a thread. */
const readsInThreadAfterExpensive = 20;
const maxTexts = 500;

const budgetExceeded = new Error('more rows than the main thread may read');

/** Reads outside of transactions run on the main thread. A read of many rows is aborted after about 2 ms and runs in a thread. */
export class SqliteReads {
  readonly #statements: Statements;
  readonly #threads: ScanThreads;
  /** Per SQL text: the number of further reads that go directly to a worker thread. */
  readonly #expensive = new BoundedMap<string, number>(maxTexts);

  constructor(path: string, file: DatabaseSync, snapshot: SharedSnapshot, seconds: number) {
    // SQLite does not call the counting function while it builds an automatic index.
    file.exec('pragma automatic_index = off');
    this.#statements = new Statements(
      file,
      new RowBudget(file, { ...budget, exceededError: budgetExceeded }),
      snapshot,
    );
    this.#threads = new ScanThreads(path, seconds);
  }

  get waiting(): number {
    return this.#threads.waiting;
  }

  all<R>(sql: string, parameters: readonly unknown[], reader?: Reader): R[] | Promise<R[]> {
    if (this.#expensive.size > 0 && this.#isExpensive(sql)) return this.#readInThread(sql, parameters, reader);
    try {
      return this.#statements.all<R>(sql, parameters);
    } catch (error) {
      if (error !== budgetExceeded) throw toProblem(error);
      this.#markExpensive(sql);
      return this.#readInThread(sql, parameters, reader);
    }
  }

  first<R>(sql: string, parameters: readonly unknown[], reader?: Reader): R | undefined | Promise<R | undefined> {
    try {
      return this.#statements.first<R>(sql, parameters);
    } catch (error) {
      if (error !== budgetExceeded) throw toProblem(error);
      return this.#readInThread<R>(sql, parameters, reader).then(([row]) => row);
    }
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  #readInThread<R>(sql: string, parameters: readonly unknown[], reader = systemReader): Promise<R[]> {
    return this.#threads.read<R>(sql, parameters, reader).catch(throwProblem);
  }

  #isExpensive(sql: string): boolean {
    const remaining = this.#expensive.get(sql);
    if (remaining === undefined) return false;
    if (remaining > 1) this.#expensive.set(sql, remaining - 1);
    else this.#expensive.delete(sql);
    return true;
  }

  #markExpensive(sql: string): void {
    this.#expensive.set(sql, readsInThreadAfterExpensive);
  }
}
