import assert from 'node:assert/strict';
import { before, beforeEach, it } from 'node:test';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { commitAndInvalidate } from '../../src/database/bus.ts';
import { systemSource as source } from '../../src/http/request-source.ts';
import { findConsent, upsertConsent } from '../../src/oauth/authorize/consent-store.ts';
import { addClient, addLogin, addUser, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type RelyingParty, relyingParties } from '../harness/relying-party.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { openSession } from '../harness/sessions.ts';
import { signToken } from '../harness/sign-token.ts';

const event = 'http://schemas.openid.net/event/backchannel-logout';

onBothEngines('Back-channel logout', (engine) => {
  const start = services(engine);
  const startParty = relyingParties();
  let service: Service;
  let party: RelyingParty;
  let app: { id: string; secret?: string };
  let admin: string;
  let userId: string;
  let web: { id: string; token: string };
  before(async () => {
    service = await start();
    party = await startParty();
    await prepare();
  });
  const prepare = async () => {
    const scopes = ['openid', 'offline_access'];
    app = await addApplication(service, { scopes, backchannel_logout_uri: `${party.url}/logout?from=gatehouse` });
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
  };
  beforeEach(async () => {
    await service.queue.runDueJobs();
    party.posts.length = 0;
    party.status = 200;
    userId = (await addUser(service.context)).id;
    const { id: clientId } = await addClient(service, { type: 'password' });
    const session = await openSession(service, { userId, clientId, scopes: ['*'], source });
    web = { id: session.id, token: signToken(service.sessions, session) };
  });

  const signIn = (scopes = ['openid'], clientId = app.id) =>
    openSession(service, { userId, clientId, scopes, login: { id: web.id }, source });
  const logoutTokens = async () => {
    await service.queue.runDueJobs();
    return party.posts.map((post) => post.get('logout_token') ?? '');
  };
  const isLive = async (sid: string) => {
    const { db } = service.context.database;
    const row = await db.selectFrom('sessions').select('revoked_at').where('id', '=', sid).executeTakeFirst();
    return row?.revoked_at === null;
  };

  it('sends a logout token that names the login, when the user signs out in the browser', async () => {
    const { id: sid } = await signIn();
    await request(service, '/v1/logout', { method: 'DELETE', token: web.token });
    const tokens = await logoutTokens();
    assert.equal(tokens.length, 1);
    assert.deepEqual([...(party.posts[0]?.keys() ?? [])], ['logout_token']);
    const { baseUrl } = service.context.config;
    const { payload, protectedHeader } = await jwtVerify(
      tokens[0] as string,
      createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`)),
      { issuer: baseUrl, audience: app.id, typ: 'logout+jwt' },
    );
    assert.equal(protectedHeader.alg, 'RS256');
    const { iat = 0, exp = 0, jti, ...claims } = payload;
    assert.deepEqual(claims, { iss: baseUrl, aud: app.id, sub: userId, sid, events: { [event]: {} } });
    assert.ok(jti);
    assert.equal(exp - iat, 120);
    assert.equal(await isLive(sid), false);
    assert.equal((await request(service, '/oauth/userinfo', { token: tokens[0] as string })).status, 401);
  });

  for (const command of [
    ['session', 'end', '--all'],
    ['keys', 'rotate', '--compromised'],
  ]) {
    it(`notifies all applications when an operator ends everything: ${command.join(' ')}`, async () => {
      const sids = [(await signIn()).id, (await signIn(['openid', 'offline_access'])).id];
      const { url: DATABASE_URL, dir } = service.database;
      const { code, stderr } = await gatehouseHere(command, dir, { DATABASE_URL, DATA_DIR: dir });
      assert.equal(code, 0, stderr);
      const claims = (await logoutTokens()).map((token) => decodeJwt(token));
      assert.deepEqual(claims.map(({ sid }) => sid).sort(), sids.sort());
      await prepare();
    });
  }

  it('keeps offline access on a logout in the browser, and notifies the application', async () => {
    const { id: sid } = await signIn(['openid', 'offline_access']);
    await request(service, '/v1/logout', { method: 'DELETE', token: web.token });
    assert.equal((await logoutTokens()).length, 1);
    assert.equal(await isLive(sid), true);
  });

  it('notifies an application whose tokens expired long ago', async () => {
    await signIn();
    const { db } = service.context.database;
    await db.deleteFrom('sessions').where('client_id', '=', app.id).where('user_id', '=', userId).execute();
    await request(service, '/v1/logout', { method: 'DELETE', token: web.token });
    assert.equal((await logoutTokens()).length, 1);
  });

  for (const [what, act] of [
    ['the application revokes it', (sid: string) => revoke(sid)],
    [
      'an administrator ends it',
      (sid: string) => request(service, `/v1/tokens/${sid}`, { method: 'DELETE', token: admin }),
    ],
    ['the user is disabled', () => patchUser({ disabled: true })],
    ['an administrator sets the password', () => patchUser({ password: 'quite another secret' })],
    ['the consent is withdrawn', () => withdrawn()],
    ['the user is deleted', () => request(service, `/v1/users/${userId}`, { method: 'DELETE', token: admin })],
  ] as const) {
    it(`notifies when ${what}`, async () => {
      const { id } = await signIn(['openid', 'offline_access']);
      const { status, text } = await act(id);
      assert.ok(status < 300, text);
      const tokens = await logoutTokens();
      assert.equal(tokens.length, 1);
      assert.equal(JSON.parse(atob(tokens[0]?.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '')).sid, id);
      assert.deepEqual(await logoutTokens(), tokens, 'notified once');
    });
  }
  const patchUser = (json: object) => request(service, `/v1/users/${userId}`, { method: 'PATCH', json, token: admin });
  const withdrawn = async () => {
    const { database, now } = service.context;
    const lists = { scopes: ['openid', 'offline_access'], requestedScopes: ['openid', 'offline_access'] };
    await commitAndInvalidate(database, (tx) => upsertConsent(tx, { userId, clientId: app.id }, lists, now()));
    const consent = await findConsent(database.db, { userId, clientId: app.id });
    return request(service, `/v1/consents/${consent?.id}`, { method: 'DELETE', token: admin });
  };
  const revoke = (sid: string) =>
    request(service, '/oauth/revoke', {
      form: {
        token: service.sessions.makeRefreshToken({ id: sid, generation: 0 }),
        client_id: app.id,
        client_secret: app.secret ?? '',
      },
    });

  it('notifies when a refresh token was stolen', async () => {
    const session = await signIn(['openid', 'offline_access']);
    const refresh = (generation: number) =>
      request<{ access_token: string }>(service, '/oauth/token', {
        form: {
          grant_type: 'refresh_token',
          refresh_token: service.sessions.makeRefreshToken({ id: session.id, generation }),
          client_id: app.id,
          client_secret: app.secret ?? '',
        },
      });
    await refresh(0);
    await refresh(1);
    assert.equal((await refresh(0)).status, 400);
    assert.equal((await logoutTokens()).length, 1);
  });

  it('notifies an application whose owner is disabled', async () => {
    const owner = await addUser(service.context);
    const userPath = `/v1/users/${owner.id}`;
    const backchannel_logout_uri = `${party.url}/logout`;
    const { id } = await addApplication(service, { scopes: ['openid'], backchannel_logout_uri, userId: owner.id });
    await signIn(['openid'], id);
    const { status } = await request(service, userPath, { method: 'PATCH', json: { disabled: true }, token: admin });
    assert.equal(status, 200);
    await request(service, '/v1/logout', { method: 'DELETE', token: web.token });
    assert.equal((await logoutTokens()).length, 1);
  });

  it('does not notify applications without an address, or of logins in another browser', async () => {
    const { id: quiet } = await addApplication(service);
    await signIn(['openid'], quiet);
    await openSession(service, { userId, clientId: app.id, scopes: ['openid'], login: { id: 'another' }, source });
    await request(service, '/v1/logout', { method: 'DELETE', token: web.token });
    assert.deepEqual(await logoutTokens(), []);
  });

  it('retries with a new token until it succeeds, and follows no redirect', async () => {
    await signIn();
    party.status = 503;
    await request(service, '/v1/logout', { method: 'DELETE', token: web.token });
    assert.equal((await logoutTokens()).length, 1);
    party.status = 302;
    service.advance(60_000);
    assert.equal((await logoutTokens()).length, 2);
    party.status = 204;
    service.advance(120_000);
    const tokens = await logoutTokens();
    assert.equal(tokens.length, 3);
    assert.equal(new Set(tokens).size, 3);
    service.advance(3_600_000);
    assert.equal((await logoutTokens()).length, 3);
  });

  it('notifies when users change their password, except for the current browser', async () => {
    const own = await addLogin(service);
    userId = own.id;
    const token = await logIn(service, own.email, password);
    const { id } = await signIn(['openid', 'offline_access']);
    const json = { password: 'quite another secret', current_password: password };
    assert.equal((await request(service, '/v1/users/me', { method: 'PATCH', json, token })).status, 200);
    assert.equal((await logoutTokens()).length, 1);
    assert.equal(await isLive(id), false);
  });
});
