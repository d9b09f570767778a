import { after } from 'node:test';
import pino from 'pino';
import { parseConfig } from '../../src/config/config.ts';
import type { Context } from '../../src/database/context.ts';
import type { Engine } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createMigratedDatabase, type TestDatabase } from './engines.ts';

export interface TestContext extends Context {
  readonly testDatabase: TestDatabase;
  /** Moves the clock. Otherwise the clock does not advance. */
  advance(ms: number): void;
}

interface Options {
  env?: Record<string, string>;
  /** Share a database: a second instance. */
  database?: TestDatabase;
}

/** A context without HTTP: a migrated database and a clock that advances only on request. */
export function contexts(engine: Engine): (options?: Options) => Promise<TestContext> {
  const closers: (() => Promise<void>)[] = [];
  after(async () => {
    for (const close of closers.reverse()) await close();
  });
  return async ({ env = {}, database } = {}) => {
    const own = database ?? (await createMigratedDatabase(engine));
    const config = parseConfig({}, { DATABASE_URL: own.url, DATA_DIR: own.dir, ...env }, own.dir);
    const open = await openDatabase(config);
    await migrate(open);
    closers.push(async () => {
      await open.close();
      if (!database) await own.remove();
    });
    let time = Date.UTC(2030, 0, 1);
    return {
      config,
      database: open,
      log: pino({ level: 'silent' }),
      metrics: createMetrics(),
      now: () => time,
      testDatabase: own,
      advance(ms) {
        time += ms;
      },
    };
  };
}
