import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addApplication } from '../harness/applications.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { addApp } from '../harness/factors.ts';
import { password, registerUser, type UserBody } from '../harness/people.ts';
import { isSignedIn, newcomer, pathIn, signInWith } from '../harness/provider-visits.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { type Upstream, upstreams } from '../harness/upstream.ts';
import { Visitor } from '../harness/visitor.ts';

let people = 0;
const person = (claims: object = {}) => {
  const n = people++;
  return { sub: `fault-${n}`, email: `fault${n}@example.com`, email_verified: true, ...claims };
};
const tokenOf = (visitor: Visitor) => visitor.cookies.get('session') ?? '';

onBothEngines('A provider', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  const createUpstream = upstreams();
  let upstream: Upstream;
  let broken: Upstream;
  let service: Service;
  before(async () => {
    upstream = await createUpstream();
    broken = await createUpstream();
    broken.status = 500;
    const database = await createDatabase();
    broken.declare(database.dir, 'broken');
    const options = 'logout: true, map: ({ groups }) => ({ roles: groups })';
    const env = { PROVIDERS_DIR: upstream.declare(database.dir, 'acme', options), ROLES: 'editor' };
    service = await start({ database, env });
  });
  const others = async () => {
    upstream.person = person();
    assert.equal((await newcomer(service, upstream)).visit.status, 303);
    assert.equal((await new Visitor(service).get('/login')).status, 200);
  };

  it('that is down or redirects shows a page, and does not delay other requests', async () => {
    const visitor = new Visitor(service);
    assert.equal((await visitor.get('/login/with/broken')).status, 503);
    broken.status = undefined;
    broken.redirect = 'http://10.0.0.1/';
    assert.equal((await visitor.get('/login/with/broken')).status, 503);
    await others();
    broken.redirect = undefined;
    broken.person = person();
    assert.equal(
      (await signInWith(visitor, broken, '/login/with/broken')).status,
      303,
      'the provider works when it is back',
    );
  });

  it('whose metadata names a private address is not called at that address', async () => {
    const inner = await createUpstream();
    const database = await createDatabase();
    inner.metadata = { token_endpoint: 'https://10.0.0.1/token' };
    const beside = await start({ database, env: { PROVIDERS_DIR: inner.declare(database.dir, 'acme') } });
    inner.person = person();
    const { visitor, visit } = await newcomer(beside, inner);
    assert.deepEqual([visit.status, isSignedIn(visitor)], [503, false]);
    const token = await logIn(beside, 'admin@example.com', 'correct horse battery');
    const state = await request<{ data: { failure: string; failure_detail: string } }>(beside, '/v1/providers/acme', {
      token,
    });
    assert.equal(state.body.data.failure, 'unreachable');
  });

  it('that is slow does not delay other requests', async () => {
    const slow = await createUpstream();
    const database = await createDatabase();
    upstream.declare(database.dir, 'acme');
    let release = () => {};
    slow.hold = new Promise<void>((resolve) => (release = resolve));
    // The start does not call the provider.
    const beside = await start({ database, env: { PROVIDERS_DIR: slow.declare(database.dir, 'slow') } });
    let answered = false;
    const visitor = new Visitor(beside);
    const waiting = visitor.get('/login/with/slow').finally(() => (answered = true));
    upstream.person = person();
    assert.equal((await newcomer(beside, upstream)).visit.status, 303);
    assert.equal((await new Visitor(beside).get('/login')).status, 200);
    assert.equal(answered, false);
    release();
    assert.ok([302, 503].includes((await waiting).status));
  });

  it('ends its own session too, if `logout` is declared', async () => {
    upstream.person = person();
    const visitor = new Visitor(service);
    // The button in the settings, and the page at /logout.
    for (const [page, path] of [
      ['/settings', '/logout'],
      ['/logout', '/oauth/logout/confirm'],
    ] as const) {
      await signInWith(visitor, upstream);
      const token = tokenOf(visitor);
      await visitor.get(page);
      const { html, status } = await visitor.send(path, {});
      assert.equal(status, 200, html);
      const uri = new URL(/content="0; url=([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '');
      assert.equal(`${uri.origin}${uri.pathname}`, `${upstream.url}/logout`);
      assert.equal(uri.searchParams.get('client_id'), 'gatehouse');
      const back = `${service.context.config.baseUrl}/login?done=signed-out`;
      assert.equal(uri.searchParams.get('post_logout_redirect_uri'), back);
      assert.equal(isSignedIn(visitor), false);
      assert.equal((await request(service, '/v1/users/me', { token })).status, 401);
    }
    const owner = await registerUser(service);
    await visitor.signIn(owner.email, password);
    await visitor.get('/settings');
    const own = await visitor.send('/logout', {});
    assert.equal(
      own.location,
      '/login?done=signed-out',
      'a user who signed in with a password has no session at the provider',
    );
  });

  it('signs in users who connect a device', async () => {
    const tv = await addApplication(service, { name: 'Television', public: true, scopes: ['openid', 'users:read'] });
    const form = { client_id: tv.id, scope: 'openid users:read' };
    const { body: codes } = await request<Record<string, string>>(service, '/oauth/device_authorization', { form });
    const visitor = new Visitor(service);
    const away = await visitor.get(pathIn(codes.verification_uri_complete as string));
    const login = await visitor.get(away.location as string);
    const button = /href="(\/login\/with\/acme\?next=[^"]+)"/.exec(login.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    upstream.person = person();
    const back = await signInWith(visitor, upstream, button);
    assert.match(back.location ?? '', /^\/device\?user_code=/);
    await visitor.get(back.location as string);
    const decision = { user_code: codes.user_code as string, decision: 'allow', 'scope:users:read': 'on' };
    assert.equal((await visitor.send('/device/decision', decision)).location, '/device/done?decision=allowed');
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
    const asked = { grant_type, client_id: tv.id, device_code: codes.device_code as string };
    const tokens = await request<{ access_token: string }>(service, '/oauth/token', { form: asked });
    const me = await request<UserBody>(service, '/v1/users/me', { token: tokens.body.access_token });
    assert.equal(me.body.data.email, upstream.person.email);
  });

  it('removes the roles that it granted when it is unlinked', async () => {
    upstream.person = person({ groups: ['editor'] });
    const { visitor } = await newcomer(service, upstream);
    const token = tokenOf(visitor);
    const me = async () => (await request<UserBody>(service, '/v1/users/me', { token })).body.data;
    assert.deepEqual((await me()).roles, ['editor']);
    await request(service, '/v1/users/me', { method: 'PATCH', json: { password }, token });
    const { body } = await request<{ data: { id: string }[] }>(service, '/v1/identities', { token });
    const path = `/v1/identities/${body.data[0]?.id}`;
    assert.equal((await request(service, path, { method: 'DELETE', token })).status, 204);
    assert.deepEqual((await me()).roles, []);
  });

  it('that is unlinked between the first and the second factor does not sign in the user', async () => {
    upstream.person = person();
    const first = await newcomer(service, upstream);
    const token = tokenOf(first.visitor);
    await request(service, '/v1/users/me', { method: 'PATCH', json: { password }, token });
    const { app } = await addApp(service, { token });
    const { visitor, visit } = await newcomer(service, upstream);
    const mfa_token = /name="mfa_token" value="([^"]+)"/.exec(visit.html)?.[1] ?? '';
    const { body } = await request<{ data: { id: string }[] }>(service, '/v1/identities', { token });
    const removed = await request(service, `/v1/identities/${body.data[0]?.id}`, { method: 'DELETE', token });
    assert.equal(removed.status, 204, removed.text);
    const done = await visitor.send('/login-step', { mfa_token, methods: 'totp', code: app.next() });
    assert.ok(done.status >= 400 && done.status < 500, String(done.status));
    assert.equal(isSignedIn(visitor), false);
  });

  it('gets no server error from any query in the address', async () => {
    for (const query of ['invitation=%00', 'invitation=a&invitation=b', 'next=%00', 'prompt=%00&max_age=x'])
      assert.ok([302, 400, 404].includes((await new Visitor(service).get(`/login/with/acme?${query}`)).status), query);
  });

  it('that sends an invalid subject is refused with 502', async () => {
    for (const claims of [{ sub: 'a\u0000b' }, { sub: 'é'.repeat(20) }, { sub: 'x'.repeat(256) }]) {
      upstream.person = person(claims);
      assert.equal((await newcomer(service, upstream)).visit.status, 502);
    }
    upstream.person = person({ name: 'Ada\u0000', sid: 'a\u0000' });
    assert.equal((await newcomer(service, upstream)).visit.status, 303);
  });
});
