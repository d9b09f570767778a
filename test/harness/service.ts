import assert from 'node:assert/strict';
import { after } from 'node:test';
import pino, { type Logger } from 'pino';
import { parseConfig } from '../../src/config/config.ts';
import type { Engine } from '../../src/database/database.ts';
import { type RunningGatehouse, startGatehouse } from '../../src/main/start.ts';
import { createMigratedDatabase, type TestDatabase } from './engines.ts';

export interface Service extends Omit<RunningGatehouse, 'stop'> {
  readonly database: TestDatabase;
  /** Moves the service's clock. */
  advance(ms: number): void;
  close(): Promise<void>;
}

interface Options {
  /** Environment variables, as an operator would set them. */
  env?: Record<string, string>;
  /** Settings of the configuration file. */
  file?: Record<string, unknown>;
  /** Default: nothing is logged, and a response with the status 500 fails the suite. */
  log?: Logger;
  /** Share a database: a second instance. */
  database?: TestDatabase;
}

/** Starts services for a suite, and closes them after it. Call it in the body of the suite. */
export function services(engine: Engine): (options?: Options) => Promise<Service> {
  const started: Service[] = [];
  after(async () => {
    const closed: PromiseSettledResult<void>[] = [];
    for (const service of started.reverse()) closed.push(...(await Promise.allSettled([service.close()])));
    for (const end of closed) if (end.status === 'rejected') throw end.reason;
  });
  return async (options) => {
    const service = await startService(engine, options);
    started.push(service);
    return service;
  };
}

/** The whole service on a real database, listening on loopback. */
async function startService(engine: Engine, { env = {}, file = {}, database, log }: Options = {}): Promise<Service> {
  const own = database ?? (await createMigratedDatabase(engine));
  let offset = 0;
  const config = parseConfig(
    file,
    {
      DATABASE_URL: own.url,
      DATA_DIR: own.dir,
      PORT: '0',
      RATE_LIMIT: '0',
      ADMIN_EMAIL: 'admin@example.com',
      ADMIN_PASSWORD: 'correct horse battery',
      ...env,
    },
    own.dir,
  );
  const failures: string[] = [];
  const begin = () =>
    startGatehouse(config, {
      log: log ?? pino({ level: 'error' }, { write: (line) => noteFailure(line, failures) }),
      clockOffset: () => offset,
    });
  // Between the choice of a free port and the start, another test may take the port.
  const running = await begin().catch((error) => {
    if (config.port === 0 && /^Another program listens/.test(error.message)) return begin();
    throw error;
  });
  let closed = false;
  return {
    ...running,
    database: own,
    advance(ms) {
      offset += ms;
    },
    async close() {
      if (closed) return;
      closed = true;
      await running.stop();
      if (!database) await own.remove();
      assert.deepEqual(failures, [], 'no request may cause a 500 response');
    },
  };
}

/** Unexpected errors in the log. A 503 response is logged as an error too, but it is expected. */
function noteFailure(line: string, failures: string[]): void {
  const { msg, err } = JSON.parse(line) as { msg: string; err?: { stack?: string; status?: number } };
  if ((msg === 'request failed' || msg === 'operation failed') && err?.status === undefined)
    failures.push(err?.stack ?? line);
}
