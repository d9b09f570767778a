import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hashids } from '../../extensions/passport/compat/hashids.ts';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { oldDatabases } from './old-database.ts';
import { heldByClients, mappedScopes, runImport, setClock } from './run-import.ts';

const held = heldByClients('passport10');
const web = { client_id: '2', client_secret: held.secretOf('2') };
/** The salt in the fixture's .env: APP_KEY unchanged. */
const salt = 'base64:jEZ89HFotW5N4dGyz/WvHWdCOVEDGEc0hWrUVXLwVf8=';

describe('Hashed ids', () => {
  it('are the same as in Apiato', () => {
    const ids = new Hashids('apiato', 16);
    assert.equal(ids.encode(2), 'XbPW7awNkzl83LD6');
    assert.equal(ids.decode('XbPW7awNkzl83LD6'), 2);
    for (const number of [0, 1, 44, 99, 100, 12_345, 2 ** 31, 2 ** 45])
      assert.equal(ids.decode(ids.encode(number)), number);
    for (const text of ['', 'X', 'XbPW7awNkzl83LD7', 'xbPW7awNkzl83LD6', 'cfhistu', '1'.repeat(200)])
      assert.equal(ids.decode(text), undefined);
  });
});

describe('Compatibility', () => {
  const start = services('sqlite');
  const make = oldDatabases('sqlite');
  const taken = async (compat: string) => {
    const env = {
      CLIENT_WEB_ID: web.client_id,
      CLIENT_WEB_SECRET: web.client_secret,
      // A token of the old service proves no recent sign-in.
      FRESH_PROOF: '0',
      ...(compat ? { COMPAT: compat } : {}),
    };
    const [service, old] = [await start({ env }), await make()];
    setClock(service);
    await runImport(service, old, { scopes: mappedScopes });
    return service;
  };
  const used = { grant_type: 'refresh_token', refresh_token: held.of('used').refresh_token as string };

  it('is off by default', async () => {
    const service = await taken('');
    const token = held.of('login_star').access_token;
    assert.equal((await request(service, '/v1/logout', { method: 'POST', token })).status, 405);
    assert.equal((await request(service, '/v1/users/1', { token: held.of('login').access_token })).status, 404);
    assert.equal((await request(service, '/oauth/token', { json: { ...used, ...web, client_id: 2 } })).status, 400);
    assert.equal((await request(service, '/v1/logout', { method: 'DELETE', token })).status, 200);
  });

  for (const compat of ['passport', 'apiato10', 'apiato11', 'apiato12', 'apiato13']) {
    it(`responds like ${compat}`, async () => {
      const service = await taken(compat);
      const token = held.of('login').access_token;
      const refused = await request(service, '/oauth/token', { json: { ...used, ...web, client_id: 2 } });
      const expected = compat === 'apiato13' ? [400, 'invalid_grant'] : [401, 'invalid_request'];
      assert.deepEqual([refused.status, refused.body.error], expected);
      const wrong = await request(service, '/oauth/token', {
        json: { ...used, ...web, client_id: 2, client_secret: 'no' },
      });
      assert.deepEqual([wrong.status, wrong.body.error], [401, 'invalid_client']);

      const proxied = await request<Record<string, never> & { data: Record<string, unknown> }>(
        service,
        '/v1/clients/web/refresh',
        {
          json: { refresh_token: held.of('refreshed').refresh_token },
        },
      );
      assert.equal(proxied.status, 200);
      if (compat === 'apiato12') assert.equal(proxied.body.data.object, 'Token');
      else if (compat === 'apiato13') assert.equal(proxied.body.data.type, 'PasswordToken');
      const tokens = (proxied.body.data ?? proxied.body) as Record<string, unknown>;
      assert.equal(typeof tokens.access_token, 'string');
      assert.match(proxied.headers.get('set-cookie') ?? '', /refreshToken=/);

      const admin = await request<{ data: { id: string; email: string } }>(service, '/v1/users/4', { token });
      assert.deepEqual([admin.status, admin.body.data.email], [200, 'joan@example.com']);
      if (compat !== 'passport') {
        const length = compat === 'apiato13' ? 16 : 32;
        const hashed = await request<{ data: { id: string } }>(
          service,
          `/v1/users/${new Hashids(salt, length).encode(4)}`,
          { token },
        );
        assert.equal(hashed.body.data?.id, admin.body.data.id);
        const list = await request<{ data: unknown[] }>(
          service,
          `/v1/users?search=${encodeURIComponent('email:joan@example.com;email:ada@example.com')}&whatever=1`,
          { token },
        );
        assert.deepEqual([list.status, list.body.data.length], [200, 2]);
        const all = await request<{ data: unknown[]; meta: { pagination: { total: number } } }>(
          service,
          '/v1/users?limit=0',
          { token },
        );
        assert.deepEqual([all.status, all.body.data.length, all.body.meta.pagination.total], [200, 5, 5]);
      }
      assert.equal((await request(service, '/v1/users/777', { token })).status, 404);
      const made = await request<{ data: { user_id: string } }>(service, '/v1/clients', {
        token,
        json: { name: 'Theirs', user_id: 4 },
      });
      assert.deepEqual([made.status, made.body.data?.user_id], [201, admin.body.data.id], JSON.stringify(made.body));
      const many = await request<{ data: { status: number; data: { id: string } }[] }>(service, '/v1/users/batches', {
        method: 'PATCH',
        token,
        json: { rows: [{ id: 4, name: 'Theirs' }] },
      });
      assert.deepEqual(
        [many.body.data?.[0]?.status, many.body.data?.[0]?.data?.id],
        [200, admin.body.data.id],
        many.text,
      );
      const found = await request<{ data: { user_id: string }[] }>(service, '/v1/clients?search=user_id:4', { token });
      assert.equal(found.body.data.length, 1);

      const star = held.of('login_star').access_token;
      const out = await request(service, '/v1/logout', { method: 'POST', token: star });
      assert.deepEqual([out.status, out.body.message], [202, 'Token revoked successfully.']);
      assert.equal((await request(service, '/v1/users/me', { token: star })).status, 401);
      assert.equal((await request(service, '/v1/logout?lang=de', { method: 'DELETE', token })).status, 202);
    });
  }
});
