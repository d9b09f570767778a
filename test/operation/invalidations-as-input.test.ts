import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { isAccepted, logOut, openTokens } from '../harness/bearers.ts';
import { type Service, services } from '../harness/service.ts';
import { type TcpProxy, tcpProxies } from '../harness/tcp-proxy.ts';

const env = { BASE_URL: 'http://auth.example.com' };
const malformed = [
  '',
  'x',
  '{',
  'null',
  '[]',
  '{"0":"a"}',
  '[1]',
  '["a",["session"]]',
  '["a",["session",1]]',
  '["a",["session","b","c"]]',
  '["a",["__proto__","b"],["constructor","b"]]',
  '["a",{"kind":"session"}]',
  `["${'a'.repeat(7000)}",["session","b"]]`,
  '['.repeat(7999),
  ' '.repeat(7999),
];

describe('A person who can log in to the database', () => {
  // Runs before the database is removed.
  after(() => stranger.end());
  const start = services('postgres');
  const proxied = tcpProxies();
  let near: Service;
  let far: Service;
  let network: TcpProxy;
  let stranger: pg.Client;
  before(async () => {
    near = await start({ env });
    network = await proxied(near.database.url);
    const DATA_DIR = join(near.database.dir, 'far');
    far = await start({ env: { ...env, DATA_DIR, DATABASE_URL: network.url }, database: near.database });
    stranger = new pg.Client({ connectionString: near.database.url, pipeline: true } as pg.ClientConfig);
    await stranger.connect();
  });

  const notify = (channel: string, payload: string) =>
    stranger.query('select pg_notify($1, $2)', [channel, payload]).then(() => undefined);

  /** An instance that reconnects for invalidations gets a new id. */
  const instances = async () =>
    (await near.context.database.db.selectFrom('instances').select('id').orderBy('id').execute()).map(({ id }) => id);

  it('cannot stop an instance or end its lease with forged messages', async () => {
    const [token, validToken] = (await openTokens(near, 2)) as [string, string];
    const before = await instances();
    assert.equal(before.length, 2);
    for (const payload of malformed)
      for (const channel of ['gatehouse_changes', 'gatehouse_heard']) await notify(channel, payload);
    for (const service of [near, far]) assert.equal(await isAccepted(service, token), true);
    await logOut(near, token);
    for (const service of [near, far]) {
      assert.equal(await isAccepted(service, token), false);
      assert.equal(await isAccepted(service, validToken), true);
    }
    assert.deepEqual(await instances(), before, 'no instance had to register again');
  });

  it('cannot confirm a logout instead of an instance', async () => {
    const tokens = await openTokens(near, 9);
    for (const token of tokens) assert.equal(await isAccepted(far, token), true);
    const heard: string[] = [];
    stranger.on('notification', ({ channel, payload = '' }) => {
      if (channel === 'gatehouse_heard') return void heard.push(payload.split(' ')[1] as string);
      const [announcement] = JSON.parse(payload) as [string];
      for (const response of ['', ` ${'A'.repeat(43)}`, ...heard.map((earlier) => ` ${earlier}`)])
        void notify('gatehouse_heard', announcement + response).catch(() => undefined);
    });
    await stranger.query('listen gatehouse_changes');
    await stranger.query('listen gatehouse_heard');
    const [first, ...others] = tokens as [string, ...string[]];
    await logOut(near, first);
    while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    // From here on, invalidations do not reach the instance, and only a forged message could confirm one.
    network.swallow(['to client']);
    await Promise.all(
      others.map(async (token) => {
        await logOut(near, token);
        assert.equal(await isAccepted(far, token), false);
      }),
    );
  });
});
