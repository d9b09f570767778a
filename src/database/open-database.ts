import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { settings } from '../config/settings/settings.ts';
import type { Database } from './database.ts';
import type { OpenReplicas } from './postgres/postgres.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import { traceSqlite } from './statement-span.ts';

type Location = Pick<Config, 'databaseUrl' | 'databasePoolSize' | 'workingDir'> &
  Partial<Pick<Config, 'databaseListenUrl' | 'databaseReplicaUrls' | 'readTimeout' | 'workers'>>;

/** Without `openReplicas`, all reads go to the primary. */
export async function openDatabase(location: Location, openReplicas?: OpenReplicas): Promise<Database> {
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
    openReplicas,
  });
}
