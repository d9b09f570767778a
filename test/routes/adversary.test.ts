import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { holdBack } from '../harness/raw-http.ts';
import { type RequestOptions, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const routes = fileURLToPath(new URL('odd-project/routes', import.meta.url));

onBothEngines('Endpoints of the operator', (engine) => {
  const start = services(engine);
  let service: Service;
  let user: { id: string; email: string };
  before(async () => {
    // One of the routes throws, like a bug.
    service = await start({ env: { ROUTES_DIR: routes }, log: pino({ level: 'silent' }) });
    user = await addLogin(service);
  });
  const login = async (scope = '') => {
    const form = { email: user.email, password, ...(scope ? { scope } : {}) };
    return String((await request(service, '/v1/clients/web/admin/login', { form })).body.access_token);
  };
  const api = (method: string, path: string, options: RequestOptions = {}) =>
    request(service, path, { method, ...options });
  const events = async () =>
    (await service.context.database.db.selectFrom('events').select('id').where('type', '=', 'refusal.made').execute())
      .length;

  it('respond with JSON for any return value of a handler', async () => {
    const texts = [];
    for (const id of ['text', 'nothing', 'none', 'number', 'list']) {
      const { status, text, headers } = await api('GET', `/v1/odds/${id}`);
      texts.push([status, text, headers.get('content-type')?.split(';')[0]]);
    }
    const json = 'application/json';
    assert.deepEqual(texts, [
      [200, '"plain \\"text\\""', json],
      [204, '', undefined],
      [200, 'null', json],
      [200, '7', json],
      [200, '[1]', json],
    ]);
    assert.equal((await api('GET', '/v1/described')).text, '"plain \\"text\\""');
    const { headers, text } = await api('GET', '/v1/raws', { headers: { accept: '*/*' } });
    assert.deepEqual(
      [headers.get('content-type'), text],
      ['text/csv', 'a,b'],
      'a handler may send the response itself',
    );
  });

  it('do nothing for a token that was revoked while its body was delayed', async () => {
    for (const revoke of [true, false]) {
      const token = await login();
      const held = await holdBack(service.url, {
        method: 'POST',
        path: '/v1/refusals',
        body: '{}',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
        },
      });
      if (revoke) await api('DELETE', '/v1/logout', { token });
      const made = await events();
      const response = await held.finish();
      assert.deepEqual([response.status, (await events()) - made], revoke ? [401, 0] : [200, 1]);
    }
  });

  it('undo their writes when they throw, and reveal no internal error', async () => {
    const token = await login();
    const made = await events();
    const refused = await api('POST', '/v1/refusals', { token, json: { how: 'conflict' } });
    assert.deepEqual([refused.status, refused.body.code], [409, 'refused_already']);
    const failed = await api('POST', '/v1/refusals', { token, json: { how: 'bug' } });
    assert.equal(failed.status, 500);
    assert.doesNotMatch(failed.text, /secret/);
    assert.equal(await events(), made);
  });

  it('require the scope, the right kind of token, and a valid body', async () => {
    const narrow = await login('users:read');
    const refused = await api('POST', '/v1/refusals', { token: narrow, json: {} });
    assert.equal(refused.status, 403);
    assert.match(refused.headers.get('www-authenticate') ?? '', /insufficient_scope.*refusals:write/);
    const token = await login();
    assert.equal((await api('POST', '/v1/refusals', { token, json: { hwo: 'x' } })).status, 422);
    assert.equal((await api('POST', '/v1/refusals?x=1', { token, json: {} })).status, 400);
    assert.equal((await api('POST', '/v1/refusals', { token })).status, 400, 'a body is required');
    assert.equal((await api('PUT', '/v1/refusals', { token, json: {} })).status, 405);
    const visitor = new Visitor(service);
    await visitor.signIn(user.email, password);
    const { status } = await visitor.send('/v1/refusals', {}, { accept: 'application/json' });
    assert.equal(status, 401, 'the cookie of a browser is not accepted as a token');
  });

  it('accept forms only from pages of this service', async () => {
    const visitor = new Visitor(service);
    assert.equal((await visitor.send('/answers', { answer: '42' })).status, 302, 'without a session');
    await visitor.signIn(user.email, password);
    const forged = await visitor.send('/answers', { answer: '42', _csrf: 'guessed' });
    assert.equal(forged.status, 403);
    await visitor.get('/settings');
    const foreign = await visitor.send('/answers', { answer: '42' }, { origin: 'https://evil.example' });
    assert.equal(foreign.status, 403);
    const { status, html } = await visitor.send('/answers', { answer: '42' });
    assert.deepEqual([status, JSON.parse(html)], [200, { answer: 42, by: user.id }]);
    const { paths } = JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text());
    const { requestBody, responses, ...docs } = paths['/answers'].post;
    assert.deepEqual(requestBody.content['application/json'].schema.required, ['answer', '_csrf']);
    assert.ok(responses[302] && !('x-codeSamples' in docs));
  });
});
