import { resolve } from 'node:path';
import { isPostgresUrl, percentEncode } from '../../../src/config/settings/server-url.ts';
import { OperatorError } from '../../../src/platform/errors.ts';
import type { Source } from './source.ts';
import { openSqliteSource } from './sqlite-source.ts';

/** Opens the database of `--from`. Drivers are loaded on demand. */
export async function openSource(from: string, workingDir: string): Promise<Source> {
  if (from.startsWith('sqlite:')) return openSqliteSource(resolve(workingDir, from.slice('sqlite:'.length)));
  const isUrl = isPostgresUrl(from.replace(/^(mysql|mariadb):/, 'postgres:'));
  if (isUrl && from.startsWith('postgres')) {
    const { openPostgresSource } = await import('./postgres-source.ts');
    return openPostgresSource(from);
  }
  if (isUrl) {
    const { openMysqlSource } = await import('./mysql-source.ts');
    return openMysqlSource(from);
  }
  throw new OperatorError(
    `--from takes mysql://USER:PASSWORD@HOST:PORT/NAME, postgres://… or sqlite:PATH${percentEncode}.`,
  );
}
