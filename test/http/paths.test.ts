import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { bareServers } from '../harness/bare-server.ts';
import { sendOne } from '../harness/raw-http.ts';

const json = { accept: 'application/json' };

describe('Paths and methods', () => {
  const start = bareServers();
  let url: string;
  before(async () => {
    url = await start();
  });

  it('work with and without a trailing slash', async () => {
    for (const path of ['/v1/things', '/v1/things/', '/v1/things/7', '/v1/things/7/', '/v1/things/?page=2']) {
      assert.equal((await fetch(url + path, { headers: json })).status, 200, path);
    }
  });

  it('work in any valid encoding', async () => {
    for (const path of ['/%76%31/things', '/v1/%74hings']) {
      assert.equal((await fetch(url + path, { headers: json })).status, 200, path);
      const without = await sendOne(url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      assert.equal(without.status, 406, `${path} without Accept`);
    }
    const absolute = `GET http://example.com/v1/things HTTP/1.1\r\nHost: example.com\r\n`;
    assert.equal((await sendOne(url, `${absolute}Accept: application/json\r\n\r\n`)).status, 200);
    assert.equal((await sendOne(url, `${absolute}\r\n`)).status, 406);
  });

  it('get 404 if they do not exist, for every method', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await fetch(`${url}/v1/nothing`, { method, headers: json });
      assert.equal(response.status, 404, method);
      assert.equal(response.headers.get('content-type'), 'application/problem+json');
    }
    for (const path of ['/v1', '/v1/', '/', '/v1/things/7/8/9', '/v1//things', '/v2/things', '/v1/Things']) {
      assert.equal((await fetch(url + path, { headers: json })).status, 404, path);
    }
  });

  it('get 405 with Allow for an unsupported method', async () => {
    const expectations = [
      ['PUT', '/v1/things', 'GET, HEAD, OPTIONS, POST'],
      ['PATCH', '/v1/things/', 'GET, HEAD, OPTIONS, POST'],
      ['POST', '/v1/things/7', 'DELETE, GET, HEAD, OPTIONS'],
      ['GET', '/v1/strict', 'OPTIONS, POST'],
    ];
    for (const [method = '', path = '', allow = ''] of expectations) {
      const response = await fetch(url + path, { method, headers: json });
      assert.equal(response.status, 405, `${method} ${path}`);
      assert.equal(response.headers.get('allow'), allow);
      assert.equal(((await response.json()) as { code: string }).code, 'method_not_allowed');
    }
  });

  it('get 405 in the OAuth format on OAuth paths', async () => {
    const response = await fetch(`${url}/v1/oauth/form`, { headers: json });
    assert.equal(response.status, 405);
    assert.equal(((await response.json()) as { error: string }).error, 'invalid_request');
  });

  it('support methods that no route uses', async () => {
    for (const method of ['PROPFIND', 'TRACE', 'SEARCH', 'PURGE', 'QUERY', 'LOCK']) {
      const response = await sendOne(
        url,
        `${method} /v1/things HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n`,
      );
      assert.equal(response.status, 405, method);
      assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS, POST');
    }
  });

  it('get the allowed methods by OPTIONS', async () => {
    const response = await fetch(`${url}/v1/things`, { method: 'OPTIONS', headers: json });
    assert.equal(response.status, 204);
    assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS, POST');
    assert.equal((await sendOne(url, 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n')).status, 404);
  });

  it('get HEAD responses like GET without the body', async () => {
    const get = await fetch(`${url}/v1/things`, { headers: json });
    const head = await fetch(`${url}/v1/things`, { method: 'HEAD', headers: json });
    assert.equal(head.status, 200);
    assert.equal(await head.text(), '');
    for (const name of ['etag', 'content-type', 'content-length']) {
      assert.equal(head.headers.get(name), get.headers.get(name), name);
    }
  });

  it('get HEAD responses without reading a stream', async () => {
    for (const path of ['/v1/endless', '/v1/endless-web']) {
      const head = await fetch(url + path, { method: 'HEAD', headers: json, signal: AbortSignal.timeout(5000) });
      assert.equal(head.status, 200, path);
      assert.equal(head.headers.get('content-type'), 'text/plain');
    }
    const unchanged = await fetch(`${url}/v1/endless`, { headers: { ...json, 'if-none-match': '"endless"' } });
    assert.equal(unchanged.status, 304);
    const closed = await fetch(`${url}/v1/closed-streams`, { headers: json });
    assert.deepEqual(await closed.json(), { data: 3 });
  });
});

describe('The Accept header', () => {
  const start = bareServers();

  it('must allow application/json under /v1', async () => {
    const url = await start();
    const good = [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;q=0.5, */*',
      'text/html, application/json',
      '*/*',
      'application/*',
      'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
    ];
    const bad = ['text/html', 'application/problem+json', 'application/jsonp', '', '*/*;q=0', 'application/*;q=0, */*'];
    bad.push('application/json;q=0', 'application/json ; Q = 0.00, */*');
    bad.push(';application/json', ';application/json;a="b"');
    for (const accept of good) {
      assert.equal((await fetch(`${url}/v1/things`, { headers: { accept } })).status, 200, accept);
    }
    for (const accept of bad) {
      const response = await sendOne(url, `GET /v1/things HTTP/1.1\r\nHost: x\r\nAccept: ${accept}\r\n\r\n`);
      assert.equal(response.status, 406, accept);
    }
    const missing = await sendOne(url, 'GET /v1/things HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.equal(missing.status, 406);
    assert.equal(missing.headers.get('content-type'), 'application/problem+json');
  });

  it('is checked before everything else', async () => {
    const url = await start();
    const attempts = ['GET /v1/nothing', 'PUT /v1/things', 'GET /v1/guarded', 'GET /v1/things?a=%ff', 'GET /v1/%zz'];
    attempts.push(`GET /v1/things/${'x'.repeat(3000)}`);
    for (const attempt of attempts) {
      const response = await sendOne(url, `${attempt} HTTP/1.1\r\nHost: x\r\n\r\n`);
      assert.equal(response.status, 406, attempt);
    }
    const broken = 'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nContent-Length: 3\r\n\r\n<a>';
    assert.equal((await sendOne(url, broken)).status, 406);
  });

  it('causes errors in the OAuth format on OAuth paths', async () => {
    const url = await start();
    const response = await sendOne(url, 'POST /v1/oauth/form HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n');
    assert.equal(response.status, 406);
    assert.equal(response.json().error, 'invalid_request');
  });

  it('is ignored outside /v1, and if the check is disabled', async () => {
    const forced = await start();
    assert.equal((await sendOne(forced, 'GET /plain HTTP/1.1\r\nHost: x\r\n\r\n')).status, 200);
    const lenient = await start({ FORCE_ACCEPT_HEADER: 'false' });
    for (const accept of ['', 'Accept: */*\r\n', 'Accept: text/html\r\n']) {
      assert.equal((await sendOne(lenient, `GET /v1/things HTTP/1.1\r\nHost: x\r\n${accept}\r\n`)).status, 200);
    }
  });
});
