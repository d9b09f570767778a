import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const admin = { email: 'admin@example.com', password: 'correct horse battery' };
const login = '/v1/clients/web/admin/login';
const base = 'https://example.com/auth';

interface Tokens {
  readonly access_token: string;
}

onBothEngines('A service whose BASE_URL has a path', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start({ env: { BASE_URL: base } });
  });
  const statusOf = async (path: string) => (await fetch(service.url + path, { redirect: 'manual' })).status;

  for (const prefix of ['', '/auth']) {
    it(`responds ${prefix === '' ? 'without the prefix' : 'below the prefix'}`, async () => {
      const { status, body, headers } = await request<Tokens>(service, prefix + login, { json: admin });
      assert.equal(status, 200);
      assert.match(headers.get('set-cookie') ?? '', /Path=\/auth\/v1\/clients\/web\/admin/);
      const token = body.access_token;
      const users = await request<{ data: unknown[] }>(service, `${prefix}/v1/users/`, { token });
      assert.equal(users.status, 200);
      assert.ok(users.body.data.length > 0);
      const json = { email: `${engine}${prefix.length}@example.com`, password: 'lovelace-1815' };
      const made = await request(service, `${prefix}/v1/users`, { json, token });
      assert.match(made.headers.get('location') ?? '', /^https:\/\/example\.com\/auth\/v1\/users\/[0-9a-f-]+$/);
      assert.equal((await request(service, `${prefix}/v1/users?limit=1`, { token })).status, 200);
      assert.equal((await request(service, `${prefix}/v1/nothing`, { token })).status, 404);
      assert.equal((await request(service, `${prefix}/v1/logout`, { method: 'GET', token })).status, 405);
      const pages = ['/login', '/register', '/docs', '/openapi.json', '/health/live', '/.well-known/jwks.json'];
      for (const path of pages) assert.equal(await statusOf(prefix + path), 200, path);
    });

    it(`signs users in ${prefix === '' ? 'without the prefix' : 'below the prefix'}, and links to existing pages`, async () => {
      let visitor = new Visitor(service);
      const away = await visitor.get(`${prefix}/settings`);
      assert.deepEqual([away.status, away.location], [302, '/auth/login?next=%2Fsettings']);
      for (const next of ['/settings', '/auth/settings']) {
        const { email, password } = admin;
        visitor = new Visitor(service);
        const form = await visitor.get(away.location as string);
        assert.match(form.html, /action="\/auth\/login"/);
        const inside = await visitor.send(`${prefix}/login`, { login: email, password, next });
        assert.deepEqual([inside.status, inside.location], [303, '/auth/settings'], inside.html);
        assert.equal((await visitor.get(inside.location as string)).status, 200);
      }
      const page = await visitor.get(`${prefix}/settings`);
      const assets = [...page.html.matchAll(/(?:src|href)="([^"]+\/assets\/[^"]+)"/g)].map(
        ([, path]) => path as string,
      );
      assert.ok(assets.length > 1);
      for (const path of assets) assert.equal(await statusOf(path), 200, path);
    });
  }

  it('is discoverable at both locations of the standards', async () => {
    const documents = [
      '/auth/.well-known/openid-configuration',
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server/auth',
      '/auth/.well-known/oauth-authorization-server',
    ];
    for (const path of documents) {
      const response = await fetch(service.url + path);
      assert.equal(((await response.json()) as { issuer: string }).issuer, base, path);
    }
    const refused = await request(service, '/auth/v1/users');
    const named = /resource_metadata="https:\/\/example\.com([^"]+)"/.exec(
      refused.headers.get('www-authenticate') ?? '',
    );
    assert.equal(await statusOf(named?.[1] ?? ''), 200);
  });

  it('responds 404 below a longer prefix', async () => {
    assert.equal(await statusOf('/authority/login'), 404);
    assert.equal(await statusOf('/auth/auth/login'), 404);
    assert.equal(await statusOf('/auth'), await statusOf('/'));
  });

  it('responds both ways if the prefix is also one of its own paths', async () => {
    const odd = await start({ env: { BASE_URL: 'https://example.com/v1' } });
    for (const path of [login, `/v1${login}`])
      assert.equal((await request(odd, path, { json: admin })).status, 200, path);
  });
});
