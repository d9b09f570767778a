import { basename, extname } from 'node:path';
import { modulesIn } from '../../config/import-file.ts';
import type { Db, Tx } from '../../database/database.ts';
import { importDefinition } from '../declaration/check-options.ts';
import { appliedOperatorMigrations } from './schema-store.ts';

/** A migration of the operator. */
export interface MigrationFile<M> {
  /** The name of the file without its extension. The database stores it. */
  readonly name: string;
  readonly file: string;
  readonly migration: M;
}

/** The migrations of the folder, in the order of their names. Rejects a file that is no migration, even if it ran in the past. */
export async function loadMigrationFiles<M extends { up: unknown }>(dir: string): Promise<MigrationFile<M>[]> {
  const loaded: MigrationFile<M>[] = [];
  for (const file of modulesIn(dir)) {
    const migration = await importDefinition<M>(file, 'defineMigration', 'up');
    loaded.push({ name: basename(file, extname(file)), file, migration });
  }
  return loaded;
}

/** The migrations that have not run. Those that have run and are not in the folder any more are ignored. */
export async function pendingMigrationFiles<F extends Pick<MigrationFile<unknown>, 'name'>>(
  db: Db | Tx,
  files: readonly F[],
): Promise<F[]> {
  if (files.length === 0) return [];
  const applied = await appliedOperatorMigrations(db);
  return files.filter(({ name }) => !applied.has(name));
}
