import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { databases, onBothEngines } from '../harness/engines.ts';
import { addApp, type LoginBody } from '../harness/factors.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { password, registerUser, type UserBody } from '../harness/people.ts';
import { isSignedIn, newcomer, pathIn, signInWith } from '../harness/provider-visits.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { type Upstream, upstreams } from '../harness/upstream.ts';
import { Visitor } from '../harness/visitor.ts';

interface Identities {
  readonly data: { id: string; provider: string; subject: string }[];
  readonly code: string;
}

let people = 0;
const person = (claims: object = {}) => {
  const n = people++;
  return { sub: `identity-${n}`, email: `identity${n}@example.com`, email_verified: true, ...claims };
};

const options = `acr: { 'urn:two': 2 }, map: ({ groups = [], nick }) => ({ roles: groups, ...(nick ? { name: nick } : {}) })`;

onBothEngines('Identities', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  const createUpstream = upstreams();
  let upstream: Upstream;
  let service: Service;
  before(async () => {
    upstream = await createUpstream();
    const database = await createDatabase();
    const PROVIDERS_DIR = upstream.declare(database.dir, 'acme', options);
    const env = { PROVIDERS_DIR, ROLES: 'editor', CORS_ORIGINS: 'https://app.example' };
    service = await start({ database, env });
  });
  const tokenOf = (visitor: Visitor) => visitor.cookies.get('session') ?? '';
  const listOf = async (token: string) => (await request<Identities>(service, '/v1/identities', { token })).body.data;
  const remove = (id: string | undefined, token: string) =>
    request<Identities>(service, `/v1/identities/${id}`, { method: 'DELETE', token });
  const me = async (visitor: Visitor) =>
    (await request<UserBody>(service, '/v1/users/me', { token: tokenOf(visitor) })).body.data;
  /** Links from the settings page, without a script. */
  const linkInSettings = async (visitor: Visitor) => {
    await visitor.get('/settings/sign-in');
    const page = await visitor.send('/settings/sign-in/acme/link', {});
    const uri = /content="0; url=([^"]+)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    return visitor.get(pathIn(await upstream.visit(uri)));
  };

  it('are linked and unlinked in the settings, and the owner is notified of both', async () => {
    const owner = await registerUser(service);
    const visitor = new Visitor(service);
    await visitor.signIn(owner.email, password);
    upstream.person = person();
    const linked = await linkInSettings(visitor);
    assert.equal(linked.location, '/settings/sign-in?done=identity-linked');
    const [identity] = await listOf(owner.token);
    assert.equal(identity?.subject, upstream.person.sub);
    const signedIn = await newcomer(service, upstream);
    assert.equal((await me(signedIn.visitor)).id, owner.id);
    const other = await registerUser(service);
    assert.deepEqual(await listOf(other.token), [], 'the list contains no identities of other users');
    assert.equal((await remove(identity?.id, other.token)).status, 404);
    await visitor.get('/settings/sign-in');
    const removed = await visitor.send(`/settings/sign-in/${identity?.id}/remove`, {});
    assert.equal(removed.location, '/settings/sign-in?done=identity-unlinked');
    assert.deepEqual(await listOf(owner.token), []);
    for (const template of ['factor-added', 'factor-removed'])
      assert.equal((await mailsTo(service, template, owner.email)).length, 1, template);
  });

  it('of another user cannot be linked', async () => {
    upstream.person = person();
    await newcomer(service, upstream);
    const owner = await registerUser(service);
    const visitor = new Visitor(service);
    await visitor.signIn(owner.email, password);
    assert.equal((await linkInSettings(visitor)).status, 409);
    assert.deepEqual(await listOf(owner.token), []);
  });

  it('are linked only in the session that began it', async () => {
    const [owner, other] = [await registerUser(service), await registerUser(service)];
    const visitor = new Visitor(service);
    await visitor.signIn(owner.email, password);
    await visitor.get('/settings/sign-in');
    const page = await visitor.send('/settings/sign-in/acme/link', {});
    const uri = /content="0; url=([^"]+)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    upstream.person = person();
    const callback = pathIn(await upstream.visit(uri));
    for (const name of ['session', 'renewal']) visitor.cookies.delete(name);
    await visitor.signIn(other.email, password);
    assert.equal((await visitor.get(callback)).status, 400);
    assert.deepEqual(await listOf(other.token), []);
  });

  it('can be linked and unlinked only with a recent proof', async () => {
    const owner = await registerUser(service);
    const visitor = new Visitor(service);
    await visitor.signIn(owner.email, password);
    upstream.person = person();
    await linkInSettings(visitor);
    const [identity] = await listOf(owner.token);
    const token = await logIn(service, owner.email, password);
    service.advance(901_000);
    const refused = await remove(identity?.id, token);
    assert.deepEqual([refused.status, refused.body.code], [401, 'proof_too_old']);
    assert.match(refused.headers.get('www-authenticate') ?? '', /insufficient_user_authentication.*max_age="900"/);
    await visitor.get('/settings/sign-in');
    const asked = await visitor.send('/settings/sign-in/acme/link', {});
    assert.equal(asked.status, 401);
    assert.match(asked.html, /Confirm with Acme/);
    const renewed = await request(service, '/v1/sessions/current/proofs', { json: { password }, token });
    assert.equal(renewed.status, 201);
    assert.equal((await remove(identity?.id, token)).status, 204);
  });

  it('of another user can be removed by an administrator with all scopes', async () => {
    const owner = await registerUser(service);
    const visitor = new Visitor(service);
    await visitor.signIn(owner.email, password);
    upstream.person = person({ groups: ['editor'] });
    await linkInSettings(visitor);
    const [identity] = await listOf(owner.token);
    const tokenFor = async (scope: string) => {
      const form = { email: 'admin@example.com', password: 'correct horse battery', scope };
      return (await request<LoginBody>(service, '/v1/clients/web/admin/login', { form })).body.access_token;
    };
    const refused = await remove(identity?.id, await tokenFor('identities:read identities:write'));
    assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
    assert.equal((await listOf(owner.token)).length, 1);
    assert.equal((await remove(identity?.id, await tokenFor('*'))).status, 204);
  });

  it('cannot be removed if they are the last way to sign in', async () => {
    const fresh = await start({ env: { PROVIDERS_DIR: upstream.declare(service.database.dir, 'acme', options) } });
    upstream.person = person();
    const { visitor } = await newcomer(fresh, upstream);
    const token = tokenOf(visitor);
    const { body } = await request<Identities>(fresh, '/v1/identities', { token });
    const path = `/v1/identities/${body.data[0]?.id}`;
    const refused = await request<Identities>(fresh, path, { method: 'DELETE', token });
    assert.deepEqual([refused.status, refused.body.code], [409, 'last_sign_in_method']);
    assert.equal((await request<Identities>(fresh, path, { token })).status, 200);
    const session = await request<{ data: { proof_methods: string[]; amr: string[]; acr: string } }>(
      fresh,
      '/v1/sessions/current',
      { token },
    );
    assert.deepEqual(session.body.data.proof_methods, [], 'there is no password to prove with');
    assert.deepEqual([session.body.data.amr, session.body.data.acr], [['fed'], 'urn:gatehouse:1']);
  });

  it('renew the proof of a session', async () => {
    upstream.person = person();
    const owner = { ...upstream.person };
    const now = Math.floor(service.context.now() / 1000);
    // The provider reports that the user signed in there an hour ago.
    upstream.person = { ...owner, auth_time: now - 3600 };
    const { visitor } = await newcomer(service, upstream);
    const token = tokenOf(visitor);
    const [identity] = await listOf(token);
    assert.equal((await remove(identity?.id, token)).body.code, 'proof_too_old');
    const prove = async (claims: object) => {
      const { location } = await visitor.get('/login/with/acme/prove');
      const { searchParams } = new URL(location as string);
      assert.deepEqual([searchParams.get('prompt'), searchParams.get('max_age')], ['login', '0']);
      upstream.person = { ...owner, ...claims };
      return visitor.get(pathIn(await upstream.visit(location)));
    };
    const signedInNow = Math.floor(service.context.now() / 1000);
    assert.equal(
      (await prove({ auth_time: Math.floor(Date.now() / 1000) - 3600 })).status,
      400,
      'the user did not sign in again at the provider',
    );
    assert.equal((await prove({ sub: 'somebody-else', auth_time: signedInNow })).status, 403, 'another subject');
    assert.equal((await remove(identity?.id, token)).body.code, 'proof_too_old');
    const proved = await prove({ auth_time: signedInNow });
    assert.equal(proved.status, 200, proved.html);
    assert.equal((await remove(identity?.id, token)).body.code, 'last_sign_in_method', 'the proof is recent now');
  });

  it('count as one factor', async () => {
    const owner = await registerUser(service);
    const visitor = new Visitor(service);
    await visitor.signIn(owner.email, password);
    upstream.person = person();
    await linkInSettings(visitor);
    const token = await logIn(service, owner.email, password);
    const { app } = await addApp(service, { ...owner, token });
    const again = await newcomer(service, upstream);
    assert.equal(isSignedIn(again.visitor), false);
    assert.match(again.visit.html, /name="mfa_token"/);
    const mfa_token = /name="mfa_token" value="([^"]+)"/.exec(again.visit.html)?.[1] ?? '';
    const done = await again.visitor.send('/login-step', { mfa_token, methods: 'totp', code: app.next() });
    assert.equal(done.location, '/settings');
    const session = await request<{ data: { amr: string[]; acr: string } }>(service, '/v1/sessions/current', {
      token: tokenOf(again.visitor),
    });
    assert.deepEqual([session.body.data.amr, session.body.data.acr], [['fed', 'otp', 'mfa'], 'urn:gatehouse:2']);
    // The provider's second factor counts if the declaration says so.
    upstream.person = { ...upstream.person, acr: 'urn:undeclared' };
    assert.equal(isSignedIn((await newcomer(service, upstream)).visitor), false);
    upstream.person = { ...upstream.person, acr: 'urn:two' };
    assert.equal(isSignedIn((await newcomer(service, upstream)).visitor), true);
  });

  it('update fields and roles, and remove roles that the provider no longer grants', async () => {
    upstream.person = person({ groups: ['editor'], nick: 'Ada' });
    const { visitor } = await newcomer(service, upstream);
    let user = await me(visitor);
    assert.deepEqual([user.roles, user.name], [['editor'], 'Ada']);
    upstream.person = { ...upstream.person, groups: [], nick: 'Countess' };
    await newcomer(service, upstream);
    user = await me(visitor);
    assert.deepEqual([user.roles, user.name], [[], 'Countess'], 'immediately, also for the older session');
    const admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    await request(service, `/v1/users/${user.id}`, { method: 'PATCH', json: { roles: ['editor'] }, token: admin });
    await newcomer(service, upstream);
    assert.deepEqual((await me(visitor)).roles, ['editor'], 'a role from an administrator stays');
    upstream.person = { ...upstream.person, groups: ['king'] };
    assert.equal((await newcomer(service, upstream)).visit.status, 502);
  });

  it('pass max_age, prompt and acr_values on to the provider', async () => {
    const path = '/login/with/acme?prompt=login&max_age=60&acr_values=urn:two&login_hint=ada@example.com';
    const { searchParams } = new URL((await new Visitor(service).get(path)).location as string);
    assert.equal(searchParams.get('prompt'), 'login');
    assert.equal(searchParams.get('max_age'), '60');
    assert.equal(searchParams.get('acr_values'), 'urn:two');
    assert.equal(searchParams.get('login_hint'), 'ada@example.com');
    upstream.person = person({ auth_time: Math.floor(Date.now() / 1000) - 3600 });
    const stale = await signInWith(new Visitor(service), upstream, '/login/with/acme?max_age=60');
    assert.equal(stale.status, 502, 'the provider did not authenticate the user again');
  });

  it('sign in to first-party applications with the same cookie and tokens', async () => {
    upstream.person = person();
    const prefix = '/v1/clients/web/admin';
    const visitor = new Visitor(service);
    const begun = await visitor.get(`${prefix}/with/acme`, { accept: 'application/json' });
    assert.equal(begun.status, 302);
    const done = await visitor.get(pathIn(await upstream.visit(begun.location)));
    assert.equal(done.status, 200);
    const tokens = JSON.parse(done.html) as LoginBody;
    assert.deepEqual(Object.keys(tokens).sort(), ['access_token', 'expires_in', 'refresh_token', 'token_type']);
    const cookie = done.headers.getSetCookie().find((each) => each.startsWith('refreshToken=')) ?? '';
    assert.match(cookie, /Path=\/v1\/clients\/web\/admin; HttpOnly; SameSite=Strict/);
    assert.equal((await request(service, '/v1/users/me', { token: tokens.access_token })).status, 200);
    const refreshed = await request<LoginBody>(service, `${prefix}/refresh`, {
      json: {},
      headers: { cookie: `refreshToken=${visitor.cookies.get('refreshToken')}` },
    });
    assert.equal(refreshed.status, 200);
    const app = await signInWith(visitor, upstream, `${prefix}/with/acme?next=https%3A%2F%2Fapp.example%2Fhome`);
    assert.deepEqual([app.status, app.location], [303, 'https://app.example/home']);
    for (const [path, status] of [
      ['acme?next=https%3A%2F%2Fevil.example%2F', 400],
      ['nobody', 404],
    ] as const)
      assert.equal((await request(service, `${prefix}/with/${path}`)).status, status);
  });

  it('end their sessions when the provider requests it (back-channel logout)', async () => {
    upstream.person = person({ sid: 'one' });
    const first = await newcomer(service, upstream);
    upstream.person = { ...upstream.person, sid: 'two' };
    const second = await newcomer(service, upstream);
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: upstream.url,
      aud: 'gatehouse',
      iat: now,
      exp: now + 120,
      jti: 'logout-1',
      sub: upstream.person.sub,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    };
    const logOut = async (more: object) =>
      request(service, '/login/with/acme/logout', {
        form: { logout_token: await upstream.sign({ ...claims, ...more }) },
      });
    const state = async (visitor: Visitor) =>
      (await request(service, '/v1/users/me', { token: tokenOf(visitor) })).status;
    assert.equal((await logOut({ nonce: 'no' })).status, 400);
    assert.equal((await logOut({ aud: 'another' })).status, 400);
    assert.equal((await logOut({ events: {} })).status, 400);
    assert.deepEqual([await state(first.visitor), await state(second.visitor)], [200, 200]);
    assert.equal((await logOut({ sid: 'one' })).status, 200);
    assert.deepEqual([await state(first.visitor), await state(second.visitor)], [401, 200]);
    assert.equal((await logOut({})).status, 400, 'the same token was sent twice');
    assert.equal((await logOut({ jti: 'logout-2' })).status, 200);
    assert.equal(await state(second.visitor), 401);
  });
});
