import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { EventReader } from '../changes/event-reader.ts';
import { databases } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { aroundSite, freePort, nginx, reverseProxies } from '../harness/reverse-proxy.ts';
import { type Service, services } from '../harness/service.ts';

const site = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8');
const skip = nginx ? false : 'nginx is not installed here';
const json = { accept: 'application/json', 'content-type': 'application/json' };

describe('The nginx configuration', { skip }, () => {
  const create = databases('sqlite');
  const start = services('sqlite');
  let dir: string;
  let url: string;
  const proxies = reverseProxies();
  let service: Service;
  before(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const database = await create();
    dir = database.dir;
    service = await start({ database, env: { BASE_URL: url, TRUST_PROXY: '127.0.0.1' } });
    const plain = site
      .replace(/server \{\n {2}listen 80;[\s\S]*?\n\}\n/, '')
      .replace(/ {2}listen 443[^\n]*\n/, `  listen 127.0.0.1:${port};\n`)
      .replace(/ {2}(listen \[::\]|ssl_)[^\n]*\n/g, '')
      .replace('127.0.0.1:3000', new URL(service.url).host);
    await proxies.nginx(dir, plain, `${url}/health/live`);
  });

  it('is valid unchanged, with a certificate', (test) => {
    const key = join(dir, 'key.pem');
    const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
    const made = spawnSync('openssl', [...args, '-subj', '/CN=auth.example.com', '-keyout', key, '-out', `${key}.crt`]);
    if (made.status !== 0) return test.skip('openssl is not installed here');
    const own = site
      .replace('/etc/letsencrypt/live/auth.example.com/fullchain.pem', `${key}.crt`)
      .replace('/etc/letsencrypt/live/auth.example.com/privkey.pem', key);
    const { status, stderr } = spawnSync(nginx as string, ['-t', '-p', dir, '-c', aroundSite(dir, own)]);
    assert.equal(status, 0, String(stderr));
    return undefined;
  });

  it('forwards registrations, logins and reads, and the real address of the caller', async () => {
    const body = JSON.stringify({ email: 'ada@example.com', password: 'lovelace-1815' });
    const headers = { ...json, 'x-forwarded-for': '198.51.100.7' };
    assert.equal((await fetch(`${url}/v1/register`, { method: 'POST', headers, body })).status, 201);
    const login = await fetch(`${url}/v1/clients/web/admin/login`, { method: 'POST', headers, body });
    assert.equal(login.status, 200);
    const { access_token: token } = (await login.json()) as { access_token: string };
    const tokens = await fetch(`${url}/v1/tokens`, { headers: { ...json, authorization: `Bearer ${token}` } });
    const { data } = (await tokens.json()) as { data: { type: string; address: string }[] };
    assert.equal(
      data.find(({ type }) => type === 'session')?.address,
      '127.0.0.1',
      'the address of the caller is not the one that the caller sent',
    );
  });

  it('hides the metrics from the public', async () => {
    for (const path of ['/metrics', '/metrics/', '/metrics?x=1', '//metrics', '/./metrics', '/%6detrics']) {
      assert.equal((await fetch(`${url}${path}`)).status, 404, path);
    }
    assert.equal((await fetch(`${service.url}/metrics`)).status, 200);
  });

  it("forwards changes without delay and resumes, even with nginx's defaults", async () => {
    const port = await freePort();
    const plain = `http://127.0.0.1:${port}`;
    const folder = join(dir, 'defaults');
    mkdirSync(folder);
    const { host } = new URL(service.url);
    const defaults = `server { listen 127.0.0.1:${port}; location / { proxy_pass http://${host}; } }`;
    await proxies.nginx(folder, defaults, `${plain}/health/live`);
    const token = await logIn(service, 'admin@example.com', 'correct horse battery');
    const { body } = await request<{ data: { id: string } }>(service, '/v1/users/me', { token });
    const rename = (name: string) =>
      request(service, `/v1/users/${body.data.id}`, { method: 'PATCH', json: { name }, token });
    for (const way of [url, plain]) {
      const open = (more = {}) =>
        EventReader.open(`${way}/v1/changes?resources=users`, { authorization: `Bearer ${token}`, ...more });
      const stream = await open();
      await rename(`${way} 1`);
      assert.equal((await stream.change()).after?.name, `${way} 1`);
      stream.close();
      await rename(`${way} 2`);
      await rename(`${way} 3`);
      const again = await open({ 'last-event-id': stream.lastId });
      assert.deepEqual(
        [(await again.change()).after?.name, (await again.change()).after?.name],
        [`${way} 2`, `${way} 3`],
      );
      again.close();
    }
  });
});
