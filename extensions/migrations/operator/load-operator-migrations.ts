import type { Logger } from 'pino';
import type { Database, Db, Tx } from '../../../src/database/database.ts';
import { OperatorError, reasonOf } from '../../../src/platform/errors.ts';
import type { ResourceDefinition } from '../../../src/resources/declaration/define-resource.ts';
import { loadMigrationFiles, pendingMigrationFiles } from '../../../src/resources/schemas/migration-files.ts';
import { recordTables, type WatchedTransaction } from '../steps/record-tables.ts';
import { recordOperatorMigration } from '../steps/schema-store.ts';
import type { OwnMigration } from './define-migration.ts';
import { type MigrationServices, migrationResources } from './migration-resources.ts';

/** The migrations of the operator. Each runs once. */
export interface OperatorMigrations {
  readonly names: readonly string[];
  pending(db: Db | Tx): Promise<readonly string[]>;
  /** Returns a text for each migration, and the tables that the migrations may have written. */
  run(
    tx: Tx,
    definitions: readonly ResourceDefinition[],
    onBegin?: (name: string) => void,
  ): Promise<{ readonly descriptions: readonly string[] } & Pick<WatchedTransaction, 'names'>>;
}

/** The migrations of the folder. Undefined if it has none. */
export async function loadOperatorMigrations(
  dir: string,
  { engine }: Pick<Database, 'engine'>,
  { now, log, services }: { now: () => number; log: Pick<Logger, 'info' | 'warn'>; services(): MigrationServices },
): Promise<OperatorMigrations | undefined> {
  const files = await loadMigrationFiles<OwnMigration>(dir);
  if (files.length === 0) return undefined;
  return {
    names: files.map(({ name }) => name),
    pending: async (db) => (await pendingMigrationFiles(db, files)).map(({ name }) => name),
    async run(migrationTx, definitions, onBegin = () => undefined) {
      const recorded = recordTables(migrationTx);
      const { tx } = recorded;
      const resource = migrationResources(services(), migrationTx, definitions);
      const descriptions: string[] = [];
      for (const { name, file, migration } of await pendingMigrationFiles(migrationTx, files)) {
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
