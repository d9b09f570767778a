import type { Context } from '../database/context.ts';
import type { Database } from '../database/database.ts';
import type { FixedIndex, Report } from '../database/migration.ts';
import type { ResourceServices } from '../resources/model/resource-services.ts';
import { loadMigrationFiles } from '../resources/schemas/migration-files.ts';
import { hasUnfinishedWork } from '../resources/schemas/unfinished-work.ts';
import { updateTriggersIfUnchanged } from '../resources/schemas/update-triggers-if-unchanged.ts';
import type { MigrateResources } from './prepare-resources.ts';

/**
 * Loads the extension if a table differs from its declaration, or if a migration of the operator is pending. Without `services`, the
 * operator's migrations do not run.
 */
export async function openMigrations(
  context: Context,
  services?: Omit<ResourceServices, 'context' | 'resources'>,
): Promise<MigrateResources> {
  const files = services ? await loadMigrationFiles(context.config.migrationsDir) : [];
  return async (definitions) => {
    if (await updateTriggersIfUnchanged(context.database, definitions, files)) return [];
    const { migrateAtStart } = await import('../../extensions/migrations/migrate-at-start.ts');
    return migrateAtStart(context, definitions, services && { ...services, context });
  };
}

/** Loads the extension if a migration has left work for a running service. */
export async function finishMigrations(database: Database, missing: readonly FixedIndex[], report: Report) {
  if (missing.length === 0 && !(await hasUnfinishedWork(database))) return;
  const extension = await import('../../extensions/migrations/steps/finish-migrations.ts');
  await extension.finishMigrations(database, missing, report);
}
