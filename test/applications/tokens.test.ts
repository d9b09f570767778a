import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { systemSource as source } from '../../src/http/request-source.ts';
import { authenticatedBy, authenticationOf } from '../../src/oauth/sessions/store/session-store.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { openSession } from '../harness/sessions.ts';

onBothEngines('Applications at the token endpoint', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });
  const grant = (form: Record<string, string>, headers = {}) => request(service, '/oauth/token', { form, headers });
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });
  async function refreshTokenOf(clientId: string): Promise<string> {
    const { id: userId } = await addLogin(service);
    const scopes = ['openid', 'offline_access'];
    const authentication = authenticatedBy(['pwd'], service.context.now());
    return service.sessions.makeRefreshToken(
      await openSession(service, { userId, clientId, scopes, source, authentication }),
    );
  }

  it('get tokens for themselves with their secret, without a refresh token', async () => {
    const { id, secret = '' } = await addApplication(service);
    const response = await grant({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
    assert.equal(response.status, 200, response.text);
    assert.deepEqual(Object.keys(response.body).sort(), ['access_token', 'expires_in', 'token_type']);
    const session = await service.context.database.db
      .selectFrom('sessions')
      .selectAll()
      .where('client_id', '=', id)
      .executeTakeFirstOrThrow();
    assert.equal(session.expires_at - session.created_at, service.context.config.accessTokenTtl * 1000);
  });

  it('are refused the password grant', async () => {
    const { id, secret = '' } = await addApplication(service);
    const { email } = await addLogin(service);
    const response = await grant({
      ...{ grant_type: 'password', username: email, password },
      ...{ client_id: id, client_secret: secret },
    });
    assert.deepEqual([response.status, response.body.error], [400, 'unauthorized_client']);
  });

  it('need only their id if they are public, and get no tokens for themselves', async () => {
    const { id, secret } = await addApplication(service, { public: true, scopes: ['openid', 'offline_access'] });
    assert.equal(secret, undefined);
    const alone = await grant({ grant_type: 'client_credentials', client_id: id });
    assert.deepEqual([alone.status, alone.body.error], [400, 'unauthorized_client']);
    const guessed = await grant({ grant_type: 'client_credentials', client_id: id, client_secret: 'guessed' });
    assert.deepEqual([guessed.status, guessed.body.error], [401, 'invalid_client']);

    let refresh_token = await refreshTokenOf(id);
    for (const [named, headers] of [
      [id, {}],
      ['', basic(id, '')],
    ] as const) {
      const response = await grant({ grant_type: 'refresh_token', refresh_token, client_id: named }, headers);
      assert.equal(response.status, 200, response.text);
      refresh_token = String(response.body.refresh_token);
    }
    const introspected = await request(service, '/oauth/introspect', { form: { client_id: id, token: refresh_token } });
    assert.deepEqual([introspected.status, introspected.body.error], [401, 'invalid_client']);
    const other = await addApplication(service, { public: true });
    const stolen = await grant({ grant_type: 'refresh_token', refresh_token, client_id: other.id });
    assert.deepEqual([stolen.status, stolen.body.error], [400, 'invalid_grant']);
    assert.equal(
      (await request(service, '/oauth/revoke', { form: { client_id: id, token: refresh_token } })).status,
      200,
    );
    const ended = await grant({ grant_type: 'refresh_token', refresh_token, client_id: id });
    assert.deepEqual([ended.status, ended.body.error], [400, 'invalid_grant']);
  });

  it('must send their secret if they have one', async () => {
    const { id } = await addApplication(service, { scopes: ['openid', 'offline_access'] });
    const refresh_token = await refreshTokenOf(id);
    for (const headers of [{}, basic(id, '')]) {
      const response = await grant({ grant_type: 'refresh_token', refresh_token, client_id: id }, headers);
      assert.deepEqual([response.status, response.body.error], [401, 'invalid_client']);
    }
  });
});

onBothEngines('The authentication of a session', (engine) => {
  const start = services(engine);

  it('keeps its time and its methods over every refresh', async () => {
    const service = await start();
    const { id, email } = await addLogin(service);
    const at = service.context.now();
    const login = await request(service, '/v1/clients/web/admin/login', { json: { email, password } });
    service.advance(60_000);
    const { refresh_token } = login.body;
    assert.equal((await request(service, '/v1/clients/web/admin/refresh', { json: { refresh_token } })).status, 200);
    const session = await service.context.database.db
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', id)
      .executeTakeFirstOrThrow();
    const { time, amr, acr } = authenticationOf(session) ?? assert.fail('the session has no authentication');
    assert.deepEqual([amr, acr], [['pwd'], 'urn:gatehouse:1']);
    assert.ok(time >= at && time < at + 60_000, `${time} is not the time of the login at ${at}`);
  });
});
