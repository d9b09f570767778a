import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import type { Service } from '../harness/service.ts';
import { bareRequest } from './bare-request.ts';
import { admin, passwordGrant, specServices } from './sender.ts';

const login = '/v1/clients/web/admin/login';

onBothEngines('The specification of headers, pages and errors', (engine) => {
  const start = specServices(engine);
  let service: Service;
  let token: string;
  before(async () => {
    service = await start();
    token = (await passwordGrant(service)).body.access_token;
  });
  const bearer = () => ({ authorization: `Bearer ${token}` });

  it('1, 9: the API returns JSON below /v1', async () => {
    const { status, headers, text } = await request(service, '/v1/users', { token });
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    assert.doesNotThrow(() => JSON.parse(text));
    assert.equal((await request(service, '/users', { token })).status, 404);
    assert.equal((await request(service, '/v2/users', { token })).status, 404);
  });

  it('9: the version is the first segment after any base address', async () => {
    const below = await start({ BASE_URL: 'https://example.com/auth' });
    for (const base of ['', '/auth'])
      assert.equal((await request(below, base + login, { json: admin })).status, 200, base);
  });

  it('5.2, 7: an auth:api endpoint accepts only a valid access token', async () => {
    for (const sent of [null, 'not a token', `${token}x`]) {
      const { status, headers } = await request(service, '/v1/users', { token: sent });
      assert.equal(status, 401);
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
    }
    assert.equal((await request(service, `/v1/users?access_token=${token}`)).status, 401);
  });

  it('5.9, 5.10: the Accept header must be sent, unless force-accept-header is false', async () => {
    assert.equal(await bareRequest(service, '/v1/users', bearer()), 406);
    assert.equal(await bareRequest(service, '/v1/users', { ...bearer(), accept: 'application/json' }), 200);
    assert.equal(await bareRequest(service, '/v1/users', { ...bearer(), accept: 'text/html' }), 406);
    const lenient = await start({ FORCE_ACCEPT_HEADER: 'false' });
    const own = (await passwordGrant(lenient)).body.access_token;
    assert.equal(await bareRequest(lenient, '/v1/users', { authorization: `Bearer ${own}` }), 200);
  });

  it('5.9, 5.11: bodies are JSON or forms', async () => {
    for (const options of [{ json: admin }, { form: admin }]) {
      assert.equal((await request(service, login, options)).status, 200);
    }
    const text = await fetch(service.url + login, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'text/plain' },
      body: JSON.stringify(admin),
    });
    assert.equal(text.status, 415);
  });

  it('5.9, 7: a matching If-None-Match yields 304', async () => {
    const first = await request(service, '/v1/users', { token });
    const etag = first.headers.get('etag') ?? '';
    assert.notEqual(etag, '');
    const same = await request(service, '/v1/users', { token, headers: { 'if-none-match': etag } });
    assert.deepEqual([same.status, same.text], [304, '']);
    assert.equal((await request(service, '/v1/users', { token, headers: { 'if-none-match': '"other"' } })).status, 200);
  });

  it('5.1, 5.7, 7: an auth:web endpoint redirects to the login page', async () => {
    const location = async (on: Service, path: string) => {
      const response = await request(on, path, { headers: { accept: 'text/html' } });
      assert.equal(response.status, 302);
      return response.headers.get('location');
    };
    assert.equal(await location(service, '/settings'), '/login?next=%2Fsettings');
    for (const name of ['entry', '/entry']) {
      const other = await start({ LOGIN_PAGE_URL: name });
      assert.equal(await location(other, '/settings'), '/entry?next=%2Fsettings');
      assert.equal((await request(other, '/entry', { headers: { accept: 'text/html' } })).status, 200);
    }
  });
});
