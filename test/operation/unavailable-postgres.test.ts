import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createPostgres, type PostgresServer } from '../harness/postgres-server.ts';
import { type Service, services } from '../harness/service.ts';

const json = { accept: 'application/json', 'content-type': 'application/json' };

describe('A service whose PostgreSQL is unavailable for a while', () => {
  let postgres: PostgresServer;
  let service: Service;
  let token: string;
  before(async () => {
    postgres = await createPostgres();
    // This service uses a separate server, which the test can stop.
    const { TEST_POSTGRES_URL } = process.env;
    process.env.TEST_POSTGRES_URL = postgres.url;
    service = await start().finally(() => Object.assign(process.env, { TEST_POSTGRES_URL }));
  });
  beforeEach(async () => {
    await isReady();
    token = ((await (await login()).json()) as { access_token: string }).access_token;
  });
  const start = services('postgres');
  after(async () => {
    await service.close();
    await postgres.remove();
  });

  const login = () =>
    fetch(`${service.url}/v1/clients/web/admin/login`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ email: 'admin@example.com', password: 'correct horse battery' }),
    });
  const users = () => fetch(`${service.url}/v1/users`, { headers: { ...json, authorization: `Bearer ${token}` } });
  const ready = () => fetch(`${service.url}/health/ready`);

  const isReady = async () => {
    while ((await ready()).status !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const whileAway = async (work: () => Promise<void>) => {
    assert.equal((await users()).status, 200);
    await postgres.stop();
    await work().finally(() => postgres.start());
  };

  it('responds 503 with Retry-After meanwhile', () =>
    whileAway(async () => {
      const unready = await ready();
      assert.equal(unready.status, 503);
      assert.ok(Number(unready.headers.get('retry-after')) > 0);
      assert.deepEqual(await unready.json(), {
        status: 'not ready',
        checks: { database: 'not ready', disk: 'ok', pool: 'ok', lease: 'not ready', queue: 'ok' },
      });
      assert.equal((await fetch(`${service.url}/health/live`)).status, 200);
      assert.equal((await fetch(`${service.url}/metrics`)).status, 200);

      const read = await users();
      assert.equal(read.status, 503);
      assert.ok(Number(read.headers.get('retry-after')) > 0);
      assert.equal(((await read.json()) as { code: string }).code, 'unavailable');

      const refused = await login();
      assert.equal(refused.status, 503);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      assert.equal(((await refused.json()) as { error: string }).error, 'temporarily_unavailable');
    }));

  it('uses PostgreSQL again when it is back, without a restart', async () => {
    await whileAway(async () => assert.equal((await ready()).status, 503));
    await isReady();
    assert.equal((await users()).status, 200);
    assert.equal((await login()).status, 200);
    const headers = { ...json, authorization: `Bearer ${token}` };
    assert.equal(
      (
        await fetch(`${service.url}/v1/logout`, {
          method: 'DELETE',
          headers: { accept: json.accept, authorization: headers.authorization },
        })
      ).status,
      200,
    );
    assert.equal((await users()).status, 401);
  });
});
