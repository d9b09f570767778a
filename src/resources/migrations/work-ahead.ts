import { besideWriters, makeIndex } from '../../database/beside-writers.ts';
import type { Database, Db } from '../../database/database.ts';
import { underMigrationLock } from '../../database/migration-lock.ts';
import { type BeginProgress, shownSteps, unwatched } from '../../progress.ts';
import { writeOnce } from '../sql/executor.ts';
import { fillFolded } from './fill-folded.ts';
import type { Step } from './migration-steps.ts';

/**
 * What takes long on a large table of PostgreSQL is done before the transaction that holds it: rows are folded a few at a
 * time, and indexes are made beside those who write. Adds only, may be cut off at any moment, and does nothing twice.
 * Returns the steps that are done. `tables`: those that are there.
 */
export async function workAhead(
  database: Database,
  steps: readonly Step[],
  tables: ReadonlySet<string>,
  progress: BeginProgress = unwatched,
): Promise<ReadonlySet<string>> {
  const dropped = new Set(steps.flatMap(({ dropsIndex }) => dropsIndex ?? []));
  const columns = steps.filter(({ column }) => column && tables.has(column.table));
  const indexes = steps.filter(({ index }) => index && tables.has(index.table) && !dropped.has(index.name));
  const isWorthIt = indexes.length > 0 || columns.some(({ fill }) => fill);
  if (database.engine === 'sqlite' || !isWorthIt) return new Set();
  await underMigrationLock(database, async (tx) => {
    for (const { column } of columns)
      for (const statement of column?.statements ?? []) await writeOnce({ engine: 'postgres', db: tx }, statement);
  });
  const filled = columns.filter(({ fill }) => fill);
  const shown = shownSteps(progress);
  return besideWriters(database, async (db) => {
    try {
      for (const { says, fill } of filled) {
        shown.next(says, filled.length + indexes.length);
        if (fill) await fillFolded({ engine: 'postgres', db }, fill, shown.rows);
      }
      const made: Step[] = [];
      for (const step of indexes) {
        shown.next(step.says, indexes.length);
        if (await isMade(db, step)) made.push(step);
      }
      return new Set([...columns, ...made].map(({ says }) => says));
    } finally {
      shown.end();
    }
  });
}

/** False where it cannot be made: the transaction says why. */
async function isMade(db: Db, { index }: Step): Promise<boolean> {
  if (!index) return false;
  return makeIndex(db, index.name, () => writeOnce({ engine: 'postgres', db }, index.concurrently)).then(
    () => true,
    () => false,
  );
}
