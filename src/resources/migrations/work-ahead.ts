import { sql as kyselySql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import { underMigrationLock } from '../../database/migration-lock.ts';
import { type BeginProgress, shownSteps, unwatched } from '../../progress.ts';
import { writeOnce } from '../sql/executor.ts';
import { fillFolded } from './fill-folded.ts';
import type { Step } from './migration-steps.ts';

/** Any number but that of the migrations: whoever builds indexes holds it. */
const aheadLock = 7_146_353;

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
  return database.db.connection().execute(async (db) => {
    const limit = await takeLock(db);
    if (limit === undefined) return new Set<string>();
    const filled = columns.filter(({ fill }) => fill);
    const shown = shownSteps(progress);
    try {
      for (const { says, fill } of filled) {
        shown.next(says, filled.length + indexes.length);
        if (fill) await fillFolded({ engine: 'postgres', db }, fill, shown.rows);
      }
      const made: Step[] = [];
      for (const step of indexes) {
        shown.next(step.says, indexes.length);
        if (await makeIndex(db, step)) made.push(step);
      }
      return new Set([...columns, ...made].map(({ says }) => says));
    } finally {
      shown.end();
      await kyselySql`select pg_advisory_unlock(${aheadLock})`.execute(db);
      await kyselySql`select set_config('statement_timeout', ${limit}, false)`.execute(db);
    }
  });
}

/** Returns the limit in time that holds for statements afterwards. Undefined while another instance does the same. */
async function takeLock(db: Db): Promise<string | undefined> {
  const { rows } = await kyselySql<{
    taken: boolean;
    limit: string;
  }>`select pg_try_advisory_lock(${aheadLock}) as taken, current_setting('statement_timeout') as limit`.execute(db);
  if (!rows[0]?.taken) return undefined;
  await kyselySql`set statement_timeout = 0`.execute(db);
  return rows[0].limit;
}

/** False where it cannot be made: the transaction says why. */
async function makeIndex(db: Db, { index }: Step): Promise<boolean> {
  if (!index) return false;
  const drop = () => kyselySql`drop index concurrently if exists ${kyselySql.ref(index.name)}`.execute(db);
  const { rows } = await kyselySql`select 1 from pg_index join pg_class on pg_class.oid = indexrelid
    where relname = ${index.name} and relnamespace = current_schema()::regnamespace and not indisvalid`.execute(db);
  // Somebody was cut off while making it.
  if (rows.length > 0) await drop();
  try {
    await writeOnce({ engine: 'postgres', db }, index.concurrently);
    return true;
  } catch {
    await drop();
    return false;
  }
}
