import { sql } from 'kysely';
import type { Database } from '../../../src/database/database.ts';
import type { FixedIndex, Report } from '../../../src/database/migration.ts';
import { findMissing, withoutTableLocks } from '../../../src/database/without-table-locks.ts';
import { canLackValues } from '../../../src/resources/schemas/columns-with-default.ts';
import { readTableSchemas } from '../../../src/resources/schemas/schema-store.ts';
import type { TableSchema } from '../../../src/resources/schemas/storage-schema.ts';
import { findUnvalidatedReferences, indexesForReads } from '../../../src/resources/schemas/unfinished-work.ts';
import type { Executor } from '../../../src/resources/sql/executor.ts';
import { createMissingIndexes } from './create-indexes.ts';
import { missingValues } from './fill-defaults.ts';
import { indexOn } from './migration-steps.ts';

/** On PostgreSQL: finishes work of migrations that needs no lock. Only `gatehouse migrate` waits for it. */
export async function finishMigrations(
  database: Database,
  fixed: readonly FixedIndex[],
  report: Report = () => undefined,
): Promise<void> {
  if (database.engine === 'sqlite') return;
  const schemas = await readTableSchemas(database.db);
  const declared = await findMissing(database, indexesForReads(schemas));
  const indexes = declared.map(({ name, table, index }) => ({ name, on: indexOn('postgres', table, index) }));
  await createMissingIndexes(database, [...fixed, ...indexes], report);
  await validateReferences(database, schemas, report);
  if (!canLackValues(schemas)) return;
  await withoutTableLocks(database, async (db) => {
    const executor: Executor = { engine: 'postgres', db };
    for (const { description, rows } of await missingValues(executor, schemas)) {
      await rows?.run(executor);
      report(`Done while the service was in use: ${description}.`);
    }
  });
}

/** Validates references without locking the tables. If a row violates a reference, the next start tries again. */
async function validateReferences(database: Database, schemas: readonly TableSchema[], report: Report): Promise<void> {
  const references = await findUnvalidatedReferences(database, schemas);
  if (references.length === 0) return;
  await withoutTableLocks(database, async (db) => {
    for (const { table, name } of references) {
      await sql`alter table ${sql.ref(table)} validate constraint ${sql.ref(name)}`
        .execute(db)
        .catch((error: Error) => report(`Rows of "${table}" break a reference that is declared: ${error.message}`));
    }
  });
}
