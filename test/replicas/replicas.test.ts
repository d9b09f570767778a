import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openTokens } from '../harness/bearers.ts';
import { createReplicatedPostgres, onServer, type ReplicatedPostgres } from '../harness/replicated-postgres.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

interface Body {
  readonly data: { readonly id: string };
  readonly replicas: { readonly usable: number; readonly of: number };
}

describe('Reads from a replica', () => {
  const start = services('postgres');
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-replicas-'));
  let postgres: ReplicatedPostgres;
  let one: Service;
  let other: Service;
  let writer: string;
  let reader: string;
  before(async () => {
    postgres = await createReplicatedPostgres({ synchronous: false });
    const { primary, standby } = postgres;
    // Long enough to be noticed, and short enough to stay in use.
    await onServer(standby, "alter system set recovery_min_apply_delay = '400ms'");
    await onServer(standby, 'select pg_reload_conf()');
    const database = { engine: 'postgres', url: primary.url, dir, remove: async () => undefined } as const;
    const env = {
      BASE_URL: 'http://auth.example.com',
      DATABASE_REPLICA_URLS: standby.url,
      RESOURCES_DIR: join(import.meta.dirname, 'resources'),
    };
    one = await start({ env, database });
    other = await start({ env: { ...env, DATA_DIR: join(dir, 'other') }, database });
    [writer] = (await openTokens(one, 1)) as [string];
    [reader] = (await openTokens(one, 1)) as [string];
    await used(1);
  });
  after(async () => {
    await other.close();
    await one.close();
    await postgres.remove();
    rmSync(dir, { recursive: true, force: true });
  });

  const state = async (service: Service) => (await request<Body>(service, '/health/ready')).body.replicas;
  const used = async (usable: number) => {
    for (const service of [one, other])
      while ((await state(service)).usable !== usable) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const create = async (path: string, json: object, token = writer) => {
    const { status, body, text } = await request<Body>(one, path, { json, token });
    assert.equal(status, 201, text);
    return body.data.id;
  };
  const seen = async (service: Service, path: string, token: string) =>
    (await request(service, path, { token })).status;
  /** Whether the replica received a query for a table. */
  const wasAsked = async (table: string, how = '') =>
    (
      await onServer(
        postgres.standby,
        `select 1 from pg_stat_activity where application_name = 'gatehouse-reads' and query like '%from "${table}"%${how}%'`,
      )
    ).length > 0;

  it('use the replica, and the number of replicas is reported', async () => {
    const id = await create('/v1/notes', { text: 'first' });
    while (!(await wasAsked('notes'))) assert.ok([200, 404].includes(await seen(other, `/v1/notes/${id}`, reader)));
    assert.deepEqual(await state(one), { usable: 1, of: 1 });
    const { text } = await request(one, '/metrics');
    assert.match(text, /gatehouse_database_replicas\{state="used"\} 1/);
  });

  it('show a caller their own writes, on every instance', async () => {
    for (let n = 0; n < 10; n++) {
      const id = await create('/v1/notes', { text: `note ${n}` });
      const [row, list] = await Promise.all([
        seen(n % 2 ? one : other, `/v1/notes/${id}`, writer),
        request<{ data: { id: string }[] }>(n % 2 ? other : one, `/v1/notes?search=text:note%20${n}`, {
          token: writer,
        }),
      ]);
      assert.equal(row, 200);
      assert.deepEqual(
        list.body.data.map((note) => note.id),
        [id],
      );
    }
  });

  it('reveal nothing that a row no longer allows', async () => {
    const me = async (token: string) => (await request<Body>(one, '/v1/users/me', { token })).body.data.id;
    const holder = await me(reader);
    const id = await create('/v1/papers', { holder });
    while (!(await wasAsked('papers'))) assert.ok([200, 404].includes(await seen(other, `/v1/papers/${id}`, reader)));
    for (let n = 0; n < 4; n++) {
      const paper = await create('/v1/papers', { holder });
      for (const service of [one, other]) assert.equal(await seen(service, `/v1/papers/${paper}`, reader), 200);
      const taken = await request(one, `/v1/papers/${paper}`, {
        method: 'PATCH',
        json: { holder: 'somebody else' },
        token: reader,
      });
      assert.equal(taken.status, 200, taken.text);
      for (const service of [other, one]) assert.equal(await seen(service, `/v1/papers/${paper}`, reader), 404);
    }
  });

  it('show a caller at one instance their writes at another immediately, even if the replica lacks them', async () => {
    await used(1);
    await onServer(postgres.standby, 'select pg_wal_replay_pause()');
    try {
      const id = await create('/v1/notes', { text: 'unreplayed' });
      for (const service of [other, one]) {
        const [row, list] = await Promise.all([
          seen(service, `/v1/notes/${id}`, writer),
          request<{ data: unknown[] }>(service, '/v1/notes?search=text:unreplayed', { token: writer }),
        ]);
        assert.deepEqual([row, list.body.data.length], [200, 1]);
      }
      assert.deepEqual(await onServer(postgres.standby, `select 1 from notes where id = '${id}'`), []);
    } finally {
      await onServer(postgres.standby, 'select pg_wal_replay_resume()');
    }
    await used(1);
  });

  it('are combined if many rows are read at once', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => create('/v1/notes', { text: `of many ${n}` })));
    while (!(await wasAsked('notes', '= any')))
      for (const status of await Promise.all(ids.map((id) => seen(other, `/v1/notes/${id}`, reader))))
        assert.ok([200, 404].includes(status));
  });

  it('use cached counts while nothing changes, and count again as soon as a change is visible', async () => {
    const list = () =>
      request<{ data: unknown[]; meta: { pagination: { total: number } } }>(other, '/v1/notes?limit=100', {
        token: reader,
      });
    const lastCount = async () => {
      const [found] = await onServer(
        postgres.standby,
        `select max(query_start)::text as at from pg_stat_activity where application_name = 'gatehouse-reads' and query like '%as told%'`,
      );
      return (found as { at: string | null }).at;
    };
    // Rows of earlier tests may not have reached the replica yet.
    const [written] = await onServer(postgres.primary, 'select count(*)::int as n from notes');
    while ((await list()).body.data.length < (written as { n: number }).n);
    for (let known = 0; known < 3; ) {
      const before = await lastCount();
      const { body } = await list();
      assert.equal(body.data.length, body.meta.pagination.total);
      known = before === (await lastCount()) ? known + 1 : 0;
    }
    const { total } = (await list()).body.meta.pagination;
    await create('/v1/notes', { text: 'one more' });
    for (let seen = total; seen === total; ) {
      const { body } = await list();
      seen = body.data.length;
      assert.ok([total, total + 1].includes(body.meta.pagination.total), String(body.meta.pagination.total));
      if (seen === total + 1) assert.equal((await list()).body.meta.pagination.total, seen);
    }
  });

  it('use the primary while the replica lags or is unavailable, without an error', async () => {
    const id = await create('/v1/notes', { text: 'last' });
    const isSeen = async () => {
      for (const service of [one, other]) assert.equal(await seen(service, `/v1/notes/${id}`, writer), 200);
    };
    await onServer(postgres.standby, 'select pg_wal_replay_pause()');
    await used(0);
    await isSeen();
    assert.equal((await request(one, '/health/ready')).status, 200);
    await onServer(postgres.standby, 'select pg_wal_replay_resume()');
    await used(1);
    await postgres.standby.stop();
    await isSeen();
    await used(0);
    await isSeen();
    await postgres.standby.start();
    await used(1);
  });
});
