import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fastify } from 'fastify';
import { gatehousePlugin } from '../extensions/embedding/library.ts';
import { databases } from './harness/engines.ts';

const json = { accept: 'application/json', 'content-type': 'application/json' };

for (const path of ['', '/auth']) {
  describe(`A plugin of another Fastify, ${path === '' ? 'at its root' : `under ${path}`},`, () => {
    const create = databases('sqlite');
    const host = fastify();
    let url: string;
    before(async () => {
      const { dir, url: databaseUrl } = await create();
      host.get('/own', async () => ({ own: true }));
      // The plugin leaves a document of the host to the host.
      host.get('/.well-known/oauth-protected-resource/auth', async () => ({ own: true }));
      // The address must be known before the first link contains it.
      const port = 20_000 + (process.pid % 20_000) + path.length;
      url = `http://127.0.0.1:${port}${path}`;
      await host.register(gatehousePlugin, {
        settings: {
          dataDir: dir,
          databaseUrl,
          baseUrl: url,
          logLevel: 'silent',
          adminPassword: 'correct horse battery',
        },
        workingDir: dir,
      });
      await host.listen({ port, host: '127.0.0.1' });
    });
    after(() => host.close());

    it('does not affect the routes of the host', async () => {
      const response = await fetch(new URL('/own', url));
      assert.deepEqual(await response.json(), { own: true });
    });

    it('registers, logs in, reads and shows pages like the service', async () => {
      const body = JSON.stringify({ email: 'ada@example.com', password: 'lovelace-1815' });
      const made = await fetch(`${url}/v1/register`, { method: 'POST', headers: json, body });
      assert.equal(made.status, 201, await made.clone().text());
      const login = await fetch(`${url}/v1/clients/web/admin/login`, { method: 'POST', headers: json, body });
      const { access_token: token } = (await login.json()) as { access_token: string };
      const authorization = `Bearer ${token}`;
      const me = await fetch(`${url}/v1/users/me`, { headers: { ...json, authorization } });
      assert.equal(me.status, 200);
      assert.equal(((await me.json()) as { data: { email: string } }).data.email, 'ada@example.com');
      const page = await fetch(`${url}/login`);
      assert.match(await page.text(), new RegExp(`href="${path}/assets/pages\\.css`));
    });

    it('publishes its metadata where RFC 8414 and RFC 9728 place it, as its challenges say', async () => {
      for (const document of ['oauth-authorization-server', 'openid-configuration']) {
        const metadata = await fetch(new URL(`/.well-known/${document}${path}`, url));
        assert.equal(((await metadata.json()) as { issuer?: string }).issuer, url);
      }
      for (const resource of ['/v1', '/mcp']) {
        const refused = await fetch(`${url}${resource === '/v1' ? '/v1/users' : resource}`, {
          method: 'POST',
          headers: json,
        });
        const pointer = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1];
        const metadata = await fetch(pointer ?? assert.fail('no pointer'));
        assert.equal(((await metadata.json()) as { resource?: string }).resource, `${url}${resource}`);
      }
    });

    it('responds to errors in its own format', async () => {
      const absent = await fetch(`${url}/v1/nothing`, { headers: json });
      assert.deepEqual([absent.status, absent.headers.get('content-type')], [404, 'application/problem+json']);
      const broken = await fetch(`${url}/v1/register`, { method: 'POST', headers: json, body: '{' });
      assert.equal(broken.status, 400);
      const wrong = await fetch(`${url}/v1/register`, { method: 'DELETE', headers: { accept: json.accept } });
      assert.equal(wrong.status, 405);
    });
  });
}
