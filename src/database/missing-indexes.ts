import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { FixedIndex, Report } from './migration.ts';
import { createIndexConcurrently, withoutTableLocks } from './without-table-locks.ts';

/** The indexes that do not exist or are invalid. On SQLite the migrations create them. */
export async function findMissing(database: Database, indexes: readonly FixedIndex[]): Promise<FixedIndex[]> {
  if (database.engine === 'sqlite' || indexes.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select relname as name from pg_index
    join pg_class on pg_class.oid = indexrelid
    where relname = any(${indexes.map(({ name }) => name)}) and relnamespace = current_schema()::regnamespace
      and indisvalid`.execute(database.db);
  const existing = new Set(rows.map(({ name }) => name));
  return indexes.filter(({ name }) => !existing.has(name));
}

/** Creates indexes without locking tables. The service also runs without them, but more slowly. Only `gatehouse migrate` waits for this. */
export async function createMissingIndexes(
  database: Database,
  missing: readonly FixedIndex[],
  report: Report = () => undefined,
): Promise<void> {
  if (missing.length === 0) return;
  await withoutTableLocks(database, async (db) => {
    for (const { name, on } of missing) {
      const createIndex = () =>
        sql`create index concurrently if not exists ${sql.ref(name)} on ${sql.raw(on)}`.execute(db);
      await createIndexConcurrently(db, name, createIndex).catch((error: Error) =>
        report(`The index ${name} could not be created (${error.message}). Gatehouse tries again at the next start.`),
      );
    }
  });
}
