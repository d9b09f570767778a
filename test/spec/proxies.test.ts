import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import type { Service } from '../harness/service.ts';
import { admin, specServices, type Tokens, webAdmin } from './sender.ts';

const login = '/v1/clients/web/admin/login';
const refresh = '/v1/clients/web/admin/refresh';

onBothEngines('The specification of proxies', (engine) => {
  const start = specServices(engine);
  let service: Service;
  before(async () => {
    service = await start({
      CLIENT_WEB_USERS_ID: 'web-users',
      CLIENT_WEB_USERS_SECRET: 'a secret of the users web client',
      CLIENT_MOBILE_USERS_ID: 'mobile-users',
      CLIENT_MOBILE_USERS_SECRET: 'a secret of the mobile client',
      LOGIN_ATTRIBUTES: 'email,username,phone',
    });
  });

  it('4.2: the caller sends only user credentials, and gets the token response unchanged', async () => {
    for (const options of [{ json: admin }, { form: admin }]) {
      const { status, body, text } = await request<Tokens>(service, login, options);
      assert.equal(status, 200, text);
      const members = ['access_token', 'expires_in', 'refresh_token', 'token_type'];
      assert.deepEqual(Object.keys(body).sort(), members);
      assert.ok(!text.includes(webAdmin.client_secret));
      assert.equal((await request(service, '/v1/users', { token: body.access_token })).status, 200);
    }
  });

  it('4.2: each trusted client has its own proxy', async () => {
    for (const path of ['clients/web/users/login', 'clients/mobile/users/login']) {
      assert.equal((await request(service, `/v1/${path}`, { json: admin })).status, 200, path);
    }
    assert.equal((await request(service, '/v1/clients/tv/users/login', { json: admin })).status, 404);
  });

  it('2.3: username and phone are login identifiers if they are enabled', async () => {
    const person = { username: `ada.${engine}`, phone: engine === 'sqlite' ? '+12133734253' : '+12133734254' };
    const password = 'lovelace-1815';
    assert.equal((await request(service, '/v1/register', { json: { ...person, password } })).status, 201);
    for (const [name, value] of Object.entries(person)) {
      assert.equal((await request(service, login, { json: { [name]: value, password } })).status, 200, name);
    }
  });

  it('4.3: the refresh token is passed as a parameter or in a cookie', async () => {
    const first = await request<Tokens>(service, login, { json: admin });
    const { refresh_token } = first.body;
    for (const options of [{ json: { refresh_token } }, { form: { refresh_token } }]) {
      const { status, body } = await request<Tokens>(service, refresh, options);
      assert.equal(status, 200);
      assert.notEqual(body.access_token, first.body.access_token);
      assert.notEqual(body.refresh_token, refresh_token);
    }
    const second = await request<Tokens>(service, login, { json: admin });
    const cookie = (second.headers.getSetCookie().find((set) => set.startsWith('refreshToken=')) ?? '').split(';')[0];
    const byCookie = await request<Tokens>(service, refresh, { method: 'POST', headers: { cookie: cookie ?? '' } });
    assert.equal(byCookie.status, 200, byCookie.text);
    assert.notEqual(byCookie.body.refresh_token, second.body.refresh_token);
  });

  it('4.3: a refresh token in the address is refused with the reason', async () => {
    const { refresh_token } = (await request<Tokens>(service, login, { json: admin })).body;
    const response = await request(service, `${refresh}?refresh_token=${refresh_token}`, { method: 'POST' });
    assert.deepEqual([response.status, response.body.error], [400, 'invalid_request']);
    assert.match(String(response.body.error_description), /'refresh_token' belongs in the body/);
    assert.equal(
      (await request(service, refresh, { json: { refresh_token } })).status,
      200,
      'the refresh token was not used up',
    );
  });
});
