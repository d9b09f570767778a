import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { Primary } from '../../src/database/postgres/servers/primary.ts';
import { Problem } from '../../src/platform/errors.ts';
import { isAccepted, logOut, openTokens } from '../harness/bearers.ts';
import { createReplicatedPostgres, onServer, type ReplicatedPostgres } from '../harness/replicated-postgres.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const env = { BASE_URL: 'http://auth.example.com' };

describe('A primary and its standby', () => {
  const start = services('postgres');
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-failover-'));
  let postgres: ReplicatedPostgres;
  let one: Service;
  let other: Service;
  before(async () => {
    postgres = await createReplicatedPostgres();
    const database = { engine: 'postgres', url: postgres.url, dir, remove: async () => undefined } as const;
    one = await start({ env, database });
    // The order of the hosts does not show which one is the primary.
    const reversed = postgres.url.replace(/@(.*),(.*)\//, '@$2,$1/');
    other = await start({ env: { ...env, DATA_DIR: join(dir, 'other'), DATABASE_URL: reversed }, database });
  });
  after(async () => {
    await other.close();
    await one.close();
    await postgres.remove();
    rmSync(dir, { recursive: true, force: true });
  });

  const register = () =>
    request<{ data: { id: string } }>(one, '/v1/register', {
      json: { email: `${randomUUID()}@example.com`, password: 'a long enough one' },
    });
  const ready = (service: Service) => request<{ checks: Record<string, string> }>(service, '/health/ready');
  const isReady = async (service: Service) => {
    while ((await ready(service)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
  };

  it('acknowledge no write whose replication was interrupted', async () => {
    const { db } = one.context.database;
    await postgres.waitFor('nobody');
    const late = assert.rejects(
      db.transaction().execute((tx) => sql`create table late (n int)`.execute(tx)),
      (error) => error instanceof Problem && error.code === 'unavailable' && /replicated/.test(String(error.reason)),
    );
    const cancel = `select pg_cancel_backend(pid) from pg_stat_activity
      where wait_event = 'SyncRep' and application_name = 'gatehouse'`;
    while ((await onServer(postgres.primary, cancel)).length === 0);
    await late;
    await postgres.waitFor('standby');
    await Promise.all([isReady(one), isReady(other)]);
  });

  it('fail over without losing writes, signing anybody out or restoring revoked sessions', async () => {
    const [kept, revoked, later] = (await openTokens(one, 3)) as [string, string, string];
    for (const service of [one, other])
      for (const token of [kept, revoked, later]) assert.equal(await isAccepted(service, token), true);
    const { status, body } = await register();
    assert.equal(status, 201);
    await logOut(other, revoked);
    await postgres.primary.kill();
    const refused = await register();
    assert.deepEqual([refused.status, Number(refused.headers.get('retry-after')) > 0], [503, true]);
    const unready = await ready(one);
    assert.deepEqual([unready.status, unready.body.checks.database], [503, 'not ready']);

    await postgres.promote();
    await Promise.all([isReady(one), isReady(other)]);
    for (const service of [one, other]) {
      assert.equal(await isAccepted(service, kept), true);
      assert.equal(await isAccepted(service, revoked), false);
    }
    assert.equal((await register()).status, 201);
    const { db } = one.context.database;
    assert.ok(await db.selectFrom('users').select('id').where('id', '=', body.data.id).executeTakeFirst());
    await logOut(one, later);
    assert.equal(await isAccepted(other, later), false);
  });

  it('are distinguished when the former primary returns and accepts writes as well', async () => {
    const { primary: earlier, standby: promoted } = postgres;
    await earlier.start();
    const fresh = new Primary(postgres.url);
    await fresh.find();
    assert.equal(fresh.current, promoted.url);
    assert.deepEqual(await onServer(earlier, 'select pg_is_in_recovery() as standby'), [{ standby: false }]);
    await promoted.kill();
    // `find` may still return its last result.
    while (
      await fresh.find().then(
        () => true,
        () => false,
      )
    )
      await new Promise((resolve) => setTimeout(resolve, 20));
    await assert.rejects(fresh.find(), /earlier timeline/);
    assert.equal((await register()).status, 503);
    await promoted.start();
    await isReady(one);
    assert.equal((await register()).status, 201);
  });
});
