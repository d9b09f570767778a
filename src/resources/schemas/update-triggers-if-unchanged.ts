import type { Database, Db, Tx } from '../../database/database.ts';
import { withMigrationLock } from '../../database/locks/migration-lock.ts';
import { countRowChanges } from '../../database/postgres/batching/count-row-changes.ts';
import type { ResourceDefinition } from '../declaration/define-resource.ts';
import { lacksValues } from './columns-with-default.ts';
import { type MigrationFile, pendingMigrationFiles } from './migration-files.ts';
import { readSchemas } from './schema-store.ts';
import { declaredSchemas, withStoredNames } from './storage-schema.ts';
import { updateTriggers } from './table-triggers.ts';

/**
 * If every table has its declared schema and no migration is pending, updates the triggers, which also depend on other parts of a
 * declaration, and returns true. Otherwise changes nothing and returns false.
 */
export async function updateTriggersIfUnchanged(
  database: Database,
  definitions: readonly ResourceDefinition[],
  migrationFiles: readonly Pick<MigrationFile<unknown>, 'name'>[],
): Promise<boolean> {
  const { engine, db } = database;
  // On SQLite, this can read many rows, so it precedes the write transaction. On PostgreSQL, it is done while the service runs.
  if (engine === 'sqlite') {
    const { schemas, isChanged } = await compareSchemas(db, definitions);
    // If the read reaches READ_TIMEOUT, the migration repeats it without a limit.
    if (isChanged || (await lacksValues({ engine, db }, schemas).catch(() => true))) return false;
  }
  return withMigrationLock(database, async (tx) => {
    const { namedDefinitions, schemas, isChanged } = await compareSchemas(tx, definitions);
    if (isChanged || (await pendingMigrationFiles(tx, migrationFiles)).length > 0) return false;
    await updateTriggers(engine, tx, namedDefinitions);
    const tables = schemas.map(({ table }) => table);
    if (engine === 'postgres') await countRowChanges(tx, tables);
    return true;
  });
}

async function compareSchemas(db: Db | Tx, definitions: readonly ResourceDefinition[]) {
  const stored = await readSchemas(db);
  const namedDefinitions = withStoredNames(definitions, stored);
  const declared = declaredSchemas(namedDefinitions);
  const isChanged = [...declared].some(([name, schema]) => JSON.stringify(stored.get(name)) !== JSON.stringify(schema));
  return { namedDefinitions, schemas: [...declared.values()], isChanged };
}
