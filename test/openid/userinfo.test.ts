import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { systemSource as source } from '../../src/http/request-source.ts';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addUser } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { openSession } from '../harness/sessions.ts';
import { signToken } from '../harness/sign-token.ts';

onBothEngines('/oauth/userinfo', (engine) => {
  const start = services(engine);
  let service: Service;
  let userId: string;
  let clientId: string;
  before(async () => {
    service = await start({ env: { CORS_ORIGINS: 'https://app.example' } });
    userId = (await addUser(service.context, { email: 'ada@example.com' })).id;
    clientId = (await addApplication(service, { scopes: identityScopes })).id;
    await service.context.database.db
      .updateTable('users')
      .set({ name: 'Ada', username: 'ada', phone: '+12133734253' })
      .where('id', '=', userId)
      .execute();
  });

  const tokenOf = async (scopes: readonly string[], subject: { userId?: string } = { userId }): Promise<string> => {
    const session = await openSession(service, { ...subject, clientId, scopes, source });
    return signToken(service.sessions, session);
  };
  const path = '/oauth/userinfo';
  const get = (token?: string) =>
    request(service, path, { ...(token ? { token } : {}), headers: { accept: 'text/html' } });

  it('returns the claims of the scopes, with the id of the user as sub', async () => {
    const { rows } = { rows: await service.context.database.db.selectFrom('users').selectAll().execute() };
    const updated_at = Math.floor((rows.find(({ id }) => id === userId)?.updated_at ?? 0) / 1000);
    const profile = { name: 'Ada', preferred_username: 'ada', updated_at };
    const email = { email: 'ada@example.com', email_verified: true };
    const phone = { phone_number: '+12133734253', phone_number_verified: false };
    for (const [scopes, claims] of [
      [['openid'], {}],
      [['openid', 'profile'], profile],
      [['openid', 'email'], email],
      [['openid', 'phone'], phone],
      [identityScopes, { ...profile, ...email, ...phone }],
    ] as const) {
      const { status, body, headers } = await get(await tokenOf(scopes));
      assert.equal(status, 200);
      assert.deepEqual(body, { sub: userId, ...claims });
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(headers.get('cache-control'), 'private, no-cache');
      assert.match(headers.get('vary') ?? '', /Authorization/);
    }
  });

  it('omits claims without a value', async () => {
    const { id } = await addUser(service.context, { email: 'plain@example.com' });
    const { body } = await get(await tokenOf(identityScopes, { userId: id }));
    assert.deepEqual(Object.keys(body).sort(), ['email', 'email_verified', 'sub', 'updated_at']);
  });

  it('accepts the token by POST in the header or in a form, not in both', async () => {
    const token = await tokenOf(['openid', 'email']);
    const expected = { sub: userId, email: 'ada@example.com', email_verified: true };
    assert.deepEqual((await request(service, path, { method: 'POST', token })).body, expected);
    const inForm = await request(service, path, { form: { access_token: token } });
    assert.deepEqual(inForm.body, expected);
    assert.equal(inForm.headers.get('cache-control'), 'no-store');
    // Media types are case-insensitive (RFC 9110 8.3.1).
    const headers = { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' };
    assert.equal((await request(service, path, { form: { access_token: token }, headers })).status, 200);
    const both = await request(service, path, { form: { access_token: token }, token });
    assert.deepEqual([both.status, both.body.error], [400, 'invalid_request']);
    assert.equal(
      (await request(service, path, { json: { access_token: token } })).status,
      401,
      'a form without the header',
    );
    assert.equal((await request(service, `${path}?access_token=${token}`)).status, 401, 'never in the URL');
  });

  it('refuses an invalid token with 401 and a challenge, and missing scopes with 403', async () => {
    for (const method of ['GET', 'POST']) {
      const missing = await request(service, path, { method });
      assert.equal(missing.status, 401);
      const challenge = missing.headers.get('www-authenticate') ?? '';
      assert.ok(challenge.startsWith('Bearer realm="gatehouse"') && !challenge.includes('error='), challenge);
      const wrong = await request(service, path, { method, token: 'nonsense' });
      assert.deepEqual([wrong.status, wrong.body.error], [401, 'invalid_token']);
      assert.match(wrong.headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/);
      const narrow = await request(service, path, { method, token: await tokenOf(['email']) });
      assert.deepEqual([narrow.status, narrow.body.error], [403, 'insufficient_scope']);
      assert.match(narrow.headers.get('www-authenticate') ?? '', /error="insufficient_scope", scope="openid"/);
      const nobody = await request(service, path, { method, token: await tokenOf(['openid'], {}) });
      assert.deepEqual([nobody.status, nobody.body.error], [403, 'insufficient_scope'], 'a client token has no user');
    }
    const put = await request(service, path, { method: 'PUT', json: {} });
    assert.equal(put.status, 405);
  });

  it('can be read by pages of any origin, and with cookies only by listed origins', async () => {
    for (const [origin, allowed, credentials] of [
      ['https://app.example', 'https://app.example', 'true'],
      ['https://anybody.example', '*', null],
    ] as const) {
      for (const url of [path, '/oauth/token', '/oauth/revoke']) {
        const headers = { origin, 'access-control-request-method': 'POST' };
        const preflight = await request(service, url, { method: 'OPTIONS', headers });
        assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Authorization/);
        const refusal = await request(service, url, { form: {}, headers: { origin } });
        for (const response of [preflight, refusal]) {
          assert.equal(response.headers.get('access-control-allow-origin'), allowed, url);
          assert.equal(response.headers.get('access-control-allow-credentials'), credentials);
        }
        assert.match(refusal.headers.get('vary') ?? '', /Origin/);
      }
      const inApi = await request(service, '/v1/oauth/token', { form: {}, headers: { origin } });
      assert.equal(inApi.headers.get('access-control-allow-origin'), allowed === '*' ? null : allowed);
      const pageOfOurs = await request(service, '/oauth/authorize', { headers: { origin } });
      assert.equal(pageOfOurs.headers.get('access-control-allow-origin'), null);
    }
  });
});
