import { sql } from 'kysely';
import { besideWriters, makeIndex } from './beside-writers.ts';
import type { Database } from './database.ts';
import type { FixedIndex, Report } from './migration.ts';

/**
 * On PostgreSQL: makes the indexes that migrations add to tables with rows, beside those who write. Looked for at every start, so that one
 * that was cut off is made by the next. A service works without them, more slowly.
 */
export async function makeMissingIndexes(
  database: Database,
  indexes: readonly FixedIndex[],
  report: Report,
): Promise<void> {
  if (database.engine === 'sqlite' || indexes.length === 0) return;
  const { rows } = await sql<{ name: string }>`select relname as name from pg_index
    join pg_class on pg_class.oid = indexrelid
    where relname = any(${indexes.map(({ name }) => name)}) and relnamespace = current_schema()::regnamespace
      and indisvalid`.execute(database.db);
  const there = new Set(rows.map(({ name }) => name));
  const missing = indexes.filter(({ name }) => !there.has(name));
  if (missing.length === 0) return;
  await besideWriters(database, async (db) => {
    for (const { name, on } of missing) {
      const make = () => sql.raw(`create index concurrently if not exists ${name} on ${on}`).execute(db);
      await makeIndex(db, name, make).catch((error: Error) =>
        report(`The index ${name} could not be made (${error.message}). The next start tries again.`),
      );
    }
  });
}
