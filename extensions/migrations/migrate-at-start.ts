import type { Context } from '../../src/database/context.ts';
import type { ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import { applyResourceMigrations } from './migrate-resources.ts';
import { loadOperatorMigrations } from './operator/load-operator-migrations.ts';
import type { MigrationServices } from './operator/migration-resources.ts';

/** The work that needs no lock is left to `finishMigrations`. Without `services`, the operator's migrations do not run. */
export async function migrateAtStart(
  { config, database, log, now, progress }: Context,
  definitions: readonly ResourceDefinition[],
  services: MigrationServices | undefined,
): Promise<string[]> {
  const operatorMigrations =
    services && (await loadOperatorMigrations(config.migrationsDir, database, { now, log, services: () => services }));
  const report = (line: string) => log.info(line);
  return applyResourceMigrations(database, definitions, { now, operatorMigrations, report, progress, later: true });
}
