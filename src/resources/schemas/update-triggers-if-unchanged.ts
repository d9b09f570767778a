import type { Database } from '../../database/database.ts';
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
  const { engine } = database;
  return withMigrationLock(database, async (tx) => {
    const stored = await readSchemas(tx);
    const namedDefinitions = withStoredNames(definitions, stored);
    const declared = declaredSchemas(namedDefinitions);
    const schemas = [...declared.values()];
    const isChanged = [...declared].some(
      ([name, schema]) => JSON.stringify(stored.get(name)) !== JSON.stringify(schema),
    );
    if (isChanged || (await pendingMigrationFiles(tx, migrationFiles)).length > 0) return false;
    // On PostgreSQL, this is checked while the service runs.
    if (engine === 'sqlite' && (await lacksValues({ engine, db: tx }, schemas))) return false;
    await updateTriggers(engine, tx, namedDefinitions);
    const tables = schemas.map(({ table }) => table);
    if (engine === 'postgres') await countRowChanges(tx, tables);
    return true;
  });
}
