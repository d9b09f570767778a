import { sql } from 'kysely';
import type { Database, Db } from '../../../src/database/database.ts';
import type { FixedIndex, Report } from '../../../src/database/migration.ts';
import { withoutTableLocks } from '../../../src/database/without-table-locks.ts';

/** `createIndex` runs CREATE INDEX CONCURRENTLY IF NOT EXISTS. A failed index is dropped. */
export async function createIndexConcurrently(db: Db, name: string, createIndex: () => Promise<unknown>) {
  const drop = () => sql`drop index concurrently if exists ${sql.ref(name)}`.execute(db);
  const { rows } = await sql`select 1 from pg_index join pg_class on pg_class.oid = indexrelid
    where relname = ${name} and relnamespace = current_schema()::regnamespace and not indisvalid`.execute(db);
  // An interrupted attempt has left an invalid index.
  if (rows.length > 0) await drop();
  try {
    await createIndex();
  } catch (error) {
    await drop();
    throw error;
  }
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
