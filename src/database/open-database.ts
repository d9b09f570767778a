import { resolve } from 'node:path';
import type { Database } from './database.ts';
import { openSqlite } from './sqlite.ts';

interface Location {
  readonly databaseUrl: string;
  readonly databasePoolSize: number;
  readonly workingDir: string;
}

/** Opens what DATABASE_URL names; the tables come from `migrate`. */
export async function openDatabase({ databaseUrl, databasePoolSize, workingDir }: Location): Promise<Database> {
  if (databaseUrl.startsWith('sqlite:')) return openSqlite(resolve(workingDir, databaseUrl.slice('sqlite:'.length)));
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(databaseUrl, databasePoolSize);
}
