import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { bareServers } from '../harness/bare-server.ts';
import { sendOne } from '../harness/raw-http.ts';

const json = { accept: 'application/json' };

describe('Errors', () => {
  const start = bareServers();
  let url: string;
  before(async () => {
    url = await start();
  });

  it('are problems by RFC 9457, with the request id', async () => {
    const response = await fetch(`${url}/v1/nothing`, { headers: { ...json, 'x-request-id': 'my-1.2:3_4' } });
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.deepEqual(await response.json(), {
      type: 'urn:gatehouse:problem:not_found',
      title: 'Not Found',
      status: 404,
      detail: 'There is nothing at /v1/nothing.',
      instance: 'my-1.2:3_4',
      code: 'not_found',
    });
  });

  it('reveal nothing about internal failures', async () => {
    for (const path of ['broken', 'broken/null', 'broken/undefined', 'broken/validation']) {
      const response = await fetch(`${url}/v1/${path}`, { headers: json });
      assert.equal(response.status, 500);
      const body = await response.text();
      assert.doesNotMatch(body, /select|secrets|at .*\.ts|stack/);
      assert.equal(JSON.parse(body).code, 'internal_error', path);
    }
  });

  it('have the usual format if a route sets an invalid header', async () => {
    for (const name of ['location', 'content-disposition', 'x-symbol', 'bad%20name']) {
      const response = await fetch(`${url}/v1/broken/headers/${name}`, { headers: json });
      assert.deepEqual([response.status, response.statusText], [500, 'Internal Server Error'], name);
      assert.equal(response.headers.get('content-type'), 'application/problem+json');
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      const { code, instance } = (await response.json()) as Record<string, string>;
      assert.deepEqual([code, instance], ['internal_error', response.headers.get('x-request-id')]);
    }
  });

  it('have the OAuth format on OAuth routes, for every failure', async () => {
    const attempts: [string, string, number][] = [
      ['{', 'application/json', 400],
      ['[]', 'application/json', 400],
      ['a=1&a=2', 'application/x-www-form-urlencoded', 400],
      ['a=%ff', 'application/x-www-form-urlencoded', 400],
      ['<a/>', 'text/xml', 415],
      [`{"a":"${'x'.repeat(1024 * 1024)}"}`, 'application/json', 413],
    ];
    for (const [body, type, status] of attempts) {
      const headers = { ...json, 'content-type': type };
      const response = await fetch(`${url}/v1/oauth/form`, { method: 'POST', headers, body });
      const parsed = (await response.json()) as Record<string, string>;
      assert.equal(response.status, status);
      assert.deepEqual(Object.keys(parsed), ['error', 'error_description']);
      assert.equal(parsed.error, 'invalid_request');
      assert.match(parsed.error_description as string, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
      assert.equal(response.headers.get('cache-control'), 'no-store');
    }
  });

  it('have the OAuth format on OAuth routes, even if the router rejects the path', async () => {
    const long = 'x'.repeat(3000);
    const attempts: [string, string, Record<string, string>, number][] = [
      ['PUT', '%ff', json, 400],
      ['GET', '%ff', json, 400],
      ['PUT', '%zz/?a=1', json, 400],
      ['PUT', '%ff', { accept: 'text/html' }, 406],
      ['PUT', long, json, 414],
      ['GET', long, json, 405],
      ['PUT', `${long}%ff`, json, 400],
    ];
    for (const [method, id, headers, status] of attempts) {
      const response = await fetch(`${url}/v1/oauth/things/${id}`, { method, headers });
      const label = `${method} ${id.slice(-10)}`;
      assert.equal(response.status, status, label);
      const body = (await response.json()) as Record<string, string>;
      assert.deepEqual([Object.keys(body), body.error], [['error', 'error_description'], 'invalid_request'], label);
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/, label);
      assert.equal(response.headers.get('cache-control'), 'no-store', label);
    }
  });

  it('contain a challenge by RFC 6750', async () => {
    const challenges: [string | undefined, number, string, RegExp][] = [
      [undefined, 401, 'token_missing', /^Bearer realm="gatehouse", resource_metadata="[^"]+"$/],
      ['Basic abc', 401, 'token_missing', /^Bearer realm="gatehouse", resource_metadata="[^"]+"$/],
      ['Bearer nonsense', 401, 'token_malformed', /error="invalid_token"/],
      ['bearer nonsense', 401, 'token_malformed', /error="invalid_token"/],
      ['Bearer', 401, 'token_missing', /^Bearer realm="gatehouse", resource_metadata="[^"]+"$/],
    ];
    for (const [authorization, status, code, challenge] of challenges) {
      const response = await fetch(`${url}/v1/guarded`, {
        headers: { ...json, ...(authorization ? { authorization } : {}) },
      });
      assert.equal(response.status, status);
      assert.equal(((await response.json()) as { code: string }).code, code);
      assert.match(response.headers.get('www-authenticate') ?? '', challenge);
    }
    const narrow = await fetch(`${url}/v1/narrow`, { headers: { ...json, authorization: 'Bearer good' } });
    assert.equal(narrow.status, 403);
    assert.match(narrow.headers.get('www-authenticate') ?? '', /error="insufficient_scope", scope="others:read"/);
  });

  it('do not occur for an authorized caller', async () => {
    for (const [token, user] of [
      ['Bearer good-1', 'good-1'],
      ['bearer slow', 'slow'],
      ['BEARER good-2 ', 'good-2'],
    ]) {
      const response = await fetch(`${url}/v1/guarded`, { headers: { ...json, authorization: token as string } });
      assert.deepEqual(await response.json(), { data: user });
    }
  });
});

describe('Unusual HTTP', () => {
  const start = bareServers();
  let url: string;
  before(async () => {
    url = await start();
  });

  const get = (line: string, ...headers: string[]) =>
    sendOne(url, [line, 'Host: x', 'Accept: application/json', ...headers, '', ''].join('\r\n'));

  it('gets a problem with the usual headers if it is malformed', async () => {
    const attempts: [string, number][] = [
      ['nonsense\r\n\r\n', 400],
      ['GET /v1/things HTTP/9.9\r\n\r\n', 400],
      ['G\0T / HTTP/1.1\r\n\r\n', 400],
      ['GET /v1/things HTTP/1.1\r\nHost: x\r\nBad Header: x\r\n\r\n', 400],
      ['GET /v1/things HTTP/1.1\r\nHost: x\r\nX: \0\r\n\r\n', 400],
      ['POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}', 400],
      ['POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
      ['POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
      ['GET /v1/things HTTP/1.1\r\nAccept: application/json\r\n\r\n', 400],
      [`GET /v1/things HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      [`GET /v1/things?a=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 414],
      [`GET /v1/things HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(4000)}\r\n`, 431],
      ['POST /v1/things HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: 2\r\n\r\n{}', 417],
    ];
    for (const [bytes, status] of attempts) {
      const response = await sendOne(url, bytes);
      const label = JSON.stringify(bytes.slice(0, 90));
      assert.equal(response.status, status, label);
      assert.equal(response.headers.get('content-type'), 'application/problem+json', label);
      assert.equal(response.json().instance, response.headers.get('x-request-id'), label);
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff', label);
    }
  });

  it('gets 400 if the path or the query cannot be decoded', async () => {
    const paths = [
      '/v1/%zz',
      '/v1/things/%',
      '/v1/things/%ff',
      '/v1/things/%c3%28',
      '/v1/things?a=%ff',
      '/v1/things?%=1',
    ];
    paths.push('/v1/things?a=1&a=2', '/v1/things?__proto__=1', '/v1/things/%00', '/v1/things?a=%00', '/%ff');
    for (const path of paths) {
      const response = await get(`GET ${path} HTTP/1.1`);
      assert.equal(response.status, 400, path);
      assert.equal(response.headers.get('content-type'), 'application/problem+json');
      assert.ok(response.headers.get('x-request-id'));
    }
  });

  it('gets 414 if a path segment is too long', async () => {
    const response = await get(`GET /v1/things/${'x'.repeat(3000)} HTTP/1.1`);
    assert.equal(response.status, 414);
    assert.equal(response.json().code, 'url_too_long');
  });

  it('gets the defaults for an empty query string', async () => {
    assert.deepEqual((await get('GET /v1/defaults HTTP/1.1')).json(), { data: { page: '1' } });
    assert.deepEqual((await get('GET /v1/defaults? HTTP/1.1')).json(), { data: { page: '1' } });
    assert.deepEqual((await get('GET /v1/defaults?page=2 HTTP/1.1')).json(), { data: { page: '2' } });
  });

  it('may be HTTP/1.0 without a Host header', async () => {
    assert.equal((await sendOne(url, 'GET /plain HTTP/1.0\r\n\r\n')).status, 200);
  });
});
