import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { databases, onBothEngines } from '../harness/engines.ts';
import { addApp } from '../harness/factors.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { password, registerUser, type UserBody } from '../harness/people.ts';
import { isSignedIn, newcomer, signInWith } from '../harness/provider-visits.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { type Upstream, upstreams } from '../harness/upstream.ts';
import { Visitor } from '../harness/visitor.ts';

interface Identities {
  readonly data: { id: string; provider: string; issuer: string; subject: string; email: string | null }[];
  readonly code: string;
}

let people = 0;
const person = (claims: object = {}) => {
  const n = people++;
  return {
    sub: `subject-${n}`,
    email: `upstream${n}@example.com`,
    email_verified: true,
    name: `Person ${n}`,
    ...claims,
  };
};

onBothEngines('Sign-in with a provider', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  const createUpstream = upstreams();
  let upstream: Upstream;
  let service: Service;

  const startWith = async (options = '', env: Record<string, string> = {}, with_ = upstream) => {
    const database = await createDatabase();
    return start({ database, env: { PROVIDERS_DIR: with_.declare(database.dir, 'acme', options), ...env } });
  };
  before(async () => {
    upstream = await createUpstream();
    service = await startWith();
  });
  const me = async (visitor: Visitor, on = service) =>
    (await request<UserBody>(on, '/v1/users/me', { token: visitor.cookies.get('session') ?? '' })).body.data;
  const identitiesOf = async (visitor: Visitor, on = service) =>
    request<Identities>(on, '/v1/identities', { token: visitor.cookies.get('session') ?? '' });

  it('sends state, nonce and PKCE to the provider', async () => {
    const { location } = await new Visitor(service).get('/login/with/acme?next=/settings/tokens');
    const { searchParams } = new URL(location as string);
    assert.equal(searchParams.get('client_id'), 'gatehouse');
    assert.equal(searchParams.get('redirect_uri'), `${service.url}/login/with/acme/callback`);
    assert.equal(searchParams.get('code_challenge_method'), 'S256');
    assert.equal(searchParams.get('scope'), 'openid profile email');
    for (const name of ['state', 'nonce', 'code_challenge']) assert.match(searchParams.get(name) ?? '', /^[\w-]{43}$/);
  });

  it('registers an unknown identity with an unknown email, and signs it in the next time', async () => {
    upstream.person = person();
    const { visitor, visit } = await newcomer(service, upstream);
    assert.deepEqual([visit.status, visit.location], [303, '/settings?done=welcome']);
    const user = await me(visitor);
    assert.deepEqual(
      [user.email, user.email_confirmed, user.name],
      [upstream.person.email, true, upstream.person.name],
    );
    const { body } = await identitiesOf(visitor);
    assert.deepEqual(
      body.data.map(({ provider, issuer, subject, email }) => [provider, issuer, subject, email]),
      [['acme', upstream.url, upstream.person.sub, upstream.person.email]],
    );
    // The email at the provider changed, but the identity is the same.
    upstream.person = { ...upstream.person, email: 'elsewhere@example.com' };
    const again = await newcomer(service, upstream);
    assert.equal(again.visit.location, '/settings');
    assert.equal((await me(again.visitor)).id, user.id);
  });

  it('continues to the destination of the user', async () => {
    upstream.person = person();
    const visit = await signInWith(new Visitor(service), upstream, '/login/with/acme?next=%2Fsettings%2Ftokens');
    assert.equal(visit.location, '/settings/tokens');
    upstream.person = person();
    const abroad = await signInWith(new Visitor(service), upstream, '/login/with/acme?next=%2F%2Fevil.example');
    assert.equal(abroad.location, '/settings?done=welcome');
  });

  it('confirms an email only if the provider says so and is trusted', async () => {
    for (const claims of [{ email_verified: false }, { email_verified: undefined }]) {
      upstream.person = person(claims);
      const { visitor } = await newcomer(service, upstream);
      assert.equal((await me(visitor)).email_confirmed, false);
    }
    const distrusting = await startWith("email: 'never'");
    upstream.person = person();
    const { visitor } = await newcomer(distrusting, upstream);
    assert.equal((await me(visitor, distrusting)).email_confirmed, false);
  });

  it('asks for the confirmation first if the setting requires it', async () => {
    const strict = await startWith('', { REQUIRE_EMAIL_CONFIRMATION: 'true' });
    upstream.person = person({ email_verified: false });
    const { visitor, visit } = await newcomer(strict, upstream);
    assert.equal(visit.location, '/login?done=registered');
    assert.equal(isSignedIn(visitor), false);
  });

  it('registers no users if registration is closed', async () => {
    const closed = await startWith('', { REGISTRATION: 'closed' });
    upstream.person = person();
    const { visitor, visit } = await newcomer(closed, upstream);
    assert.equal(visit.status, 403);
    assert.equal(isSignedIn(visitor), false);
  });

  it('never links a taken email without a proof of ownership', async () => {
    const owner = await registerUser(service);
    for (const email_verified of [true, false]) {
      upstream.person = person({ email: owner.email.toUpperCase(), email_verified });
      const { visitor, visit } = await newcomer(service, upstream);
      assert.match(visit.location ?? '', /^\/login\/with\/acme\/link\/[\w-]{43}$/);
      assert.equal(isSignedIn(visitor), false);
      const { body } = await request<Identities>(service, '/v1/identities', { token: owner.token });
      assert.deepEqual(body.data, []);
    }
    upstream.person = person({ email: owner.email });
    const { visitor, visit } = await newcomer(service, upstream);
    const login = await visitor.get(visit.location as string);
    assert.equal(login.location, `/login?next=${encodeURIComponent(visit.location as string)}`);
    const page = await visitor.get(login.location as string);
    assert.match(page.html, /You already have an account here/);
    const next = visit.location as string;
    const wrong = await visitor.send('/login', { login: owner.email, password: 'not the password', next });
    assert.equal(wrong.status, 422);
    const right = await visitor.send('/login', { login: owner.email, password, next });
    assert.equal(right.location, next);
    const linked = await visitor.get(next);
    assert.equal(linked.location, '/settings');
    assert.equal((await me(visitor)).id, owner.id);
    assert.equal((await identitiesOf(visitor)).body.data[0]?.subject, upstream.person.sub);
    assert.equal((await mailsTo(service, 'factor-added', owner.email)).length, 1, 'the owner is notified');
    // From now on, the identity signs in.
    const again = await newcomer(service, upstream);
    assert.equal((await me(again.visitor)).id, owner.id);
  });

  it('invalidates the password and the sessions of an account that was never confirmed', async () => {
    const squatter = await registerUser(service);
    upstream.person = person({ email: squatter.email });
    const { visitor, visit } = await newcomer(service, upstream);
    const next = visit.location as string;
    await visitor.get(next);
    await visitor.get('/login');
    await visitor.send('/login', { login: squatter.email, password, next });
    await visitor.get(next);
    assert.equal((await me(visitor)).email_confirmed, true);
    const { status } = await request(service, '/v1/users/me', { token: squatter.token });
    assert.equal(status, 401, 'the sessions ended');
    const login = await request(service, '/v1/clients/web/admin/login', { json: { email: squatter.email, password } });
    assert.equal(login.status, 400, 'the password was removed');
  });

  it('binds the proof to the account with the email, and to the browser', async () => {
    const owner = await registerUser(service);
    const other = await registerUser(service);
    upstream.person = person({ email: owner.email });
    const { visitor, visit } = await newcomer(service, upstream);
    const next = visit.location as string;
    await visitor.signIn(other.email, password, next);
    const refused = await visitor.get(next);
    assert.equal(refused.status, 403);
    assert.deepEqual((await identitiesOf(visitor)).body.data, []);
    // The owner's browser does not know this attempt: somebody else sent the link.
    const elsewhere = new Visitor(service);
    await elsewhere.signIn(owner.email, password);
    assert.equal((await elsewhere.get(next)).status, 400);
    assert.deepEqual((await identitiesOf(elsewhere)).body.data, []);
  });

  it('requires a proof that is newer than the response of the provider', async () => {
    const owner = await registerUser(service);
    const visitor = new Visitor(service);
    await visitor.signIn(owner.email, password);
    service.advance(1000);
    upstream.person = person({ email: owner.email });
    const { location } = await signInWith(visitor, upstream);
    const page = await visitor.get(location as string);
    assert.deepEqual([page.status, /Continue/.test(page.html)], [200, true]);
    const asked = await visitor.send(location as string, {});
    assert.equal(asked.status, 401);
    assert.match(asked.html, /Confirm that it is you/);
    assert.deepEqual((await identitiesOf(visitor)).body.data, []);
    const done = await visitor.send(location as string, { proof_password: password });
    assert.equal(done.location, '/settings');
    assert.equal((await identitiesOf(visitor)).body.data.length, 1);
  });

  it('requires the second factor in a session that is older than the factor', async () => {
    const owner = await registerUser(service);
    const thief = new Visitor(service);
    await thief.signIn(owner.email, password);
    const { app } = await addApp(service, owner);
    service.advance(1000);
    upstream.person = person({ email: owner.email });
    const { location } = await signInWith(thief, upstream);
    const next = location as string;
    assert.equal((await thief.get(next)).status, 200);
    const byPassword = await thief.send(next, { proof_password: password });
    assert.equal(byPassword.status, 401, byPassword.html);
    assert.equal((await thief.get(next)).status, 200, 'a proof that is new but weak shows the page again');
    assert.deepEqual((await identitiesOf(thief)).body.data, []);
    const { body } = await request<{ data: object[] }>(service, '/v1/authenticators', { token: owner.token });
    assert.equal(body.data.length, 1, 'the factor is still there');
    const byBoth = await thief.send(next, { proof_password: password, proof_code: app.next() });
    assert.equal(byBoth.location, '/settings', byBoth.html);
    assert.equal((await identitiesOf(thief)).body.data.length, 1);
  });

  it('refuses a disabled user', async () => {
    upstream.person = person();
    const { visitor } = await newcomer(service, upstream);
    const { id } = await me(visitor);
    const admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    await request(service, `/v1/users/${id}`, { method: 'PATCH', json: { disabled: true }, token: admin });
    const again = await newcomer(service, upstream);
    assert.equal(again.visit.status, 403);
    assert.equal(isSignedIn(again.visitor), false);
  });

  it('accepts the cross-site POST of Apple, which comes without cookies', async () => {
    const posting = await startWith("responseMode: 'form_post'");
    upstream.person = person({ name: undefined });
    const visitor = new Visitor(posting);
    const { location } = await visitor.get('/login/with/acme');
    assert.equal(new URL(location as string).searchParams.get('response_mode'), 'form_post');
    const back = new URL(await upstream.visit(location));
    const user = JSON.stringify({ name: { firstName: 'Ada', lastName: 'Lovelace' } });
    const stranger = new Visitor(posting);
    const form = { ...Object.fromEntries(back.searchParams), user };
    const posted = await stranger.send(back.pathname, form, { origin: upstream.url, 'sec-fetch-site': 'cross-site' });
    assert.equal(posted.status, 303);
    assert.equal((await visitor.get(posted.location as string)).location, '/settings?done=welcome');
    assert.equal((await me(visitor, posting)).name, 'Ada Lovelace');
  });

  it('shows the buttons on the login page, the registration page and in the settings', async () => {
    upstream.person = person();
    const { visitor } = await newcomer(service, upstream);
    const settings = await visitor.get('/settings/sign-in');
    assert.match(settings.html, /action="\/settings\/sign-in\/acme\/link"/);
    assert.match(settings.html, new RegExp(upstream.person.email as string));
    for (const path of ['/login?next=%2Fdevice', '/register?next=%2Fdevice']) {
      const { html } = await new Visitor(service).get(path);
      assert.match(html, /href="\/login\/with\/acme\?next=%2Fdevice"/);
      assert.match(html, /Continue with Acme/);
    }
  });
});
