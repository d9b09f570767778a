import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseConfig } from '../../src/config/config.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { databases } from '../harness/engines.ts';
import { startedProcesses, starters } from '../harness/starts.ts';

/** The reasons why a start fails: the environment, and the message. */
interface Failure {
  readonly name: string;
  readonly says: RegExp;
  /** Also tested with `npm start`, whose process becomes that of `gatehouse serve`: one early reason and one late reason. */
  readonly withNpm?: boolean;
  prepare(dir: string): Promise<Record<string, string>> | Record<string, string>;
}

const declaring = (source: string) => (dir: string) => {
  mkdirSync(join(dir, 'resources'));
  writeFileSync(join(dir, 'resources', 'books.mjs'), source);
  return { RESOURCES_DIR: join(dir, 'resources') };
};

describe('A start that fails', () => {
  const create = databases('sqlite');
  const start = startedProcesses();
  let taken: Server;
  let silent: Server;
  before(async () => {
    [taken, silent] = [createServer(), createServer()];
    for (const server of [taken, silent]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  after(() => {
    taken.close();
    silent.close();
  });
  const portOf = (server: Server) => (server.address() as { port: number }).port;

  const failures: readonly Failure[] = [
    {
      name: 'because another program uses the port',
      says: /Another program listens on 127\.0\.0\.1 port \d+/,
      prepare: () => ({ PORT: String(portOf(taken)) }),
    },
    {
      name: 'because of a wrong setting',
      says: /PORT: got "many"/,
      withNpm: true,
      prepare: () => ({ PORT: 'many' }),
    },
    {
      name: 'because of an invalid address',
      says: /HOST: got "999\.1\.1\.1"; expected a host name or an IP address/,
      prepare: () => ({ HOST: '999.1.1.1' }),
    },
    {
      // Linux: mkdir with `recursive` never returns in /proc.
      name: 'because the data folder cannot be created',
      says: /\/proc\/x.* could not be (opened|written): /,
      prepare: () => ({ DATA_DIR: '/proc/x' }),
    },
    {
      name: 'because of an empty declaration',
      says: /books\.mjs: it must `export default defineResource/,
      prepare: declaring('export default 42;'),
    },
    {
      name: 'because of a declaration with a syntax error',
      says: /books\.mjs:\d+:\d+ could not be read/,
      prepare: declaring('export default {{'),
    },
    {
      name: 'because of PHP in a view',
      says: /PHP/,
      prepare(dir) {
        mkdirSync(join(dir, 'views'));
        writeFileSync(join(dir, 'views', 'login.blade.php'), '<?php echo 1; ?>');
        return { VIEWS_DIR: join(dir, 'views') };
      },
    },
    {
      name: 'because the database is unreachable',
      says: /PostgreSQL database at 127\.0\.0\.1:1\/nothing cannot be used/,
      withNpm: true,
      prepare: () => ({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }),
    },
    {
      name: 'because a newer version has migrated the database',
      says: /newer Gatehouse has migrated/,
      async prepare(dir) {
        const DATABASE_URL = `sqlite:${join(dir, 'newer.db')}`;
        const database = await openDatabase(parseConfig({}, { DATABASE_URL, DATA_DIR: dir }, dir));
        await migrate(database);
        await database.db
          .insertInto('migrations')
          .values({ name: '999-contract-from-the-future', applied_at: 1 })
          .execute();
        await database.close();
        return { DATABASE_URL };
      },
    },
  ];

  for (const starter of starters) {
    for (const { name, says, withNpm, prepare } of failures) {
      if (starter.name === 'npm start' && !withNpm) continue;
      it(`exits with 1 and a message, ${name} (${starter.name})`, async () => {
        const { dir } = await create();
        const process = start(starter, dir, { DATA_DIR: dir, PORT: '0', ...(await prepare(dir)) });
        // A process that does not exit reaches the runner's limit and fails.
        assert.deepEqual(await process.end, [1, null], process.printed());
        assert.match(process.printed(), says);
        assert.doesNotMatch(process.printed(), /\n\s+at /, 'no stack trace');
      });
    }

    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      it(`exits at ${signal} while it waits for a database that does not respond (${starter.name})`, async () => {
        const { dir } = await create();
        const arrived = new Promise((resolve) => silent.once('connection', resolve));
        const DATABASE_URL = `postgres://nobody@127.0.0.1:${portOf(silent)}/nothing`;
        const { child, end, printed } = start(starter, dir, { DATA_DIR: dir, PORT: '0', DATABASE_URL });
        await arrived;
        process.kill(-(child.pid as number), signal);
        const [code, by] = await end;
        // npm may exit by the signal that it forwards.
        assert.ok(code === (signal === 'SIGTERM' ? 0 : 130) || by === signal, `${code} ${by} ${printed()}`);
        assert.doesNotMatch(printed(), /cannot be used/, 'it did not wait for the timeout');
      });
    }
  }
});
