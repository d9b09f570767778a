import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { bareServers } from '../harness/bare-server.ts';
import { sendOne } from '../harness/raw-http.ts';
import { services } from '../harness/service.ts';

const json = { accept: 'application/json' };

describe('Conditional requests', () => {
  const start = bareServers();
  let url: string;
  let etag: string;
  before(async () => {
    url = await start();
    etag = (await fetch(`${url}/v1/things`, { headers: json })).headers.get('etag') ?? '';
  });

  const request = (tags: string, method = 'GET') =>
    fetch(`${url}/v1/things`, { method, headers: { ...json, 'if-none-match': tags } });

  it('are supported by an ETag on every 200 response to GET', async () => {
    assert.match(etag, /^"[\w-]{20,}"$/);
    for (const path of ['/v1/things/7', '/plain']) {
      assert.match((await fetch(url + path, { headers: json })).headers.get('etag') ?? '', /^"/);
    }
    assert.equal((await fetch(`${url}/v1/nothing`, { headers: json })).headers.get('etag'), null);
    const other = (await fetch(`${url}/v1/things/8`, { headers: json })).headers.get('etag');
    assert.notEqual(other, etag);
  });

  it('get 304 without a body if the ETag matches', async () => {
    for (const tags of [etag, `W/${etag}`, '*', `"a", ${etag}`, `W/"b" ,W/${etag},"c"`, ` ${etag} `]) {
      const response = await sendOne(
        url,
        `GET /v1/things HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nIf-None-Match: ${tags}\r\n\r\n`,
      );
      assert.equal(response.status, 304, tags);
      assert.equal(response.body, '');
      assert.equal(response.headers.get('etag'), etag);
      assert.ok(response.headers.get('x-request-id'));
      assert.equal(response.headers.get('content-type'), undefined);
      assert.equal((await request(tags, 'HEAD')).status, 304);
    }
  });

  it('get a full response if the ETag does not match', async () => {
    for (const tags of ['"a"', etag.slice(1, -1), '"a", "b"', 'W/"a"', '""']) {
      assert.equal((await request(tags)).status, 200, tags);
    }
    assert.equal((await fetch(`${url}/v1/things/9`, { headers: { ...json, 'if-none-match': etag } })).status, 200);
  });

  it('get errors as usual', async () => {
    assert.equal((await fetch(`${url}/v1/nothing`, { headers: { ...json, 'if-none-match': '*' } })).status, 404);
    assert.equal((await fetch(`${url}/v1/guarded`, { headers: { ...json, 'if-none-match': '*' } })).status, 401);
  });
});

describe('The headers of every response', () => {
  const start = bareServers();

  it("contain the request id, which is the caller's if it is valid", async () => {
    const url = await start();
    for (const id of ['a', 'trace-1.2:3_4', 'x'.repeat(128)]) {
      const response = await fetch(`${url}/plain`, { headers: { 'x-request-id': id } });
      assert.equal(response.headers.get('x-request-id'), id);
    }
    const ids = new Set<string>();
    for (const id of ['', ' ', 'x'.repeat(129), 'a b', '<script>', 'a;b', 'ü', '"']) {
      const response = await sendOne(
        url,
        Buffer.from(`GET /plain HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n\r\n`, 'latin1'),
      );
      const given = response.headers.get('x-request-id') ?? '';
      assert.match(given, /^[\w-]{4,40}$/, id);
      ids.add(given);
    }
    assert.equal(ids.size, 8);
  });

  it('protect browsers', async () => {
    const plain = await start();
    const secure = await start({ BASE_URL: 'https://auth.example.com' });
    for (const path of ['/v1/things', '/v1/nothing', '/v1/guarded', '/plain']) {
      const { headers } = await fetch(plain + path, { headers: json });
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'; frame-ancestors 'none'/);
      assert.equal(headers.get('strict-transport-security'), null);
      assert.match(
        (await fetch(secure + path, { headers: json })).headers.get('strict-transport-security') ?? '',
        /max-age=/,
      );
      assert.equal(headers.get('server'), null);
      assert.equal(headers.get('x-powered-by'), null);
    }
  });
});

describe('CORS', () => {
  const start = bareServers();
  const origin = 'https://app.example.com';
  const preflight = {
    origin,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'authorization',
  };
  const corsHeaders = (response: Response) =>
    [...response.headers.keys()].filter((name) => name.startsWith('access-control'));

  it('is disabled by default', async () => {
    const url = await start();
    assert.deepEqual(corsHeaders(await fetch(`${url}/v1/things`, { headers: { ...json, origin } })), []);
    const response = await fetch(`${url}/v1/things`, { method: 'OPTIONS', headers: preflight });
    assert.equal(response.status, 204);
    assert.deepEqual(corsHeaders(response), []);
  });

  it('allows a configured origin to read responses and errors', async () => {
    const url = await start({ CORS_ORIGINS: `${origin},http://localhost:5173` });
    for (const [path, status] of [
      ['/v1/things', 200],
      ['/v1/nothing', 404],
      ['/v1/guarded', 401],
    ] as const) {
      const response = await fetch(url + path, { headers: { ...json, origin } });
      assert.equal(response.status, status);
      assert.equal(response.headers.get('access-control-allow-origin'), origin);
      assert.equal(response.headers.get('access-control-allow-credentials'), 'true');
      assert.match(response.headers.get('access-control-expose-headers') ?? '', /ETag.*WWW-Authenticate/);
      assert.match(response.headers.get('vary') ?? '', /(^|, )Origin$/);
    }
    const noAccept = await fetch(`${url}/v1/things`, { headers: { origin, accept: 'text/html' } });
    assert.equal(noAccept.status, 406);
    assert.equal(noAccept.headers.get('access-control-allow-origin'), origin);
  });

  it('responds to a preflight with the allowed methods, without an Accept header', async () => {
    const url = await start({ CORS_ORIGINS: origin });
    const response = await fetch(`${url}/v1/things/7`, { method: 'OPTIONS', headers: preflight });
    assert.equal(response.status, 204);
    assert.equal(response.headers.get('access-control-allow-methods'), 'DELETE, GET, HEAD, OPTIONS');
    assert.match(
      response.headers.get('access-control-allow-headers') ?? '',
      /Authorization, Content-Type.*Last-Event-ID/,
    );
    assert.equal(response.headers.get('access-control-max-age'), '600');
  });

  it('reveals nothing to another origin, and sets Vary', async () => {
    const url = await start({ CORS_ORIGINS: origin });
    for (const foreign of [
      'https://evil.example.com',
      'https://app.example.com.evil.com',
      'null',
      'http://app.example.com',
    ]) {
      const response = await fetch(`${url}/v1/things`, { headers: { ...json, origin: foreign } });
      assert.deepEqual(corsHeaders(response), []);
      assert.equal(response.headers.get('vary'), 'Origin');
      const refused = await fetch(`${url}/v1/things`, {
        method: 'OPTIONS',
        headers: { ...preflight, origin: foreign },
      });
      assert.deepEqual(corsHeaders(refused), []);
    }
  });
});

describe('The rate limit', () => {
  const start = bareServers();
  const startService = services('sqlite');

  it('counts down, refuses with Retry-After, and counts callers separately', async () => {
    const url = await start({ RATE_LIMIT: '3' });
    const as = (token: string) =>
      fetch(`${url}/v1/guarded`, { headers: { ...json, authorization: `Bearer ${token}` } });
    for (const remaining of ['2', '1', '0']) {
      const response = await as('good-a');
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('ratelimit-limit'), '3');
      assert.equal(response.headers.get('ratelimit-remaining'), remaining);
      const reset = Number(response.headers.get('ratelimit-reset'));
      assert.ok(reset > 0 && reset <= 60);
    }
    const refused = await as('good-a');
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal(refused.headers.get('ratelimit-remaining'), '0');
    assert.equal(((await refused.json()) as { code: string }).code, 'too_many_requests');
    assert.equal((await as('good-b')).status, 200);
  });

  it('counts wrong tokens and anonymous requests for unknown paths by address', async () => {
    const url = await start({ RATE_LIMIT: '3' });
    const guess = () => fetch(`${url}/v1/guarded`, { headers: { ...json, authorization: 'Bearer nonsense' } });
    assert.equal((await guess()).status, 401);
    assert.equal((await fetch(`${url}/v1/nothing`, { headers: json })).status, 404);
    assert.equal((await fetch(`${url}/v1/things`, { headers: json })).status, 200);
    assert.equal((await guess()).status, 429);
    assert.equal((await fetch(`${url}/v1/things`, { headers: json })).status, 429);
    assert.equal(
      (await fetch(`${url}/v1/guarded`, { headers: { ...json, authorization: 'Bearer good' } })).status,
      200,
    );
  });

  it('counts unknown paths and methods of an authenticated caller by caller', async () => {
    const url = await start({ RATE_LIMIT: '2' });
    const as = (token: string, method: string, path: string) =>
      fetch(url + path, { method, headers: { ...json, authorization: `Bearer ${token}` } });
    for (const token of ['good-a', 'good-b']) {
      assert.equal((await as(token, 'GET', '/v1/nothing')).status, 404);
      assert.equal((await as(token, 'DELETE', '/v1/guarded')).status, 405);
      assert.equal((await as(token, 'GET', '/v1/nothing')).status, 429);
      assert.equal((await as(token, 'GET', '/v1/guarded')).status, 429);
    }
    assert.equal((await fetch(`${url}/v1/things`, { headers: json })).status, 200);
    assert.equal((await as('nonsense', 'GET', '/v1/nothing')).status, 404);
    assert.equal((await fetch(`${url}/v1/things`, { headers: json })).status, 429);
  });

  it('counts redirects to the login page by address', async () => {
    const { url } = await startService({ env: { RATE_LIMIT: '2' } });
    const visit = () => fetch(`${url}/settings`, { redirect: 'manual' });
    for (const remaining of ['1', '0']) {
      const response = await visit();
      assert.deepEqual([response.status, response.headers.get('ratelimit-remaining')], [302, remaining]);
    }
    const refused = await visit();
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await fetch(`${url}/v1/nothing`, { headers: json })).status, 429);
  });

  it('uses X-Forwarded-For only from a trusted proxy', async () => {
    const from = (url: string, address: string) =>
      fetch(`${url}/v1/things`, { headers: { ...json, 'x-forwarded-for': address } }).then(({ status }) => status);
    const direct = await start({ RATE_LIMIT: '1' });
    assert.deepEqual([await from(direct, '10.0.0.1'), await from(direct, '10.0.0.2')], [200, 429]);
    const proxied = await start({ RATE_LIMIT: '1', TRUST_PROXY: '127.0.0.1' });
    assert.deepEqual(
      [await from(proxied, '10.0.0.1'), await from(proxied, '10.0.0.2'), await from(proxied, '10.0.0.1')],
      [200, 200, 429],
    );
  });

  it('ignores addresses that the caller sent before the address of the proxy', async () => {
    for (const TRUST_PROXY of ['true', '127.0.0.1']) {
      const url = await start({ RATE_LIMIT: '1', TRUST_PROXY });
      const from = (addresses: string) =>
        fetch(`${url}/v1/things`, { headers: { ...json, 'x-forwarded-for': addresses } }).then(({ status }) => status);
      const forged = [await from('10.0.0.1, 192.0.2.1'), await from('10.0.0.2, 192.0.2.1'), await from('192.0.2.2')];
      assert.deepEqual(forged, [200, 429, 200], TRUST_PROXY);
    }
  });

  it('ignores the port that a proxy appends to an address', async () => {
    const url = await start({ RATE_LIMIT: '1', TRUST_PROXY: '127.0.0.1' });
    const from = (address: string) =>
      fetch(`${url}/v1/things`, { headers: { ...json, 'x-forwarded-for': address } }).then(({ status }) => status);
    for (const [first, second] of [
      ['192.0.2.1:50001', '192.0.2.1:50002'],
      ['[2001:db8:1:2::1]:50001', '[2001:db8:1:2::2]:50002'],
      ['198.51.100.7', '198.51.100.7:443'],
    ] as const) {
      assert.deepEqual([await from(first), await from(second)], [200, 429], first);
    }
  });

  it('is off if it is 0', async () => {
    const url = await start({ RATE_LIMIT: '0' });
    assert.equal((await fetch(`${url}/v1/things`, { headers: json })).headers.get('ratelimit-limit'), null);
  });
});
