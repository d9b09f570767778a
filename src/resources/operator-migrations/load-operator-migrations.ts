import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { importFile } from '../../config/import-file.ts';
import type { Database, OperatorTx } from '../../database/database.ts';
import { OperatorError, reasonOf } from '../../platform/errors.ts';
import { checkOptions } from '../declaration/check-options.ts';
import { callback } from '../declaration/option-kind.ts';
import type { OwnMigrations } from '../migrations/migrate-resources.ts';
import { watchTables } from '../migrations/named-tables.ts';
import type { OwnMigration } from './define-migration.ts';
import { type MigrationServices, migrationResources } from './migration-resources.ts';
import { appliedOwn, noteOwn } from './operator-migration-store.ts';

const isMigration = (name: string): boolean => /\.(ts|js|mjs)$/.test(name) && !/\.(d|test)\.\w+$/.test(name);

interface Loaded {
  /** The name of the file, without its extension: what is remembered. */
  readonly name: string;
  readonly file: string;
  readonly migration: OwnMigration;
}

interface Means {
  readonly now: () => number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** The services that migrations write resources with. */
  services(): MigrationServices;
}

/** The migrations of the folder, in the order of their names. Those that another version brought and this one lacks are let be. */
export async function loadOperatorMigrations(
  dir: string,
  { engine }: Pick<Database, 'engine'>,
  { now, log, services }: Means,
): Promise<OwnMigrations | undefined> {
  const loaded: Loaded[] = [];
  for (const entry of existsSync(dir) ? readdirSync(dir).filter(isMigration).sort() : []) {
    const file = join(dir, entry);
    loaded.push({ name: entry.replace(/\.\w+$/, ''), file, migration: await loadOne(file) });
  }
  if (loaded.length === 0) return undefined;
  const names = loaded.map(({ name }) => name);
  return {
    names,
    async pending(db) {
      const applied = await appliedOwn(db);
      return names.filter((name) => !applied.has(name));
    },
    async run(plain, definitions, begins = () => undefined) {
      const applied = await appliedOwn(plain);
      const watched = watchTables(plain);
      const { tx } = watched;
      const resource = migrationResources(services(), plain, definitions);
      const done: string[] = [];
      for (const { name, file, migration } of loaded) {
        if (applied.has(name)) continue;
        begins(name);
        try {
          await migration.up({ tx: tx as OperatorTx, resource, engine, now: now(), log });
        } catch (error) {
          const why = reasonOf(error);
          throw new OperatorError(`${file} failed, and nothing was changed: ${why}`);
        }
        await noteOwn(plain, name, now());
        done.push(`run the migration ${name}`);
      }
      return { done, names: watched.names };
    },
  };
}

async function loadOne(file: string): Promise<OwnMigration> {
  const { default: migration } = await importFile(file);
  const complaints: string[] = [];
  if (typeof migration !== 'object' || migration === null)
    complaints.push('it must `export default defineMigration({ up })`.');
  else {
    checkOptions('', migration, { up: callback }, (where, what) => complaints.push(`${where}: ${what}`));
    if (!('up' in migration)) complaints.push('up is missing: the function that does the work.');
  }
  if (complaints.length > 0) throw new OperatorError(`${file}:\n  ${complaints.join('\n  ')}`);
  return migration as OwnMigration;
}
