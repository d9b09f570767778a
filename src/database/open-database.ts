import { resolve } from 'node:path';
import { settings } from '../config/settings/settings.ts';
import type { Database } from './database.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import { traceSqlite } from './statement-span.ts';

interface Location {
  readonly databaseUrl: string;
  /** The address of the server without the pooler, for invalidations. */
  readonly databaseListenUrl?: string;
  readonly databaseReplicaUrls?: readonly string[];
  readonly databasePoolSize: number;
  /** The time limit of a read in seconds. */
  readonly readTimeout?: number;
  readonly workingDir: string;
  readonly workers?: number;
}

/** Opens the database of DATABASE_URL. `migrate` creates the tables. */
export async function openDatabase(location: Location): Promise<Database> {
  const { databaseUrl, readTimeout = settings.readTimeout.default, workingDir, workers = 1 } = location;
  if (databaseUrl.startsWith('sqlite:')) {
    const path = resolve(workingDir, databaseUrl.slice('sqlite:'.length));
    return traceSqlite(openSqlite(path, readTimeout, workers === 1));
  }
  const { openPostgres } = await import('./postgres/postgres.ts');
  return openPostgres({
    url: databaseUrl,
    listenUrl: location.databaseListenUrl ?? '',
    poolSize: location.databasePoolSize,
    readSeconds: readTimeout,
    replicaUrls: location.databaseReplicaUrls ?? [],
  });
}
