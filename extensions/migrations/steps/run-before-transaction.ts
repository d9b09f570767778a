import type { Database, Db, Tx } from '../../../src/database/database.ts';
import { withMigrationLock } from '../../../src/database/locks/migration-lock.ts';
import { type BeginProgress, noProgress, stepProgress } from '../../../src/platform/progress.ts';
import { type Executor, writeUnprepared } from '../../../src/resources/sql/executor.ts';
import { type Fragment, quoted, raw } from '../../../src/resources/sql/sql-text.ts';
import { createIndexConcurrently } from './create-indexes.ts';
import type { Step } from './migration-steps.ts';

/** The statements of each finished step that remain for the transaction, by the text of the step. */
export type RemainingStatements = ReadonlyMap<string, readonly Fragment[]>;

type ColumnNameOf = (table: string) => (column: string) => string;

const temporaryName = (name: string): string => `${name}_n`;

/** `tables`: the existing tables. */
function slowWorkOf(steps: readonly Step[], tables: ReadonlySet<string>) {
  const recasts = steps.filter(({ recast }) => recast && tables.has(recast.table));
  const columnNameOf: ColumnNameOf = (table) => (column) =>
    recasts.find(({ recast }) => recast?.table === table && recast.column === column)?.recast?.temporary ?? column;
  // The folded text of a converted column is filled after the conversion.
  const changesRows = ({ rows, recast }: Step) =>
    rows && !recast && tables.has(rows.table) && rows.columns.every((name) => columnNameOf(rows.table)(name) === name);
  const columns = steps.filter(
    (step) => step.column && tables.has(step.column.table) && (!step.rows || changesRows(step)),
  );
  const slowSteps = [
    ...steps.filter(changesRows),
    ...recasts,
    ...steps.filter(({ index }) => index && tables.has(index.table)),
  ];
  return { recasts, columnNameOf, columns, slowSteps };
}

export const isSlow = (steps: readonly Step[], tables: ReadonlySet<string>): boolean =>
  slowWorkOf(steps, tables).slowSteps.length > 0;

/**
 * On PostgreSQL: does slow work before the transaction that locks the tables. Converts rows in small batches and creates indexes
 * concurrently. It only adds, and it can be interrupted and repeated. `db` is a connection of `withoutTableLocks`.
 */
export async function runBeforeTransaction(
  database: Database,
  db: Db,
  steps: readonly Step[],
  tables: ReadonlySet<string>,
  progress: BeginProgress = noProgress,
): Promise<RemainingStatements> {
  const { recasts, columnNameOf, columns, slowSteps } = slowWorkOf(steps, tables);
  if (slowSteps.length === 0) return new Map();
  const addColumns = async (tx: Tx) => {
    for (const statement of [...columns, ...recasts].flatMap(({ statements }) => statements))
      await writeUnprepared({ engine: 'postgres', db: tx }, statement);
  };
  await withMigrationLock(database, addColumns, { holdsLongWork: true });
  const dropped = new Set(steps.flatMap(({ dropsIndex }) => dropsIndex?.name ?? []));
  const stepsProgress = stepProgress(progress);
  const remainingByStep = new Map<string, readonly Fragment[]>(columns.map(({ description }) => [description, []]));
  try {
    for (const [n, step] of slowSteps.entries()) {
      stepsProgress.next(step.description, slowSteps.length - n);
      const remaining = step.index
        ? await buildIndex(db, step.index, dropped, columnNameOf)
        : await runStep(db, step, stepsProgress.rows);
      if (remaining) remainingByStep.set(step.description, remaining);
    }
    return remainingByStep;
  } finally {
    stepsProgress.end();
  }
}

/** Undefined if the transaction must run the step as well. */
async function runStep(db: Db, { rows, recast }: Step, onProgress: (count: number) => void) {
  const executor: Executor = { engine: 'postgres', db };
  await rows?.run(executor, onProgress);
  if (!recast) return [];
  const { name, createSql } = recast.remainingIndex;
  await createIndexConcurrently(db, name, () => writeUnprepared(executor, createSql));
  return undefined;
}

/** Undefined if it fails. The transaction then reports the reason. */
async function buildIndex(
  db: Db,
  { table, name, concurrently }: NonNullable<Step['index']>,
  dropped: ReadonlySet<string>,
  columnNameOf: ColumnNameOf,
): Promise<Fragment[] | undefined> {
  const indexName = dropped.has(name) ? temporaryName(name) : name;
  const createIndex = () => writeUnprepared({ engine: 'postgres', db }, concurrently(indexName, columnNameOf(table)));
  try {
    await createIndexConcurrently(db, indexName, createIndex);
  } catch {
    return undefined;
  }
  return indexName === name ? [] : [raw(`alter index ${quoted(indexName)} rename to ${quoted(name)}`)];
}
