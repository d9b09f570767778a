import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { commitAndInvalidate } from '../src/database/bus.ts';
import { removeClient } from '../src/oauth/clients/client-store.ts';
import { addLogin, password } from './harness/accounts.ts';
import { onBothEngines } from './harness/engines.ts';
import { type JsonResponse, request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';

const secret = 'the secret of the settings, long enough';

onBothEngines('First-party proxies', (engine) => {
  const start = services(engine);
  let service: Service;
  let user: { id: string; email: string };
  before(async () => {
    service = await start({
      env: {
        CLIENT_WEB_ADMIN_ID: 'admin-app',
        CLIENT_WEB_ADMIN_SECRET: secret,
        CLIENT_MOBILE_USERS_ID: 'mobile-app',
        CLIENT_MOBILE_USERS_SECRET: `${secret} too`,
        CORS_ORIGINS: 'https://app.example.com',
      },
    });
    user = await addLogin(service);
  });

  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    request(service, `/v1/clients/${path}`, { form, headers });
  const login = (path = 'web/admin') => post(`${path}/login`, { email: user.email, password });
  const cookieIn = (response: JsonResponse) => response.headers.getSetCookie()[0] ?? '';
  const valueIn = (response: JsonResponse) => /^refreshToken=([^;]+)/.exec(cookieIn(response))?.[1] as string;

  it('log in and refresh with the token response of the token endpoint and a cookie', async () => {
    for (const path of ['web/admin', 'mobile/users']) {
      const response = await login(path);
      assert.equal(response.status, 200);
      assert.deepEqual(Object.keys(response.body), ['token_type', 'expires_in', 'access_token', 'refresh_token']);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      const attributes = cookieIn(response).split('; ').slice(1).sort();
      assert.deepEqual(attributes, ['HttpOnly', 'Max-Age=2592000', `Path=/v1/clients/${path}`, 'SameSite=Strict']);
      assert.equal(valueIn(response), response.body.refresh_token);
      assert.ok(!JSON.stringify(response.body).includes(secret));

      const byParameter = await post(`${path}/refresh`, { refresh_token: String(response.body.refresh_token) });
      assert.equal(byParameter.status, 200);
      const byCookie = await request(service, `/v1/clients/${path}/refresh`, {
        method: 'POST',
        headers: { cookie: `refreshToken=${valueIn(byParameter)}` },
      });
      assert.equal(byCookie.status, 200);
      assert.notEqual(byCookie.body.refresh_token, byParameter.body.refresh_token);
      assert.equal(valueIn(byCookie), byCookie.body.refresh_token);
    }
  });

  it('serve a client with a name of one part in addition to web/admin', async () => {
    const other = await start({ env: { CLIENT_WEB_ID: 'web-app', CLIENT_WEB_SECRET: secret } });
    const { email } = await addLogin(other);
    for (const path of ['web', 'web/admin']) {
      const response = await request(other, `/v1/clients/${path}/login`, { form: { email, password } });
      assert.equal(response.status, 200, path);
      assert.match(cookieIn(response), new RegExp(`Path=/v1/clients/${path};`));
    }
  });

  it('accept only refresh tokens of their own client', async () => {
    const { refresh_token } = (await login('web/admin')).body as Record<string, string>;
    const response = await post('mobile/users/refresh', { refresh_token: refresh_token as string });
    assert.deepEqual([response.status, response.body.error], [400, 'invalid_grant']);
  });

  it('accept an enabled identifier by its name, or as username', async () => {
    assert.equal((await post('web/admin/login', { username: user.email, password })).status, 200);
    const wrong: Record<string, string>[] = [
      { phone: user.email, password },
      { password },
      { email: user.email, username: 'x', password },
      { email: '', password },
    ];
    for (const form of wrong) {
      const response = await post('web/admin/login', form);
      assert.deepEqual([response.status, response.body.error], [400, 'invalid_request']);
    }
    const json = { email: { $ne: '' }, password };
    const response = await request(service, '/v1/clients/web/admin/login', { json });
    assert.deepEqual([response.status, response.body.error], [400, 'invalid_request']);
  });

  it('pass the errors of the token endpoint on unchanged', async () => {
    const direct = await request(service, '/v1/oauth/token', {
      form: {
        grant_type: 'password',
        username: user.email,
        password: 'wrong',
        client_id: 'admin-app',
        client_secret: secret,
      },
    });
    const proxied = await post('web/admin/login', { email: user.email, password: 'wrong' });
    assert.equal(proxied.status, direct.status);
    assert.deepEqual(proxied.body, direct.body);
    assert.equal(proxied.headers.getSetCookie().length, 0);
    const none = await post('web/admin/refresh', {});
    assert.deepEqual([none.status, none.body.error], [400, 'invalid_request']);
  });

  it('neither accept nor set a cookie for a foreign origin', async () => {
    const response = await login();
    const cookie = `refreshToken=${valueIn(response)}`;
    const refresh = (headers: Record<string, string>, form: Record<string, string> = {}) =>
      post('web/admin/refresh', form, headers);
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${service.url}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      const refused = await refresh({ cookie, ...headers });
      assert.deepEqual([refused.status, refused.body.error], [403, 'access_denied']);
    }
    const token = { refresh_token: String(response.body.refresh_token) };
    for (const headers of foreign) {
      const signIn = await post('web/admin/login', { email: user.email, password }, headers);
      for (const accepted of [await refresh(headers, token), signIn])
        assert.deepEqual([accepted.status, accepted.headers.getSetCookie()], [200, []], 'no cookie for a foreign page');
    }
    for (const origin of [service.url, service.context.config.baseUrl, 'https://app.example.com']) {
      const own = await refresh({ cookie, origin });
      assert.deepEqual([own.status, cookieIn(own) !== ''], [200, true], origin);
    }
  });

  it('end with logout: token, refresh token and cookies', async () => {
    const { body } = await login();
    const { access_token: token, refresh_token } = body as Record<string, string>;
    const response = await request(service, '/v1/logout/', { method: 'DELETE', token: token as string });
    assert.equal(response.status, 200);
    assert.deepEqual(response.body, { message: 'Token revoked successfully.' });
    const cleared = response.headers.getSetCookie();
    assert.equal(cleared.length, 2);
    for (const path of ['web/admin', 'mobile/users'])
      assert.ok(
        cleared.some((cookie) => cookie.startsWith('refreshToken=;') && cookie.includes(`Path=/v1/clients/${path};`)),
      );
    assert.ok(cleared.every((cookie) => cookie.includes('Expires=Thu, 01 Jan 1970') || cookie.includes('Max-Age=0')));
    const again = await request(service, '/v1/logout', { method: 'DELETE', token: token as string });
    assert.deepEqual([again.status, again.body.code], [401, 'token_revoked']);
    assert.match(again.headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/);
    assert.equal((await post('web/admin/refresh', { refresh_token: refresh_token as string })).status, 400);
    const none = await request(service, '/v1/logout', { method: 'DELETE' });
    assert.deepEqual([none.status, none.body.code], [401, 'token_missing']);
    assert.ok(!none.headers.get('www-authenticate')?.includes('invalid_token'));
  });

  it('record sign-ins and sign-outs in the audit trail, without secrets', async () => {
    const { access_token } = (await login()).body as Record<string, string>;
    await request(service, '/v1/logout', {
      method: 'DELETE',
      token: access_token as string,
      headers: { 'x-request-id': 'bye-1' },
    });
    const events = await service.context.database.db
      .selectFrom('events')
      .selectAll()
      .where('user_id', '=', user.id)
      .execute();
    assert.ok(events.some(({ type, client_id }) => type === 'login.succeeded' && client_id === 'admin-app'));
    assert.ok(events.some(({ type, request_id }) => type === 'logout' && request_id === 'bye-1'));
    const text = JSON.stringify(events);
    for (const forbidden of [password, secret, access_token as string]) assert.ok(!text.includes(forbidden));
  });

  it('mark the cookie Secure under https', async () => {
    const secure = await start({ env: { BASE_URL: 'https://auth.example.com/gate' } });
    const someone = await addLogin(secure);
    const response = await request(secure, '/v1/clients/web/admin/login', {
      form: { email: someone.email, password },
    });
    assert.ok(cookieIn(response).includes('; Secure'));
    assert.ok(cookieIn(response).includes('; Path=/gate/v1/clients/web/admin;'));
  });

  it('use a generated web admin client if none is configured', async () => {
    const plain = await start();
    const path = join(plain.context.config.dataDir, 'clients.json');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const kept = JSON.parse(readFileSync(path, 'utf8'))['web/admin'];
    const someone = await addLogin(plain);
    const form = {
      grant_type: 'password',
      username: someone.email,
      password,
      client_id: kept.id,
      client_secret: kept.secret,
    };
    assert.equal((await request(plain, '/v1/oauth/token', { form })).status, 200);
  });

  it('use a changed secret from the settings after the next start', async () => {
    const env = { CLIENT_WEB_ADMIN_ID: 'admin-app' };
    const earlier = await start({ env: { ...env, CLIENT_WEB_ADMIN_SECRET: secret } });
    const someone = await addLogin(earlier);
    const logIn = (on: Service) =>
      request(on, '/v1/clients/web/admin/login', { form: { email: someone.email, password } });
    const changed = { ...env, CLIENT_WEB_ADMIN_SECRET: 'another secret, just as long' };
    const later = await start({ env: changed, database: earlier.database });
    const form = { grant_type: 'client_credentials', client_id: 'admin-app' };
    const errorWith = async (client_secret: string) =>
      (await request(later, '/v1/oauth/token', { form: { ...form, client_secret } })).body.error;
    assert.equal(await errorWith('another secret, just as long'), 'unauthorized_client');
    assert.equal(await errorWith(secret), 'invalid_client');
    // An instance that was not restarted yet still serves its users.
    assert.equal((await logIn(earlier)).status, 200);
    await commitAndInvalidate(later.context.database, (tx, invalidate) => removeClient(tx, invalidate, 'admin-app'));
    const gone = await logIn(later);
    assert.deepEqual([gone.status, gone.body.error], [401, 'invalid_client']);
  });
});
