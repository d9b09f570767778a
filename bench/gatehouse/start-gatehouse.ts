import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Engine } from '../../src/database/database.ts';
import { type ServerProcess, startServer } from '../measure/server-process.ts';
import { administrator, firstPartyClient } from './first-accounts.ts';
import { gatehouseOperations } from './operations.ts';
import { createDatabase, runSql } from './run-sql.ts';
import { type Rows, seedStatements } from './seed.ts';

/** This checkout, built. */
const here = fileURLToPath(new URL('../..', import.meta.url));

/** A Gatehouse with its own data that can be started and stopped. */
export interface PreparedGatehouse {
  readonly engine: Engine;
  readonly databaseUrl: string;
  start(nodeOptions?: readonly string[], more?: Readonly<Record<string, string>>): Promise<ServerProcess>;
  remove(): void;
}

/**
 * Creates the database with a first start, then a client, then the rows. `root`: the checkout whose build is started.
 */
export async function prepareGatehouse(
  engine: Engine,
  rows: Rows,
  postgresUrl?: string,
  { root = here, name = `Gatehouse (${engine})` } = {},
): Promise<PreparedGatehouse> {
  const program = join(root, 'dist/cli/main.js');
  const { serviceOptions } = (await import(pathToFileURL(join(root, 'bin/service-options.mjs')).href)) as {
    serviceOptions: readonly string[];
  };
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const databaseUrl =
    engine === 'sqlite' ? `sqlite:${join(dir, 'gatehouse.db')}` : await createDatabase(postgresUrl as string);
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dir,
    RESOURCES_DIR: join(root, 'bench/gatehouse/resources'),
    RATE_LIMIT: '0',
    REGISTRATION_LIMIT: '0',
    LOG_LEVEL: 'warn',
    ADMIN_EMAIL: administrator.email,
    ADMIN_PASSWORD: administrator.password,
    CLIENT_WEB_ADMIN_ID: firstPartyClient.id,
    CLIENT_WEB_ADMIN_SECRET: firstPartyClient.secret,
    REFRESH_GRACE: '10',
    DRAIN_SECONDS: '0',
  };
  const launch = { name, args: [program, 'serve'], env, cwd: dir, databaseUrl, ready: '/health/live' };
  await (await startServer({ ...launch, operations: async () => ({}) })).stop();
  const client = JSON.parse(
    execFileSync(process.execPath, [program, 'client', 'create', 'Bench', '--owner', administrator.email, '--json'], {
      cwd: dir,
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    }),
  ) as { client_id: string; client_secret: string };
  await runSql(databaseUrl, seedStatements(engine, rows));
  return {
    engine,
    databaseUrl,
    start: (nodeOptions = [], more = {}) =>
      startServer({
        ...launch,
        env: { ...env, ...more },
        args: [...serviceOptions, ...nodeOptions, ...launch.args],
        operations: (url) => gatehouseOperations(url, client),
      }),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
