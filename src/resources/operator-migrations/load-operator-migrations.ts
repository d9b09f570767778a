import { basename, extname } from 'node:path';
import type { Logger } from 'pino';
import { modulesIn } from '../../config/import-file.ts';
import type { Database } from '../../database/database.ts';
import { OperatorError, reasonOf } from '../../platform/errors.ts';
import { importDefinition } from '../declaration/check-options.ts';
import type { OperatorMigrations } from '../migrations/migrate-resources.ts';
import { recordTables } from '../migrations/record-tables.ts';
import type { OwnMigration } from './define-migration.ts';
import { type MigrationServices, migrationResources } from './migration-resources.ts';
import { appliedOperatorMigrations, recordOperatorMigration } from './operator-migration-store.ts';

interface LoadedMigration {
  /** The name of the file without its extension. The database stores it. */
  readonly name: string;
  readonly file: string;
  readonly migration: OwnMigration;
}

/** The migrations of the folder, in the order of their names. Applied migrations that are not in the folder are ignored. */
export async function loadOperatorMigrations(
  dir: string,
  { engine }: Pick<Database, 'engine'>,
  { now, log, services }: { now: () => number; log: Pick<Logger, 'info' | 'warn'>; services(): MigrationServices },
): Promise<OperatorMigrations | undefined> {
  const loaded: LoadedMigration[] = [];
  for (const file of modulesIn(dir)) {
    const migration = await importDefinition<OwnMigration>(file, 'defineMigration', 'up');
    loaded.push({ name: basename(file, extname(file)), file, migration });
  }
  if (loaded.length === 0) return undefined;
  const names = loaded.map(({ name }) => name);
  return {
    names,
    async pending(db) {
      const applied = await appliedOperatorMigrations(db);
      return names.filter((name) => !applied.has(name));
    },
    async run(migrationTx, definitions, onBegin = () => undefined) {
      const applied = await appliedOperatorMigrations(migrationTx);
      const recorded = recordTables(migrationTx);
      const { tx } = recorded;
      const resource = migrationResources(services(), migrationTx, definitions);
      const descriptions: string[] = [];
      for (const { name, file, migration } of loaded) {
        if (applied.has(name)) continue;
        onBegin(name);
        try {
          await migration.up({ tx, resource, engine, now: now(), log });
        } catch (error) {
          const reason = reasonOf(error);
          throw new OperatorError(`${file} failed, and nothing was changed: ${reason}`);
        }
        await recordOperatorMigration(migrationTx, name, now());
        descriptions.push(`run the migration ${name}`);
      }
      return { descriptions, names: recorded.names };
    },
  };
}
