import type { Context } from '../../src/database/context.ts';
import type { ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import { applyResourceMigrations } from './migrate-resources.ts';
import { loadOperatorMigrations } from './operator/load-operator-migrations.ts';
import type { MigrationServices } from './operator/migration-resources.ts';

/** Leaves work that needs no lock to `finishMigrations`. The operator's migrations need `services` to write resources. */
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
