import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { openDatabase } from '../../../src/database/open-database.ts';
import { OperatorError } from '../../../src/platform/errors.ts';
import { PostgresTables } from './postgres-tables.ts';
import { SqliteTables } from './sqlite-tables.ts';
import type { TableReader, TableWriter } from './tables.ts';

export interface Location {
  readonly databaseUrl: string;
  readonly workingDir: string;
}

export const fileOf = ({ databaseUrl, workingDir }: Location): string | undefined =>
  databaseUrl.startsWith('sqlite:') ? resolve(workingDir, databaseUrl.slice('sqlite:'.length)) : undefined;

/** One connection holds the locks, others do the work. */
const connections = 4;

/** A database to be copied. It is locked against changes until it is closed. */
export async function openSource(location: Location): Promise<TableReader> {
  const path = fileOf(location);
  if (path === undefined) return PostgresTables.source(await openPostgres(location));
  if (!existsSync(path)) throw new OperatorError(`There is no database at ${path}.`);
  return new SqliteTables(path);
}

/** A database that `prepareTarget` has prepared. */
export async function openTarget(location: Location): Promise<TableWriter> {
  const path = fileOf(location);
  return path === undefined ? PostgresTables.target(await openPostgres(location)) : new SqliteTables(path);
}

const openPostgres = (location: Location) => openDatabase({ ...location, databasePoolSize: connections });
