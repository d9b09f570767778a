import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../src/config/config.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { createTestDatabase } from './engines.ts';

/** Migrates one database of each engine, and tests get copies. A migration takes longer than most tests. */
export async function makeTemplates(): Promise<() => Promise<void>> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-template-'));
  const postgres = await createTestDatabase('postgres');
  const sqlite = `sqlite:${join(dir, 'template.db')}`;
  for (const url of [sqlite, postgres.url]) {
    const database = await openDatabase(parseConfig({}, { DATABASE_URL: url, DATA_DIR: dir }, dir));
    await migrate(database);
    await database.close();
  }
  process.env.TEST_SQLITE_TEMPLATE = join(dir, 'template.db');
  process.env.TEST_POSTGRES_TEMPLATE = postgres.url;
  return async () => {
    await postgres.remove();
    rmSync(dir, { recursive: true, force: true });
  };
}
