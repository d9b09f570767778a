import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { bareServers } from '../harness/bare-server.ts';
import { sendOne } from '../harness/raw-http.ts';

const origin = 'https://app.example.com';

describe('Cache headers', () => {
  const start = bareServers();
  let plain: string;
  let shared: string;
  before(async () => {
    plain = await start();
    shared = await start({ CORS_ORIGINS: origin });
  });

  const cacheHeaders = async (url: string, path: string, token = '', method = 'GET') => {
    const headers = { accept: 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const response = await fetch(url + path, { method, headers });
    return [response.headers.get('cache-control'), response.headers.get('vary')];
  };

  it('mark a private response as private, and as dependent on the token', async () => {
    const mine = 'private, no-cache';
    assert.deepEqual(await cacheHeaders(plain, '/v1/guarded', 'good'), [mine, 'Authorization']);
    assert.deepEqual(await cacheHeaders(plain, '/v1/guarded', 'good', 'HEAD'), [mine, 'Authorization']);
    assert.deepEqual(await cacheHeaders(plain, '/v1/guarded', 'bad'), [mine, 'Authorization']);
    assert.deepEqual(await cacheHeaders(plain, '/v1/guarded'), [mine, 'Authorization']);
    assert.deepEqual(await cacheHeaders(plain, '/v1/things', '', 'POST'), [mine, 'Authorization']);
    assert.deepEqual(await cacheHeaders(plain, '/v1/either', 'good'), [mine, 'Authorization']);
    assert.deepEqual(await cacheHeaders(shared, '/v1/guarded', 'good'), [mine, 'Authorization, Origin']);
  });

  it('list the headers that a public response depends on', async () => {
    assert.deepEqual(await cacheHeaders(plain, '/v1/either'), [null, 'Authorization']);
    assert.deepEqual(await cacheHeaders(shared, '/v1/either'), [null, 'Authorization, Origin']);
    assert.deepEqual(await cacheHeaders(plain, '/v1/things'), [null, null]);
    assert.deepEqual(await cacheHeaders(shared, '/plain'), [null, null]);
  });

  it('are sent with 304 too', async () => {
    const headers = { accept: 'application/json', authorization: 'Bearer good' };
    const etag = (await fetch(`${plain}/v1/guarded`, { headers })).headers.get('etag') ?? '';
    const again = await fetch(`${plain}/v1/guarded`, { headers: { ...headers, 'if-none-match': etag } });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get('cache-control'), 'private, no-cache');
    assert.equal(again.headers.get('vary'), 'Authorization');
  });
});

describe('CORS outside of the API', () => {
  const start = bareServers();
  const corsHeaders = (response: Response) =>
    [...response.headers.keys()].filter((name) => name.startsWith('access-control'));

  it('is not enabled for pages, not even for a listed origin', async () => {
    const url = await start({ CORS_ORIGINS: origin });
    const preflight = { origin, 'access-control-request-method': 'GET' };
    for (const path of ['/plain', '/nothing']) {
      const response = await fetch(url + path, { headers: { origin } });
      assert.deepEqual([corsHeaders(response), response.headers.get('vary')], [[], null], path);
    }
    assert.deepEqual(corsHeaders(await fetch(`${url}/plain`, { method: 'OPTIONS', headers: preflight })), []);
  });

  it('allows any page to read public documents, without credentials', async () => {
    const url = await start();
    for (const headers of [{ origin }, { origin: 'null' }, {}]) {
      const response = await fetch(`${url}/anybody`, { headers: headers as Record<string, string> });
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      assert.equal(response.headers.get('access-control-allow-credentials'), null);
      assert.equal(response.headers.get('cross-origin-resource-policy'), 'cross-origin');
    }
    const preflight = await fetch(`${url}/anybody`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-request-id' },
    });
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS');
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
  });
});

describe('A header that may be sent once', () => {
  const start = bareServers();
  let url: string;
  before(async () => {
    url = await start();
  });
  const get = (path: string, ...headers: string[]) =>
    sendOne(url, [`GET ${path} HTTP/1.1`, 'Accept: application/json', ...headers, '', ''].join('\r\n'));

  it('is refused if it is sent twice', async () => {
    for (const hosts of [['Host: a', 'Host: b'], ['Host: a', 'host: a'], ['Host: a, b']]) {
      const response = await get('/v1/things', ...hosts);
      assert.deepEqual([response.status, response.json().code], [400, 'host_invalid'], hosts.join());
    }
    const tokens = await get('/v1/guarded', 'Host: a', 'Authorization: Bearer slow', 'Authorization: Bearer slow');
    assert.equal(tokens.status, 401);
    assert.equal((await get('/v1/guarded', 'Host: a', 'Authorization: Bearer good')).status, 200);
  });
});

describe('The rate limit by address', () => {
  const start = bareServers();

  it('treats an IPv6 network as one address', async () => {
    const url = await start({ RATE_LIMIT: '2', TRUST_PROXY: '127.0.0.1' });
    const from = (address: string) =>
      fetch(`${url}/v1/things`, { headers: { accept: 'application/json', 'x-forwarded-for': address } }).then(
        ({ status }) => status,
      );
    const statuses = [];
    for (const host of ['1', '2', 'ffff:1']) statuses.push(await from(`2001:db8:1:2::${host}`));
    statuses.push(await from('2001:db8:1:3::1'));
    for (const address of ['::ffff:10.0.0.1', '10.0.0.1', '::ffff:a00:1']) statuses.push(await from(address));
    assert.deepEqual(statuses, [200, 200, 429, 200, 200, 200, 429]);
  });
});
