import type { Database, Db } from '../../database/database.ts';
import type { FixedIndex, Report } from '../../database/migration.ts';
import { createMissingIndexes, findMissing } from '../../database/missing-indexes.ts';
import { withoutTableLocks } from '../../database/without-table-locks.ts';
import type { Executor } from '../sql/executor.ts';
import { defaultedColumns, missingDefaults } from './fill-defaults.ts';
import { indexOn } from './migration-steps.ts';
import { readSchemas } from './schema-store.ts';
import { validateReferences } from './validate-references.ts';

/** On PostgreSQL: finishes work of migrations that needs no lock. Only `gatehouse migrate` waits for it. */
export async function finishMigrations(
  database: Database,
  fixed: readonly FixedIndex[],
  report: Report = () => undefined,
): Promise<void> {
  if (database.engine === 'sqlite') return;
  const declared = await findMissing(database, await declaredIndexes(database.db));
  await createMissingIndexes(database, [...fixed, ...declared], report);
  await validateReferences(database, report);
  const schemas = [...(await readSchemas(database.db)).values()];
  if (schemas.every((schema) => defaultedColumns(schema).length === 0)) return;
  await withoutTableLocks(database, async (db) => {
    const executor: Executor = { engine: 'postgres', db };
    for (const { description, withoutLock } of await missingDefaults(executor, schemas)) {
      await withoutLock?.run(executor, () => undefined);
      report(`Done while the service was in use: ${description}.`);
    }
  });
}

/** Indexes of declared resources that only make reads faster. */
async function declaredIndexes(db: Db): Promise<FixedIndex[]> {
  const schemas = [...(await readSchemas(db)).values()];
  return schemas.flatMap(({ table, columns, indexes }) =>
    Object.entries(indexes)
      .filter(([, index]) => !index.unique && !index.columns.some((column) => columns[column]?.unnamed))
      .map(([name, index]) => ({ name, on: indexOn('postgres', table, index) })),
  );
}
