import { setPriority } from 'node:os';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { reasonOf } from '../../platform/errors.ts';
import { serveRequests } from '../../platform/worker-thread.ts';
import { prepareArrays } from './array-statement.ts';
import { defineExactSum } from './exact-sum.ts';
import { rowFunction } from './row-mark.ts';
import { errcodeOf } from './sqlite-errors.ts';

export interface ScanThreadData {
  readonly path: string;
  /** Shared. Any value but 0 aborts the read. */
  readonly stop: Int32Array;
}

export interface Scan {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

export type ScanResult =
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }
  /** An error loses its code when it is sent to another thread. */
  | { readonly errcode: number | undefined; readonly message: string };

const { path, stop } = workerData as ScanThreadData;

/** Lowers the priority of this thread. Only Linux has priorities per thread; elsewhere it would change the whole process. */
function lowerPriority(): void {
  try {
    if (process.platform === 'linux') setPriority(0, 5);
  } catch {
    // Some sandboxes forbid changing the priority.
  }
}

function open(): DatabaseSync {
  const connection = new DatabaseSync(path, { timeout: 1000, readOnly: true });
  connection.exec('pragma cache_size = -16000; pragma temp_store = memory;');
  defineExactSum(connection);
  connection.function(rowFunction, (_rows) => {
    if (Atomics.load(stop, 0) !== 0) throw new Error('stopped');
    return 1;
  });
  return connection;
}

lowerPriority();
const file = open();

serveRequests(({ sql, parameters }: Scan): ScanResult => {
  try {
    const statement = prepareArrays(file, sql);
    const rows = statement.all(...parameters);
    // node:sqlite loses errors in statements with our aggregate function.
    if (Atomics.load(stop, 0) !== 0) throw new Error('stopped');
    return { columns: statement.columns().map(({ name }) => name), rows };
  } catch (error) {
    return { errcode: errcodeOf(error), message: reasonOf(error) };
  }
});
