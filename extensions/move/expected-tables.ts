import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine, Tx } from '../../src/database/database.ts';
import { withMigrationLock } from '../../src/database/locks/migration-lock.ts';
import { runPending } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import type { TableSchema } from '../../src/resources/schemas/storage-schema.ts';
import { writeUnprepared } from '../../src/resources/sql/executor.ts';
import { createTables } from '../migrations/steps/migration-steps.ts';
import { SqliteTables } from './tables/sqlite-tables.ts';
import { type CopiedTable, isCopied } from './tables/tables.ts';

/** Creates the tables of the resources as they are in another database, regardless of the current declarations. */
export async function makeResourceTables(engine: Engine, tx: Tx, schemas: readonly TableSchema[]): Promise<void> {
  for (const statement of createTables(engine, schemas).flatMap(({ statements }) => statements))
    await writeUnprepared({ engine, db: tx }, statement);
}

/** The tables of this version with these resources. Found by creating them in a temporary database. */
export async function expectedTables(schemas: readonly TableSchema[]): Promise<ReadonlyMap<string, CopiedTable>> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-move-'));
  const path = join(dir, 'tables.db');
  try {
    const database = await openDatabase({ databaseUrl: `sqlite:${path}`, databasePoolSize: 1, workingDir: dir });
    try {
      await withMigrationLock(database, async (tx) => {
        await runPending(database, tx, database.now);
        await makeResourceTables('sqlite', tx, schemas);
      });
    } finally {
      await database.close();
    }
    const tables = new SqliteTables(path);
    try {
      return await tables.tables();
    } finally {
      await tables.close();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The tables to copy. Rejects tables that would be left behind silently. */
export function chooseTables(
  found: ReadonlyMap<string, CopiedTable>,
  expected: ReadonlyMap<string, CopiedTable>,
  without: readonly string[],
): CopiedTable[] {
  const foreign = [...found.keys()].filter((name) => !expected.has(name));
  const unwanted = foreign.filter((name) => !without.includes(name));
  if (unwanted.length > 0) {
    throw new OperatorError(
      `Gatehouse did not create these tables and cannot move them: ${unwanted.join(', ')}. Move them yourself, and add --without ${unwanted.join(' ')}`,
    );
  }
  const needless = without.filter((name) => !foreign.includes(name));
  if (needless.length > 0) {
    throw new OperatorError(
      `--without: Gatehouse would not leave out ${needless.join(', ')}. Remove the name from --without.`,
    );
  }
  const missing = [...expected.keys()].filter((name) => !found.has(name));
  if (missing.length > 0) throw new OperatorError(`The database lacks tables of this version: ${missing.join(', ')}.`);
  const tables = [...found.values()].filter(({ name }) => isCopied(name) && expected.has(name));
  for (const table of tables) checkColumns(table, expected.get(table.name) as CopiedTable);
  return tables;
}

function checkColumns({ name, columns }: CopiedTable, expected: CopiedTable): void {
  const names = new Set(expected.columns.map((column) => column.name));
  const other = columns.filter((column) => !names.has(column.name) || column.kind === undefined);
  if (other.length === 0 && columns.length === names.size) return;
  const which = other.map((column) => `${column.name} (${column.type})`).join(', ') || 'some are missing';
  throw new OperatorError(`The columns of ${name} differ from those of this version: ${which}. Correct them first.`);
}
