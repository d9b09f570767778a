import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { authorizationResponseIn, authorizePath, codeFor, press, redeem, signedIn } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

onBothEngines('Signing in to an application', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });

  it('asks for consent once, and issues a code and tokens', async () => {
    const app = await addApplication(service, { scopes: ['openid', 'offline_access', 'users:read'] });
    const { id, visitor } = await signedIn(service);
    const asked = await visitor.get(authorizePath(app.id, { scope: 'openid users:read offline_access' }));
    assert.equal(asked.status, 200, asked.location ?? '');
    const allowed = await press(visitor, asked, 'allow');
    assert.equal(allowed.status, 303, allowed.html);
    const { code = '', ...rest } = authorizationResponseIn(allowed);
    assert.deepEqual(rest, { state: 'a state', iss: service.context.config.baseUrl });
    const tokens = await redeem(service, app, code);
    assert.equal(tokens.status, 200, tokens.text);
    assert.ok(tokens.body.refresh_token);
    assert.equal(tokens.body.scope, undefined);
    const me = await request<{ data: { id: string } }>(service, '/v1/users/me', { token: tokens.body.access_token });
    assert.equal(me.body.data.id, id);

    const again = await visitor.get(authorizePath(app.id, { scope: 'openid users:read' }));
    assert.equal(again.status, 302);
    assert.ok(authorizationResponseIn(again).code);
    const more = await redeem(service, app, await codeFor(visitor, app.id, { scope: 'openid email no:such' }));
    assert.equal(more.body.scope, 'openid', 'scopes that it is not registered for are omitted');
  });

  it('grants only openid without a scope, and no refresh token', async () => {
    const app = await addApplication(service, { scopes: ['openid', '*'] });
    const { visitor } = await signedIn(service);
    const tokens = await redeem(service, app, await codeFor(visitor, app.id));
    assert.equal(tokens.body.scope, 'openid');
    assert.equal(tokens.body.refresh_token, undefined);
    assert.equal((await request(service, '/v1/users', { token: tokens.body.access_token })).status, 403);
  });

  it('treats consent to `*` as consent to each resource scope, but not to identity scopes', async () => {
    const app = await addApplication(service, { scopes: ['*', 'openid', 'profile', 'offline_access'] });
    const { visitor } = await signedIn(service);
    const all = await redeem(service, app, await codeFor(visitor, app.id, { scope: '* offline_access' }));
    assert.equal(all.status, 200, all.text);
    const { code = '' } = authorizationResponseIn(
      await visitor.get(authorizePath(app.id, { scope: 'users:read', prompt: 'none' })),
    );
    const part = await redeem(service, app, code);
    assert.equal(part.status, 200, part.text);
    assert.equal((await request(service, '/v1/users/me', { token: part.body.access_token })).status, 200);
    assert.equal((await request(service, '/v1/tokens', { token: part.body.access_token })).status, 403);

    const refresh = (scope: string) => {
      const { id: client_id, secret: client_secret = '' } = app;
      const refresh_token = all.body.refresh_token as string;
      const form = { grant_type: 'refresh_token', refresh_token, client_id, client_secret, scope };
      return request<{ error?: string; id_token?: string }>(service, '/oauth/token', { form });
    };
    for (const scope of ['openid', 'profile', 'users:read openid']) {
      assert.equal((await refresh(scope)).body.error, 'invalid_scope', scope);
    }
    assert.equal((await refresh('users:read')).status, 200);
  });

  it('continues the unchanged request after the login', async () => {
    const app = await addApplication(service, { trusted: true });
    const { email } = await addLogin(service);
    const visitor = new Visitor(service);
    const state = 'ä "quoted" \\ \n %5c //evil.example & = +';
    const sent = await visitor.get(authorizePath(app.id, { state, login_hint: email }));
    assert.equal(sent.status, 302);
    const login = await visitor.get(sent.location as string);
    assert.match(login.html, /to continue to an application/);
    assert.ok(login.html.includes(`value="${email}"`));
    const next = /name="next" value="([^"]+)"/.exec(login.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const back = await visitor.send('/login', { login: email, password, next });
    const response = await visitor.get(back.location as string);
    assert.equal(response.status, 302);
    assert.deepEqual(
      [authorizationResponseIn(response).state, typeof authorizationResponseIn(response).code],
      [state, 'string'],
    );
  });
});
