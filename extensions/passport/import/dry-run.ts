import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../../../src/config/config.ts';
import type { Context } from '../../../src/database/context.ts';
import type { Database } from '../../../src/database/database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { openDatabase } from '../../../src/database/open-database.ts';
import { copyTables } from './copy-store.ts';

/** Runs work on a copy, in a temporary folder, of what the service has: everything is as it would be, and nothing stays. */
export async function onCopy<T>(context: Omit<Context, 'database'>, work: (copy: Context) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-dry-run-'));
  const { config } = context;
  const copied: Config = { ...config, databaseUrl: `sqlite:${join(dir, 'copy.db')}`, dataDir: dir };
  try {
    const database = await openDatabase(copied);
    try {
      await migrate(database, context.now);
      await withExisting(config, (existing) => copyTables(existing, database));
      return await work({ ...context, config: copied, database });
    } finally {
      await database.close();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Before the first start there is none, and none is made. */
async function withExisting(config: Config, work: (database: Database) => Promise<void>): Promise<void> {
  const { databaseUrl, workingDir } = config;
  if (databaseUrl.startsWith('sqlite:') && !existsSync(resolve(workingDir, databaseUrl.slice('sqlite:'.length))))
    return;
  const database = await openDatabase(config);
  try {
    await work(database);
  } finally {
    await database.close();
  }
}
