import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { rotateKeys } from '../extensions/admin-commands/revoke-everything.ts';
import { commitAndInvalidate } from '../src/database/bus.ts';
import { systemSource } from '../src/http/request-source.ts';
import { removeClient } from '../src/oauth/clients/client-store.ts';
import { addClient, addLogin, password } from './harness/accounts.ts';
import { request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';

const env = { BASE_URL: 'http://auth.example.com' };

describe('Two instances on one PostgreSQL', () => {
  const start = services('postgres');

  async function pair(more: Record<string, string> = {}): Promise<[Service, Service]> {
    const one = await start({ env: { ...env, ...more } });
    // A separate data folder, as on another machine: the two share only the database.
    const DATA_DIR = join(one.database.dir, 'elsewhere');
    const other = await start({ env: { ...env, ...more, DATA_DIR }, database: one.database });
    return [one, other];
  }

  const login = async (service: Service, email: string) =>
    (await request(service, '/v1/clients/web/admin/login', { form: { email, password } })).body as Record<
      string,
      string
    >;
  const statusAt = async ({ verifier }: Service, token: string): Promise<string> => {
    try {
      await verifier.verify(token, null);
      return 'good';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it('share keys and clients: each accepts and refreshes the tokens of the other', async () => {
    const [one, other] = await pair();
    const { email } = await addLogin(one);
    const tokens = await login(one, email);
    assert.equal(await statusAt(other, tokens.access_token as string), 'good');
    const refreshed = await request(other, '/v1/clients/web/admin/refresh', {
      form: { refresh_token: tokens.refresh_token as string },
    });
    assert.equal(refreshed.status, 200);
  });

  it("accept each other's tokens under different URLs, and after BASE_URL was changed", async () => {
    const one = await start({ env: { BASE_URL: 'http://one.example' } });
    const { email } = await addLogin(one);
    const { access_token: early } = (await login(one, email)) as { access_token: string };
    const other = await start({ env: { BASE_URL: 'http://other.example' }, database: one.database });
    const { access_token: late } = (await login(other, email)) as { access_token: string };
    one.advance(2000);
    assert.deepEqual([await statusAt(other, early), await statusAt(one, late)], ['good', 'good']);
  });

  it('refuse a token immediately after a logout on the other', async () => {
    const [one, other] = await pair();
    const { email } = await addLogin(one);
    for (let round = 0; round < 10; round++) {
      const { access_token: token } = (await login(one, email)) as { access_token: string };
      assert.equal(await statusAt(other, token), 'good');
      assert.ok(!(other.verifier.verify(token, null) instanceof Promise), 'the token is in the cache');
      assert.equal((await request(one, '/v1/logout', { method: 'DELETE', token })).status, 200);
      assert.equal(await statusAt(other, token), 'token_revoked');
    }
  });

  it('refuse a deleted client immediately, at the token endpoint and by its tokens', async () => {
    const [one, other] = await pair();
    const client = await addClient(one);
    const form = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret };
    const issued = await request(other, '/v1/oauth/token', { form });
    const token = String(issued.body.access_token);
    assert.equal(await statusAt(other, token), 'good');
    await commitAndInvalidate(one.context.database, (tx, invalidate) => removeClient(tx, invalidate, client.id));
    assert.equal(await statusAt(other, token), 'client_revoked');
    assert.equal((await request(other, '/v1/oauth/token', { form })).body.error, 'invalid_client');
  });

  it('have one winner in races of refreshes, registrations and creations with one key', async () => {
    const RESOURCES_DIR = join(import.meta.dirname, 'faults/resources');
    const [one, other] = await pair({ RESOURCES_DIR });
    const { email } = await addLogin(one);
    const race = <T>(options: (service: Service) => Promise<T>) =>
      Promise.all([one, other, one, other].map((service) => options(service)));
    // Only once, because frequent registrations of a taken email are throttled.
    const json = { email: 'racer@example.com', password };
    const registered = await race((service) => request(service, '/v1/register', { json }));
    assert.equal(registered.filter(({ status }) => status === 201).length, 1);
    for (let round = 0; round < 3; round++) {
      const { access_token: token, refresh_token } = (await login(one, email)) as Record<string, string>;
      const form = { refresh_token: refresh_token as string };
      const refreshed = await race((service) => request(service, '/v1/clients/web/admin/refresh', { form }));
      assert.equal(new Set(refreshed.map(({ body }) => body.refresh_token)).size, 1, 'one successor');
      const headers = { 'idempotency-key': `race-${round}` };
      const entry = { token, headers, json: { label: `race ${round}`, count: 1 } };
      const made = await race((service) => request<{ data: { id: string } }>(service, '/v1/entries', entry));
      const created = made.filter(({ status }) => status === 201);
      assert.equal(new Set(created.map(({ body }) => body.data.id)).size, 1);
      for (const { status } of made) assert.ok(status === 201 || status === 409, `${status}`);
    }
  });

  it('do not use their caches while they cannot receive invalidations', async () => {
    const [one, other] = await pair();
    const { email } = await addLogin(one);
    const { access_token: token } = (await login(one, email)) as { access_token: string };
    assert.equal(await statusAt(other, token), 'good');
    const lost = new Promise<void>((resolve) => {
      const check = () => (other.context.database.bus.isCacheUsable() ? setImmediate(check) : resolve());
      check();
    });
    const admin = new pg.Client({ connectionString: one.database.url });
    await admin.connect();
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gatehouse-listener' and datname = current_database()`,
    );
    await lost;
    // Changes the database without an invalidation.
    await admin.query('update sessions set revoked_at = 1');
    await admin.end();
    assert.equal(await statusAt(other, token), 'token_revoked');
    const back = new Promise<void>((resolve) => {
      const check = () => (other.context.database.bus.isCacheUsable() ? resolve() : setTimeout(check, 10));
      check();
    });
    await back;
    assert.equal(await statusAt(other, token), 'token_revoked');
  });

  it('rotate keys together, and sign nobody out', async () => {
    const [one, other] = await pair();
    const { email } = await addLogin(one);
    const before = (await login(one, email)) as { access_token: string; refresh_token: string };
    await rotateKeys(one.context, one.keys, { source: systemSource });
    for (const service of [one, other]) service.advance(11 * 60_000);
    const after = (await login(one, email)) as { access_token: string };
    const kid = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] as string, 'base64url').toString()).kid;
    assert.notEqual(kid(after.access_token), kid(before.access_token));
    for (const service of [one, other])
      for (const { access_token } of [before, after]) assert.equal(await statusAt(service, access_token), 'good');
    const refreshed = await request(other, '/v1/clients/web/admin/refresh', {
      form: { refresh_token: before.refresh_token },
    });
    assert.equal(refreshed.status, 200);
    const { body: jwks } = await request<{ keys: { kty: string }[] }>(other, '/.well-known/jwks.json');
    const ofType = (kty: string) => jwks.keys.filter((key) => key.kty === kty).length;
    assert.deepEqual([ofType('EC'), ofType('RSA')], [2, 2], 'of access tokens and of ID tokens');
  });
});
