import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { parseConfig } from '../../src/config/config.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { ended, gatehouse, type ServerProcess, serverProcesses } from '../harness/command.ts';
import { databases, onBothEngines, type TestDatabase } from '../harness/engines.ts';
import { type MailServer, mailServers } from '../harness/mail-server.ts';
import { request } from '../harness/request.ts';

const quick = `--import=${new URL('../harness/quick-intervals.ts', import.meta.url).href}`;
const password = 'correct horse battery';

/**
 * On PostgreSQL, one of two instances is killed. On SQLite, both workers are killed, because the test cannot know which
 * one had the work. New workers replace them.
 */
onBothEngines('Work of a process that is killed (SIGKILL)', (engine) => {
  const create = databases(engine);
  const serve = serverProcesses();
  const startMailServer = mailServers();
  let database: TestDatabase;
  let env: Record<string, string>;
  let mails: MailServer;
  let killed: ServerProcess;
  let survivor: ServerProcess;
  /** Changes the tables as if time had passed. */
  let beside: Database;
  before(async () => {
    database = await create();
    mails = await startMailServer();
    env = {
      DATABASE_URL: database.url,
      BASE_URL: 'http://auth.example.com',
      NODE_OPTIONS: quick,
      // A hung job is running until its process has ended.
      SMTP_URL: `${mails.url}&socketTimeout=600000`,
      ADMIN_EMAIL: 'admin@example.com',
      ADMIN_PASSWORD: password,
      ...(engine === 'sqlite' ? { WORKERS: '2' } : {}),
    };
    killed = await serve(database.dir, env);
    beside = await openDatabase(parseConfig({}, { DATABASE_URL: database.url }, database.dir));
  });
  after(() => beside.close());

  const until = async (condition: () => boolean | Promise<boolean>) => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const workers = () =>
    killed.lines.flatMap((line) => {
      const { msg, pid } = JSON.parse(line) as { msg: string; pid: number };
      return msg === 'a worker serves' ? [pid] : [];
    });
  const killOne = async () => {
    if (engine === 'postgres') {
      survivor = await serve(database.dir, { ...env, DATA_DIR: `${database.dir}/elsewhere` });
      killed.child.kill('SIGKILL');
      await ended(killed.child);
    } else {
      survivor = killed;
      for (const pid of workers()) process.kill(pid, 'SIGKILL');
      await until(() => workers().length === 4);
    }
  };

  it('is taken over by another process: pending mail is sent once', async () => {
    mails.mood = 'hang';
    const registered = await request(killed, '/v1/register', { json: { email: 'ada@example.com', password } });
    assert.equal(registered.status, 201, registered.text);
    await until(() => mails.attempts === 1);
    const [begun] = await beside.db.selectFrom('queued_jobs').select(['lease', 'attempts']).execute();
    assert.equal(begun?.attempts, 1);
    mails.mood = 'accept';
    await killOne();
    await until(async () => {
      // Ends the lease early. Another process takes the job with a new lease.
      await beside.db.updateTable('queued_jobs').set({ leased_until: 1 }).where('lease', '=', begun.lease).execute();
      return (await beside.db.selectFrom('queued_jobs').select('id').execute()).length === 0;
    });
    assert.deepEqual([mails.attempts, mails.mails.length], [2, 1]);
  });

  it('continues: expired data is pruned', async () => {
    const form = { email: 'admin@example.com', password };
    assert.equal((await request(survivor, '/v1/clients/web/admin/login', { form })).status, 200);
    const expired = { expires_at: 1, prune_at: 1 };
    const { numUpdatedRows } = await beside.db.updateTable('sessions').set(expired).executeTakeFirstOrThrow();
    assert.ok(numUpdatedRows > 0);
    await until(async () => (await beside.db.selectFrom('sessions').select('id').execute()).length === 0);
  });

  it('blocks no other process: keys are created and published', async () => {
    const rotated = await gatehouse(['keys', 'rotate'], database.dir, { DATABASE_URL: database.url });
    assert.equal(rotated.code, 0, rotated.stderr);
    const { body } = await request<{ keys: { alg: string }[] }>(survivor, '/.well-known/jwks.json');
    assert.deepEqual(body.keys.map(({ alg }) => alg).sort(), ['ES256', 'ES256', 'RS256', 'RS256']);
  });
});
