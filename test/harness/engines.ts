import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import pg from 'pg';
import type { Engine } from '../../src/database/database.ts';

/** A separate database for a test: a file, or a database in the PostgreSQL that the test run started. */
export interface TestDatabase {
  readonly engine: Engine;
  readonly url: string;
  readonly dir: string;
  remove(): Promise<void>;
}

export const createTestDatabase = (engine: Engine): Promise<TestDatabase> => createFrom({}, engine);

/** A database that has the tables of the service, if the test run created templates. Opening it runs the migrations anyway. */
export function createMigratedDatabase(engine: Engine): Promise<TestDatabase> {
  const { TEST_SQLITE_TEMPLATE: sqlite, TEST_POSTGRES_TEMPLATE: url } = process.env;
  // A test may start its own PostgreSQL, which has no template.
  const isHere = url && engine === 'postgres' && new URL(url).host === new URL(postgresUrl()).host;
  return createFrom({ sqlite, ...(isHere ? { postgres: new URL(url).pathname.slice(1) } : {}) }, engine);
}

async function createFrom(
  template: { readonly [engine in Engine]?: string | undefined },
  engine: Engine,
): Promise<TestDatabase> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  const removeDir = () => rmSync(dir, { recursive: true, force: true });
  if (engine === 'sqlite') {
    const file = join(dir, 'test.db');
    if (template.sqlite) copyFileSync(template.sqlite, file);
    return { engine, dir, url: `sqlite:${file}`, remove: async () => removeDir() };
  }

  const server = postgresUrl();
  const name = `test_${randomBytes(8).toString('hex')}`;
  // The default strategy writes every page to the log, which takes longer.
  await onServer(
    server,
    `create database ${name} ${template.postgres ? `template ${template.postgres} strategy file_copy` : ''}`,
  );
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    engine,
    dir,
    url: url.href,
    async remove() {
      await onServer(server, `drop database if exists ${name} with (force)`);
      removeDir();
    },
  };
}

function postgresUrl(): string {
  const url = process.env.TEST_POSTGRES_URL;
  if (!url) throw new Error('No PostgreSQL: run tests with `npm test`, or `npm test -- <file>` for one.');
  return url;
}

/** The types of pg lack these methods. */
type Client = pg.Client & { ref(): void; unref(): void };

/** One connection to each server for these statements: a new connection takes longer than most of them. */
const connections = new Map<string, { client: Client; previous: Promise<unknown>; running: number }>();

async function onServer(url: string, statement: string): Promise<void> {
  const connection = connections.get(url) ?? connectTo(url);
  const { client, previous } = connection;
  connection.running++;
  // One statement at a time. A failed one does not stop the next.
  const result = previous.then(() => {
    client.ref();
    return client.query(statement);
  });
  connection.previous = result.catch(() => undefined);
  try {
    await result;
  } finally {
    // An idle connection does not keep the process alive.
    if (--connection.running === 0) client.unref();
  }
}

function connectTo(url: string) {
  const client = new pg.Client({ connectionString: url }) as Client;
  for (const event of ['error', 'end'] as const) client.on(event, () => connections.delete(url));
  const connection = { client, previous: client.connect() as Promise<unknown>, running: 0 };
  connections.set(url, connection);
  return connection;
}

const engines: readonly Engine[] = ['sqlite', 'postgres'];

/** Declares the same suite once for each engine. */
export function onBothEngines(name: string, suite: (engine: Engine) => void): void {
  for (const engine of engines) describe(`${name} (${engine})`, () => suite(engine));
}

/** A fresh database for each call, removed after the suite that is being declared. */
export function databases(engine: Engine): () => Promise<TestDatabase> {
  const made: TestDatabase[] = [];
  after(async () => {
    await Promise.all(made.map((database) => database.remove()));
  });
  return async () => {
    const database = await createTestDatabase(engine);
    made.push(database);
    return database;
  };
}
