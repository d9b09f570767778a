import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import {
  authorizationResponseIn,
  authorizePath,
  codeFor,
  formOf,
  press,
  redeem,
  redirectUri,
  signedIn,
} from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

interface Consents {
  data: {
    id: string;
    user_id: string;
    client_id: string;
    client_name: string | null;
    scopes: string[];
    asked: string[];
  }[];
}

onBothEngines('Consents', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });
  const scopes = ['openid', 'offline_access', 'users:read', 'tokens:read', 'consents:read', 'consents:write'];
  const stateOf = async (token: string) => (await request(service, '/v1/users/me', { token })).status;

  it('omit unticked scopes, and remember that too', async () => {
    const app = await addApplication(service, { scopes });
    const { visitor } = await signedIn(service);
    const scope = 'openid users:read tokens:read';
    const page = await visitor.get(authorizePath(app.id, { scope }));
    assert.deepEqual(
      Object.keys(formOf(page)).filter((name) => name.startsWith('scope:')),
      ['scope:users:read', 'scope:tokens:read'],
    );
    assert.match(page.html, /Read your account: your name, your addresses and your roles/);
    const { code = '' } = authorizationResponseIn(await press(visitor, page, 'allow', { without: ['tokens:read'] }));
    const tokens = await redeem(service, app, code);
    assert.equal(tokens.body.scope, 'openid users:read');
    assert.equal((await request(service, '/v1/tokens', { token: tokens.body.access_token })).status, 403);
    const again = await redeem(service, app, await codeFor(visitor, app.id, { scope }));
    assert.equal(again.body.scope, 'openid users:read');
    const silent = await visitor.get(authorizePath(app.id, { scope: 'openid users:read', prompt: 'none' }));
    assert.ok(authorizationResponseIn(silent).code);
    const asked = await visitor.get(authorizePath(app.id, { scope, prompt: 'consent' }));
    assert.equal(asked.status, 200);
    const more = await visitor.get(authorizePath(app.id, { scope: 'openid offline_access', prompt: 'none' }));
    assert.equal(authorizationResponseIn(more).error, 'consent_required');
  });

  it('do not let an application create tokens, clients or secrets that would outlive them', async () => {
    const writing = ['openid', 'tokens:write', 'clients:write', 'clients:read', 'tokens:read'];
    const { visitor, id: userId } = await signedIn(service);
    const own = await addApplication(service, { scopes: ['openid'], userId });
    for (const trusted of [false, true]) {
      const app = await addApplication(service, { scopes: writing, trusted });
      const code = await codeFor(visitor, app.id, { scope: writing.join(' ') });
      const token = (await redeem(service, app, code)).body.access_token;
      const post = async (path: string, json: object) => (await request(service, path, { token, json })).status;
      assert.equal(await post('/v1/tokens', { name: 'for ever', scopes: ['tokens:read'] }), 403);
      assert.equal(await post('/v1/clients', { name: 'for ever', scopes: ['tokens:read'] }), 403);
      assert.equal(await post(`/v1/clients/${own.id}/secrets`, {}), 403);
    }
  });

  it('show the application, its owner and its redirect host, and escape markup', async () => {
    const { id: userId } = await addLogin(service, { email: `mallory.${engine}@example.com` });
    const name = '<b>Gatehouse</b> Support';
    const app = await addApplication(service, { scopes, name, userId, homepage_uri: 'https://app.example/about' });
    const { visitor, email } = await signedIn(service);
    const { html } = await visitor.get(authorizePath(app.id, { scope: 'users:read' }));
    assert.match(html, /&lt;b&gt;Gatehouse&lt;\/b&gt; Support/);
    assert.match(html, /has not verified this application.*registered by <strong class="owner">m…@example\.com/s);
    assert.match(html, />app\.example</);
    assert.ok(html.includes(email));
    const own = await addApplication(service, { scopes, name });
    assert.doesNotMatch((await visitor.get(authorizePath(own.id))).html, /has not verified/);
  });

  it('need at least one scope, and a refusal is reported to the application', async () => {
    const app = await addApplication(service, { scopes });
    const { visitor } = await signedIn(service);
    const page = await visitor.get(authorizePath(app.id, { scope: 'users:read' }));
    const empty = await press(visitor, page, 'allow', { without: ['users:read'] });
    assert.equal(empty.status, 422);
    assert.match(empty.html, /Tick at least one/);
    const [, here = ''] = /action="\/language"[\s\S]*?name="next" value="([^"]*)"/.exec(empty.html) ?? [];
    assert.match((await visitor.get(here.replaceAll('&amp;', '&'))).html, /name="decision" value="allow"/);
    const refused = await press(visitor, page, 'deny');
    assert.equal(refused.status, 303);
    const { error, state, iss } = authorizationResponseIn(refused);
    assert.deepEqual([error, state, iss], ['access_denied', 'a state', service.context.config.baseUrl]);
  });

  it('are listed for their owner, and withdrawing one ends codes, tokens and sessions immediately', async () => {
    const app = await addApplication(service, { scopes });
    const other = await addApplication(service, { scopes });
    const { id, email, visitor } = await signedIn(service);
    const scope = 'openid users:read offline_access';
    const tokens = await redeem(service, app, await codeFor(visitor, app.id, { scope }));
    const kept = await redeem(service, other, await codeFor(visitor, other.id, { scope }));
    const unredeemed = await codeFor(visitor, app.id, { scope });
    const token = await logIn(service, email, password);
    const mine = await request<Consents>(service, '/v1/consents?orderBy=created_at', { token });
    assert.ok(
      mine.body.data.every(({ client_name }) => client_name),
      'the application is shown by its name',
    );
    assert.deepEqual(
      mine.body.data.map(({ user_id, client_id }) => [user_id, client_id]),
      [
        [id, app.id],
        [id, other.id],
      ],
    );
    const consent = mine.body.data[0]?.id ?? '';
    const { email: strangersEmail } = await signedIn(service);
    const stranger = await logIn(service, strangersEmail, password);
    assert.equal(
      (await request(service, `/v1/consents/${consent}`, { method: 'DELETE', token: stranger })).status,
      404,
    );
    assert.equal(await stateOf(tokens.body.access_token), 200);

    assert.equal((await request(service, `/v1/consents/${consent}`, { method: 'DELETE', token })).status, 204);
    assert.equal(await stateOf(tokens.body.access_token), 401);
    assert.equal(await stateOf(kept.body.access_token), 200);
    assert.equal(await stateOf(token), 200);
    assert.equal((await redeem(service, app, unredeemed)).body.error, 'invalid_grant');
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.body.refresh_token ?? '' };
    const form = { ...refresh, client_id: app.id, client_secret: app.secret ?? '' };
    assert.equal((await request(service, '/oauth/token', { form })).body.error, 'invalid_grant');
    assert.equal((await visitor.get(authorizePath(app.id, { scope }))).status, 200);
    const events = await service.context.database.db
      .selectFrom('events')
      .select(['type', 'data'])
      .where('client_id', '=', app.id)
      .where('type', 'like', 'consent.%')
      .orderBy('id')
      .execute();
    assert.deepEqual(
      events.map(({ type }) => type),
      ['consent.given', 'consent.withdrawn'],
    );
  });

  it('can be withdrawn in the settings, and by administrators', async () => {
    const app = await addApplication(service, { scopes, name: 'Fleet Planner' });
    const { visitor, id } = await signedIn(service);
    const tokens = await redeem(service, app, await codeFor(visitor, app.id, { scope: 'users:read' }));
    assert.match((await visitor.get('/settings/sessions')).html, /Fleet Planner/);
    const page = await visitor.get('/settings/connections');
    assert.match(page.html, /Fleet Planner/);
    const [, path = ''] = /action="(\/settings\/connections\/[\w-]+\/withdraw)"/.exec(page.html) ?? [];
    assert.equal((await visitor.send(path, {})).status, 303);
    assert.match((await visitor.get('/settings/connections')).html, /No connected applications/);
    assert.equal(await stateOf(tokens.body.access_token), 401);

    const second = await redeem(service, app, await codeFor(visitor, app.id, { scope: 'users:read' }));
    const admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    const found = await request<Consents>(service, `/v1/consents?search=user_id:${id}`, { token: admin });
    const [consent] = found.body.data;
    assert.deepEqual(consent?.scopes, ['users:read']);
    const removed = await request(service, `/v1/consents/${consent?.id}`, { method: 'DELETE', token: admin });
    assert.equal(removed.status, 204);
    assert.equal(await stateOf(second.body.access_token), 401);
  });

  it('are checked again against the current application and user when they are given', async () => {
    const { visitor, id, email } = await signedIn(service);
    const admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    const change = (client: string, json: unknown) =>
      request(service, `/v1/clients/${client}`, { method: 'PATCH', json, token: admin });
    const app = await addApplication(service, { scopes });
    const page = await visitor.get(authorizePath(app.id, { scope: 'openid users:read' }));
    assert.equal((await change(app.id, { name: 'Your Bank' })).status, 200);
    const shownAgain = await press(visitor, page, 'allow');
    assert.equal(shownAgain.status, 409);
    assert.match(shownAgain.html, /Your Bank.*has changed since/s);
    const changed = await change(app.id, { redirect_uris: ['https://other.example/'] });
    assert.equal(changed.status, 200, changed.text);
    const unregistered = await press(visitor, shownAgain, 'allow');
    assert.deepEqual([unregistered.status, unregistered.location], [400, null]);
    assert.equal((await change(app.id, { redirect_uris: [redirectUri], scopes: ['openid'] })).status, 200);
    const narrower = await press(visitor, shownAgain, 'allow');
    assert.equal(narrower.status, 409, 'the application may request less now, and the page says so');
    assert.ok(!narrower.html.includes('scope:users:read'));

    const late = await addApplication(service, { scopes });
    const code = await codeFor(visitor, late.id, { scope: 'openid users:read' });
    assert.equal((await change(late.id, { scopes: ['openid'] })).status, 200);
    assert.equal((await redeem(service, late, code)).body.scope, 'openid');
    const open = await visitor.get(authorizePath(late.id, { prompt: 'consent' }));
    const unused = await codeFor(visitor, late.id);
    await request(service, `/v1/users/${id}`, { method: 'PATCH', json: { disabled: true }, token: admin });
    assert.equal((await redeem(service, late, unused)).body.error, 'invalid_grant');
    const signedOut = await press(visitor, open, 'allow');
    assert.equal(signedOut.status, 303);
    assert.match(signedOut.location ?? '', /^\/oauth\/authorize\/continue\?/);
    assert.ok(email);
  });
});
