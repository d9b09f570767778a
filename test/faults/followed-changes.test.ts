import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ended, type ServerProcess } from '../harness/command.ts';
import { createPostgres, type PostgresServer } from '../harness/postgres-server.ts';
import { createReplicatedPostgres } from '../harness/replicated-postgres.ts';
import { freePort, nginx, reverseProxies } from '../harness/reverse-proxy.ts';
import { admin, TallyOracle } from '../harness/tally-oracle.ts';
import { trials } from '../harness/trial.ts';

const settings = {
  RESOURCES_DIR: fileURLToPath(new URL('followed', import.meta.url)),
  ADMIN_EMAIL: admin.email,
  ADMIN_PASSWORD: admin.password,
};

/** Several connections write rows, subscribers follow them, and sessions with open streams are ended. */
describe('Subscribers of changes under load', () => {
  const begin = trials();
  const proxies = reverseProxies();

  const onPostgres = async (DATABASE_URL: string) => {
    const trial = await begin({ ...settings, DATABASE_URL, BASE_URL: 'http://auth.example' });
    return { ...trial, up: [await trial.start(), await trial.start({ DATA_DIR: 'other' })] };
  };
  const urlsOf = (up: readonly ServerProcess[]) => () => up.map(({ url }) => url);
  const withPostgres = async (t: { after(work: () => Promise<void>): void }): Promise<PostgresServer> => {
    const postgres = await createPostgres();
    t.after(() => postgres.remove());
    return postgres;
  };

  it('miss nothing when an instance is killed and started again, four times', async (t) => {
    const postgres = await withPostgres(t);
    const { up, start } = await onPostgres(postgres.url);
    const oracle = await TallyOracle.begin(t, { urls: urlsOf(up), database: () => postgres.url });
    for (let round = 0; round < 4; round++) {
      await oracle.writes(200);
      const [killed] = up.splice(0, 1) as [ServerProcess];
      killed.child.kill('SIGKILL');
      await ended(killed.child);
      await oracle.writes(50);
      up.push(await start({ DATA_DIR: `again-${round}` }));
    }
    await oracle.writes(200);
    t.diagnostic(await oracle.check());
    assert.equal(oracle.resyncs, 0);
  });

  it('miss nothing when PostgreSQL is killed and started again, six times', async (t) => {
    const postgres = await withPostgres(t);
    const { up } = await onPostgres(postgres.url);
    const oracle = await TallyOracle.begin(t, { urls: urlsOf(up), database: () => postgres.url });
    for (let round = 0; round < 6; round++) {
      await oracle.writes(200);
      await postgres.kill();
      await postgres.start();
    }
    await oracle.writes(200);
    t.diagnostic(await oracle.check());
    assert.equal(oracle.resyncs, 0);
  });

  it('read the list again after a failover, and miss nothing', async (t) => {
    const postgres = await createReplicatedPostgres();
    t.after(() => postgres.remove());
    const { up } = await onPostgres(postgres.url);
    let database = postgres.primary.url;
    const oracle = await TallyOracle.begin(t, { urls: urlsOf(up), database: () => database });
    await oracle.writes(200);
    await postgres.primary.kill();
    await postgres.promote();
    database = postgres.standby.url;
    await oracle.writes(500);
    t.diagnostic(await oracle.check());
    assert.ok(oracle.resyncs >= 2, 'each subscriber got resync');
  });

  it('miss nothing when the only instance, on SQLite, is killed and started again, four times', async (t) => {
    const { start } = await begin(settings);
    const port = String(await freePort());
    const up = [await start({ PORT: port })];
    const oracle = await TallyOracle.begin(t, { urls: urlsOf(up) });
    for (let round = 0; round < 4; round++) {
      await oracle.writes(100);
      const [killed] = up as [ServerProcess];
      killed.child.kill('SIGKILL');
      await ended(killed.child);
      up.splice(0, 1, await start({ PORT: port }));
    }
    await oracle.writes(100);
    t.diagnostic(await oracle.check());
    assert.equal(oracle.resyncs, 0);
  });

  const skip = nginx ? false : 'nginx is not installed here';
  it('miss nothing through nginx at its defaults, while instances and connections end', { skip }, async (t) => {
    const postgres = await withPostgres(t);
    const { up, start } = await onPostgres(postgres.url);
    const dir = mkdtempSync(join(tmpdir(), 'gatehouse-nginx-'));
    after(() => rmSync(dir, { recursive: true, force: true }));
    const port = await freePort();
    const way = `http://127.0.0.1:${port}`;
    const servers = up.map(({ url }) => `server ${new URL(url).host};`).join(' ');
    const site = `upstream instances { ${servers} }\nserver { listen 127.0.0.1:${port}; location / { proxy_pass http://instances; } }`;
    await proxies.nginx(dir, site, `${way}/health/live`);
    const stage = { urls: urlsOf(up), ways: () => [way], database: () => postgres.url };
    const oracle = await TallyOracle.begin(t, stage);
    for (let round = 0; round < 3; round++) {
      await oracle.writes(200);
      const [killed] = up.splice(0, 1) as [ServerProcess];
      killed.child.kill('SIGKILL');
      await ended(killed.child);
      await oracle.writes(100);
      up.push(await start({ DATA_DIR: `again-${round}`, PORT: new URL(killed.url).port }));
    }
    await oracle.writes(200);
    t.diagnostic(await oracle.check());
    assert.equal(oracle.resyncs, 0);
  });
});
