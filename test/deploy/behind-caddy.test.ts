import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { databases } from '../harness/engines.ts';
import { caddy, freePort, reverseProxies } from '../harness/reverse-proxy.ts';
import { services } from '../harness/service.ts';
import { root } from '../harness/starts.ts';

const json = { accept: 'application/json', 'content-type': 'application/json' };

describe('The Caddyfile', () => {
  const create = databases('sqlite');
  const start = services('sqlite');
  const proxies = reverseProxies();
  const file = readFileSync(join(root, 'deploy/Caddyfile'), 'utf8');

  it('is valid, forwards to the service, and hides the metrics', {
    skip: caddy ? false : 'caddy is not installed here',
  }, async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const database = await create();
    const service = await start({ database, env: { BASE_URL: url, TRUST_PROXY: '127.0.0.1' } });
    writeFileSync(join(database.dir, 'as-it-is'), file);
    const checked = spawnSync(
      caddy as string,
      ['validate', '--adapter', 'caddyfile', '--config', join(database.dir, 'as-it-is')],
      { env: { PATH: process.env.PATH, HOME: database.dir } },
    );
    assert.equal(checked.status, 0, String(checked.stderr));
    const here = file
      .replace('auth.example.com {', `${url} {`)
      .replace('127.0.0.1:3000 {', `${new URL(service.url).host} {`);
    await proxies.caddy(database.dir, here, `${url}/health/ready`);
    for (const path of ['/metrics', '/metrics/', '/metrics?x=1'])
      assert.equal((await fetch(`${url}${path}`)).status, 404, path);
    const headers = { ...json, 'x-forwarded-for': '198.51.100.7' };
    const body = JSON.stringify({ email: 'ada@example.com', password: 'lovelace-1815' });
    assert.equal((await fetch(`${url}/v1/register`, { method: 'POST', headers, body })).status, 201);
    const login = await fetch(`${url}/v1/clients/web/admin/login`, { method: 'POST', headers, body });
    const { access_token: token } = (await login.json()) as { access_token: string };
    const tokens = await fetch(`${url}/v1/tokens`, { headers: { ...json, authorization: `Bearer ${token}` } });
    const { data } = (await tokens.json()) as { data: { type: string; address: string }[] };
    assert.equal(
      data.find(({ type }) => type === 'session')?.address,
      '127.0.0.1',
      'the address of the caller is not the one that the caller sent',
    );
  });
});
