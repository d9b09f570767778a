import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createGatehouse } from 'gatehouse-server/client';
import { OAuthError } from 'gatehouse-server/client/errors';
import { memoryStore } from 'gatehouse-server/client/login';
import { Hashids } from '../../extensions/passport/compat/hashids.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { oldDatabases } from './old-database.ts';
import { heldByClients, mappedScopes, runImport, setClock } from './run-import.ts';

const held = heldByClients('passport10');
const token = held.of('login').access_token;
/** The salt in the fixture's .env: APP_KEY unchanged. */
const hashids = new Hashids('base64:jEZ89HFotW5N4dGyz/WvHWdCOVEDGEc0hWrUVXLwVf8=', 32);
const uuid = /^[0-9a-f]{8}-/;

interface User {
  readonly object: string;
  readonly id: string;
  readonly email: string;
  readonly roles: { readonly data: { readonly object: string }[] };
  readonly permissions: { readonly data: unknown[] };
}
interface One {
  readonly data: User;
  readonly meta: { readonly include: string[]; readonly custom: unknown[] };
}
interface Many {
  readonly data: User[];
  readonly meta: { readonly include: string[]; readonly custom: unknown[]; readonly pagination: { total: number } };
}

onBothEngines('A client of Apiato', (engine) => {
  const start = services(engine);
  const make = oldDatabases('sqlite');
  const taken = async (env: Record<string, string>) => {
    const [service, old] = [await start({ env: { FRESH_PROOF: '0', ...env } }), await make()];
    setClock(service);
    await runImport(service, old, { scopes: mappedScopes });
    return service;
  };

  it('finds the routes, the envelope and the ids of Apiato', async () => {
    const service = await taken({ COMPAT: 'apiato10', COMPAT_IDS: 'hashed' });
    for (const path of ['/v1/user/profile', '/v1/profile', '/v1/users/me']) {
      const { status, body, text } = await request<One>(service, path, { token });
      assert.deepEqual([status, body.data?.object, body.data?.id], [200, 'User', hashids.encode(1)], path + text);
      assert.deepEqual(body.meta.custom, []);
      assert.ok(body.meta.include.includes('roles'));
      assert.equal((await request(service, path)).status, 401);
    }
    const permissions = await request<{ data: { object: string; name: string }[] }>(service, '/v1/permissions', {
      token,
    });
    assert.deepEqual([permissions.status, permissions.body.data[0]?.object], [200, 'Permission']);
    assert.equal((await request(service, '/v1/permissions')).status, 401);

    const one = await request<One>(service, '/v1/users/me?include=roles,permissions', { token });
    assert.deepEqual(
      [one.status, one.body.data.permissions, one.body.data.roles.data[0]?.object],
      [200, { data: [{ object: 'Permission', id: '*', name: '*', display_name: null, description: null }] }, 'Role'],
    );
    const roles = await request<{ data: { permissions: { data: { name: string }[] } }[] }>(
      service,
      '/v1/roles?include=permissions',
      { token },
    );
    assert.deepEqual(
      roles.body.data.map(({ permissions: own }) => own.data.map(({ name }) => name)),
      [['*']],
    );
    const registered = await request<One>(service, '/v1/register?include=roles', {
      json: { email: 'new@example.com', password: 'a long enough password' },
    });
    assert.deepEqual([registered.status, registered.body.data.object, registered.body.meta.custom], [201, 'User', []]);

    // Passport's JSON API: only the caller's tokens, by kind, with ids that a client can use.
    const names = async (path: string) => {
      type Listed = { name: string | null; client: { id: string; personal_access_client: boolean } };
      const { body, text } = await request<Listed[]>(service, path, { token });
      assert.ok(Array.isArray(body), text);
      const isOfPersonalTokens = path.includes('personal');
      assert.ok(
        body.every(({ client }) => client.personal_access_client === isOfPersonalTokens),
        text,
      );
      return body.map(({ name, client }) => [name, client.id]);
    };
    assert.deepEqual(await names('/oauth/personal-access-tokens'), [['CI token', '1']]);
    const logins = await names('/oauth/tokens');
    assert.ok(logins.length > 0 && logins.every(([name, client]) => name === null && client === '2'), String(logins));
    const list = await request<Many>(service, '/v1/users?orderBy=email&include=permissions', { token });
    assert.ok(list.body.meta.pagination.total >= 4);
    const joan = list.body.data.find(({ email }) => email === 'joan@example.com');
    assert.deepEqual([joan?.object, joan?.id, joan?.permissions], ['User', hashids.encode(4), { data: [] }]);
    const again = await request<One>(service, `/v1/users/${joan?.id}`, { token });
    assert.equal(again.body.data.email, 'joan@example.com');
    const made = await request<{ data: { user_id: string; object: string } }>(service, '/v1/clients', {
      token,
      json: { name: 'Theirs', user_id: joan?.id },
    });
    assert.deepEqual(
      [made.status, made.body.data.user_id, made.body.data.object],
      [201, joan?.id, 'Client'],
      made.text,
    );
  });

  it('searches all text fields for a word, and gets errors by field', async () => {
    const service = await taken({ COMPAT: 'apiato10' });
    const found = await request<Many>(service, '/v1/users?search=oan', { token });
    assert.deepEqual(
      found.body.data?.map(({ email }) => email),
      ['joan@example.com'],
      found.text,
    );
    assert.match(found.body.data[0]?.id ?? '', uuid);
    const none = await request<Many>(service, '/v1/users?search=oan&searchFields=phone:like', { token });
    assert.deepEqual(none.body.data, []);
    for (const search of ['a;b', 'a,b', '*', '\\', "'; drop table users"]) {
      const { status, text } = await request(service, `/v1/users?search=${encodeURIComponent(search)}`, { token });
      assert.equal(status, 200, text);
    }

    const wrong = await request<{ message: string; errors: Record<string, string[]> }>(service, '/v1/users', {
      token,
      json: { email: 'ann@example.com', password: 'short' },
    });
    assert.equal(wrong.status, 422, wrong.text);
    assert.match(wrong.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(wrong.body.message, 'The given data was invalid.');
    assert.ok(Array.isArray(wrong.body.errors.password), wrong.text);
    const problem = await request<{ errors: { field: string }[] }>(service, '/v1/users', {
      token,
      json: { email: 'ann@example.com', password: 'short' },
      headers: { accept: 'application/json, application/problem+json' },
    });
    assert.ok(Array.isArray(problem.body.errors), problem.text);
    const refused = await request(service, '/v1/clients/web/admin/login', {
      json: { email: 'ada@example.com', password: 'x' },
    });
    const { error, error_description, message, errors } = refused.body;
    assert.deepEqual([refused.status, error, message, errors], [400, 'invalid_grant', error_description, {}]);
    for (const path of ['/v1/users/777', '/v1/nothing']) {
      const unknown = await request<{ message: string; errors: object }>(service, path, { token });
      assert.deepEqual([unknown.status, typeof unknown.body.message, unknown.body.errors], [404, 'string', {}], path);
    }
  });

  it('uses the JSON API of Passport', async () => {
    const service = await taken({ COMPAT: 'passport' });
    for (const path of ['scopes', 'tokens', 'clients', 'personal-access-tokens']) {
      assert.equal((await request(service, `/oauth/${path}`)).status, 401, path);
    }
    const scopes = await request<{ id: string; description: string }[]>(service, '/oauth/scopes', { token });
    assert.equal(scopes.status, 200, scopes.text);
    assert.ok(scopes.body.some(({ id, description }) => id === 'users:read' && description !== ''));
    const tokens = await request<{ id: string; client: { id: string }; revoked: boolean }[]>(service, '/oauth/tokens', {
      token,
    });
    assert.deepEqual([tokens.body[0]?.client.id, tokens.body[0]?.revoked], ['2', false], tokens.text);
    const made = await request<{ accessToken: string; token: { id: string; name: string } }>(
      service,
      '/oauth/personal-access-tokens',
      { token, json: { name: 'CI', scopes: ['users:read'] } },
    );
    assert.deepEqual([made.status, made.body.token?.name], [200, 'CI'], made.text);
    const own = made.body.accessToken;
    assert.equal((await request(service, '/v1/users/me', { token: own })).status, 200);
    const personal = await request<{ name: string }[]>(service, '/oauth/personal-access-tokens', { token });
    assert.deepEqual(personal.body.map(({ name }) => name).sort(), ['CI', 'CI token']);
    const path = `/oauth/personal-access-tokens/${made.body.token.id}`;
    assert.equal((await request(service, path, { method: 'DELETE', token })).status, 204);
    assert.equal((await request(service, '/v1/users/me', { token: own })).status, 401);

    const client = await request<{ id: string; secret: string; redirect: string }>(service, '/oauth/clients', {
      token,
      json: { name: 'Shop', redirect: 'https://shop.example.com/cb' },
    });
    assert.deepEqual([client.status, client.body.redirect], [201, 'https://shop.example.com/cb'], client.text);
    assert.equal(typeof client.body.secret, 'string');
    const renamed = await request<{ name: string }>(service, `/oauth/clients/${client.body.id}`, {
      method: 'PUT',
      token,
      json: { name: 'Store', redirect: 'https://shop.example.com/cb' },
    });
    assert.deepEqual([renamed.status, renamed.body.name], [200, 'Store'], renamed.text);
    const list = await request<{ name: string }[]>(service, '/oauth/clients', { token });
    assert.deepEqual(
      list.body.map(({ name }) => name),
      ['Store'],
    );
    assert.equal((await request(service, `/oauth/clients/${client.body.id}`, { method: 'DELETE', token })).status, 204);
  });

  it('finds none of these routes without COMPAT', async () => {
    const service = await taken({});
    for (const path of ['/oauth/tokens', '/oauth/scopes', '/v1/profile', '/v1/permissions']) {
      assert.equal((await request(service, path, { token })).status, 404, path);
    }
    assert.equal((await request(service, '/v1/users?search=Ada', { token })).status, 400);
  });

  for (const COMPAT of ['passport', 'apiato11', 'apiato12', 'apiato13']) {
    it(`may be Gatehouse's typed client (${COMPAT})`, async () => {
      const service = await start({ env: { COMPAT } });
      const { email } = await addLogin(service);
      const refreshTokens = memoryStore();
      const gatehouse = createGatehouse({ baseUrl: service.url, proxy: 'web/admin', refreshTokens });
      await assert.rejects(gatehouse.login({ email, password: 'wrong' }), OAuthError);
      await gatehouse.login({ email, password });
      service.advance(3601_000);
      const { data } = await gatehouse.resource<{ id: string; email: string }>('users').list();
      assert.deepEqual(
        data.map((user) => user.email),
        [email],
      );
      await gatehouse.logout();
      refreshTokens.write('unknown');
      assert.equal(await gatehouse.resume(), false);
    });
  }
});
