import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { FixedIndex, Report } from '../../database/migration.ts';
import { createMissingIndexes, findMissing, withoutTableLocks } from '../../database/without-table-locks.ts';
import type { Executor } from '../sql/executor.ts';
import { defaultedColumns, missingDefaults } from './fill-defaults.ts';
import { indexOn } from './migration-steps.ts';
import { readSchemas } from './schema-store.ts';
import type { TableSchema } from './storage-schema.ts';

/** On PostgreSQL: finishes work of migrations that needs no lock. Only `gatehouse migrate` waits for it. */
export async function finishMigrations(
  database: Database,
  fixed: readonly FixedIndex[],
  report: Report = () => undefined,
): Promise<void> {
  if (database.engine === 'sqlite') return;
  const schemas = [...(await readSchemas(database.db)).values()];
  const declared = await findMissing(database, declaredIndexes(schemas));
  await createMissingIndexes(database, [...fixed, ...declared], report);
  await validateReferences(database, schemas, report);
  if (schemas.every((schema) => defaultedColumns(schema).length === 0)) return;
  await withoutTableLocks(database, async (db) => {
    const executor: Executor = { engine: 'postgres', db };
    for (const { description, rows } of await missingDefaults(executor, schemas)) {
      await rows?.run(executor);
      report(`Done while the service was in use: ${description}.`);
    }
  });
}

const declaredIndexes = (schemas: readonly TableSchema[]): FixedIndex[] =>
  schemas.flatMap(({ table, columns, indexes }) =>
    Object.entries(indexes)
      .filter(([, index]) => !index.unique && !index.columns.some((column) => columns[column]?.unnamed))
      .map(([name, index]) => ({ name, on: indexOn('postgres', table, index) })),
  );

/** Validates references without locking the tables. If a row violates a reference, the next start tries again. */
async function validateReferences(database: Database, schemas: readonly TableSchema[], report: Report): Promise<void> {
  const tables = schemas.map(({ table }) => table);
  const { rows } = await sql<{ table: string; name: string }>`select relname as "table", conname as name
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where contype = 'f' and not convalidated and relnamespace = current_schema()::regnamespace
      and relname = any(${tables})`.execute(database.db);
  if (rows.length === 0) return;
  await withoutTableLocks(database, async (db) => {
    for (const { table, name } of rows) {
      await sql`alter table ${sql.ref(table)} validate constraint ${sql.ref(name)}`
        .execute(db)
        .catch((error: Error) => report(`Rows of "${table}" break a reference that is declared: ${error.message}`));
    }
  });
}
