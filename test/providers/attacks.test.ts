import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { databases, onBothEngines } from '../harness/engines.ts';
import { tokenMailed } from '../harness/mailbox.ts';
import { password, registerUser } from '../harness/people.ts';
import { isSignedIn, newcomer, pathIn, signInWith } from '../harness/provider-visits.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { type Upstream, upstreams } from '../harness/upstream.ts';
import { Visitor } from '../harness/visitor.ts';

let people = 0;
const person = (claims: object = {}) => {
  const n = people++;
  return { sub: `attack-${n}`, email: `attack${n}@example.com`, email_verified: true, ...claims };
};

onBothEngines('Attacks on a sign-in with a provider', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  const createUpstream = upstreams();
  let upstream: Upstream;
  let other: Upstream;
  let service: Service;
  before(async () => {
    upstream = await createUpstream();
    other = await createUpstream();
    const database = await createDatabase();
    other.declare(database.dir, 'other', "email: 'verified'");
    upstream.declare(database.dir, 'off', 'enabled: false');
    service = await start({ database, env: { PROVIDERS_DIR: upstream.declare(database.dir, 'acme') } });
  });
  const identities = async (token: string) =>
    (await request<{ data: { subject: string }[] }>(service, '/v1/identities', { token })).body.data;
  const refuses = async (visitor: Visitor, path: string, status = 400) => {
    const visit = await visitor.get(path);
    assert.equal(visit.status, status, visit.html);
    assert.match(visit.html, /<a class="button primary wide" href="\/login\?choose=1"/, 'the page explains what to do');
    assert.equal(isSignedIn(visitor), false);
  };

  it('a callback in another browser signs nobody in (login CSRF)', async () => {
    upstream.person = person();
    const attacker = new Visitor(service);
    const callback = pathIn(await upstream.visit((await attacker.get('/login/with/acme')).location));
    const victim = new Visitor(service);
    await victim.get('/login');
    await refuses(victim, callback);
    await refuses(new Visitor(service), callback);
  });

  it('a callback works once, and not with an invented state', async () => {
    upstream.person = person();
    const visitor = new Visitor(service);
    const callback = pathIn(await upstream.visit((await visitor.get('/login/with/acme')).location));
    assert.equal((await visitor.get(callback)).status, 303);
    for (const name of ['session', 'renewal']) visitor.cookies.delete(name);
    await refuses(visitor, callback);
    await refuses(visitor, '/login/with/acme/callback?code=x&state=made-up');
    await refuses(visitor, '/login/with/acme/callback');
  });

  it('two tabs do not interfere with each other', async () => {
    upstream.person = person();
    const visitor = new Visitor(service);
    const first = await visitor.get('/login/with/acme?next=%2Fsettings%2Ftokens');
    const second = await visitor.get('/login/with/acme?next=%2Fsettings%2Fsessions');
    const [one, two] = [await upstream.visit(first.location), await upstream.visit(second.location)];
    assert.equal((await visitor.get(pathIn(two))).location, '/settings/sessions');
    assert.equal((await visitor.get(pathIn(one))).location, '/settings/tokens');
  });

  it('a response of one provider is not accepted for another (mix-up)', async () => {
    upstream.person = person();
    other.person = person();
    const visitor = new Visitor(service);
    const acme = new URL(await upstream.visit((await visitor.get('/login/with/acme')).location));
    await refuses(visitor, `/login/with/other/callback${acme.search}`);
    const again = new URL(await upstream.visit((await visitor.get('/login/with/acme')).location));
    again.searchParams.set('iss', other.url);
    await refuses(visitor, pathIn(again.href), 502);
    const silent = new URL(await upstream.visit((await visitor.get('/login/with/acme')).location));
    silent.searchParams.delete('iss');
    await refuses(visitor, pathIn(silent.href), 502);
  });

  it('the same subject at two providers means two users', async () => {
    upstream.person = person();
    const acme = await newcomer(service, upstream);
    other.person = { ...upstream.person, email: 'somebody-else@example.com' };
    const visitor = new Visitor(service);
    await signInWith(visitor, other, '/login/with/other');
    const id = async (who: Visitor) =>
      (await request<{ data: { id: string } }>(service, '/v1/users/me', { token: who.cookies.get('session') ?? '' }))
        .body.data.id;
    assert.notEqual(await id(visitor), await id(acme.visitor));
  });

  const faults: [string, (claims: JWTPayload, header: JWTHeaderParameters) => void][] = [
    ['another issuer', (claims) => (claims.iss = 'https://evil.example')],
    ['another nonce', (claims) => (claims.nonce = 'another')],
    ['no nonce', (claims) => delete claims.nonce],
    ['another audience', (claims) => (claims.aud = 'another')],
    ['an expired token', (claims) => (claims.exp = Math.floor(Date.now() / 1000) - 3600)],
    ['no subject', (claims) => delete claims.sub],
    ['the algorithm none', (_, header) => (header.alg = 'none')],
    ['a symmetric algorithm', (_, header) => (header.alg = 'HS256')],
    ['a key that nobody knows', (_, header) => (header.kid = 'unknown')],
  ];
  for (const [what, tamper] of faults) {
    it(`an ID token with ${what} is refused`, async () => {
      upstream.person = person();
      upstream.tamper = tamper;
      const visitor = new Visitor(service);
      const { location } = await visitor.get('/login/with/acme');
      const callback = pathIn(await upstream.visit(location));
      await refuses(visitor, callback, 502);
      upstream.tamper = undefined;
      await refuses(visitor, callback);
    });
  }

  it('a token signed with another key is refused, and rotated keys are found', async () => {
    upstream.person = person();
    assert.equal((await newcomer(service, upstream)).visit.status, 303);
    await upstream.rotateKeys();
    assert.equal((await newcomer(service, upstream)).visit.status, 303);
    upstream.person = person();
    upstream.tamper = (claims) => (claims.iss = other.url);
    assert.equal((await newcomer(service, upstream)).visit.status, 502);
    upstream.tamper = undefined;
  });

  it('an unverified email links nothing, with any claims (CVE-2026-56666, nOAuth)', async () => {
    const victim = await registerUser(service);
    const claims = [
      {},
      { email_verified: false },
      { email_verified: 'yes' },
      { email_verified: 1 },
      { xms_edov: false },
    ];
    for (const claim of claims) {
      upstream.person = { ...person({ email: victim.email }), email_verified: undefined, ...claim };
      const { visitor } = await newcomer(service, upstream);
      assert.equal(isSignedIn(visitor), false);
    }
    assert.deepEqual(await identities(victim.token), []);
    // A network learns only a few times an hour that an email is taken.
    const { visit } = await newcomer(service, upstream);
    assert.equal(visit.status, 429);
    service.advance(3_600_000);
  });

  /** A user whose email is taken, on the way to the page that requires a proof. */
  const linkPathOf = async (visitor: Visitor, claims: { sub: string; email: string }, provider = 'acme') => {
    const at = provider === 'acme' ? upstream : other;
    at.person = { email_verified: true, ...claims };
    const { location } = await signInWith(visitor, at, `/login/with/${provider}`);
    assert.match(location ?? '', new RegExp(`^/login/with/${provider}/link/[\\w-]{43}$`));
    return location as string;
  };

  it('a proof links only the subject that it is for (CVE-2026-9087, CVE-2026-82968)', async () => {
    const { email } = await registerUser(service);
    const visitor = new Visitor(service);
    const first = await linkPathOf(visitor, { sub: 'bound-1', email });
    const second = await linkPathOf(visitor, { sub: 'bound-2', email });
    const third = await linkPathOf(visitor, { sub: 'bound-3', email }, 'other');
    const back = await visitor.signIn(email, password, first);
    assert.equal(back.location, first);
    // The declaration of one provider does not read the claims of another.
    assert.equal((await visitor.get(first.replace('/acme/', '/other/'))).status, 400);
    assert.equal((await visitor.get(first)).status, 303);
    for (const path of [first, second, third]) assert.equal((await visitor.get(path)).status, 400, path);
    const linked = await identities(visitor.cookies.get('session') ?? '');
    assert.deepEqual(
      linked.map(({ subject }) => subject),
      ['bound-1'],
    );
  });

  it('a proof cannot be guessed (CVE-2026-15571)', async () => {
    const { email, token } = await registerUser(service);
    const visitor = new Visitor(service);
    const seen = new Set<string>();
    for (let i = 0; i < 5; i++) {
      const { searchParams } = new URL((await visitor.get('/login/with/acme')).location as string);
      for (const name of ['state', 'nonce', 'code_challenge']) seen.add(searchParams.get(name) as string);
      seen.add((await linkPathOf(visitor, { sub: 'guessed', email })).split('/').at(-1) as string);
    }
    assert.equal(seen.size, 20, 'the same request never has the same values twice');
    for (const value of seen) assert.ok(Buffer.from(value, 'base64url').length >= 32, 'the value has 256 bits');
    // The stored value does not help an attacker who can read the database.
    const { db } = service.context.database;
    const stored = await db.selectFrom('pending_identities').selectAll().where('provider', '=', 'acme').execute();
    assert.ok(stored.length >= 5);
    for (const { id, visitor: hashed } of stored) {
      assert.equal(seen.has(id), false);
      assert.notEqual(hashed, visitor.cookies.get('visitor'));
    }
    const thief = new Visitor(service);
    await thief.signIn(email, password);
    for (const handle of [...stored.map(({ id }) => id), ...seen])
      assert.equal((await thief.get(`/login/with/acme/link/${handle}`)).status, 400);
    assert.deepEqual(await identities(token), []);
  });

  it('a disabled provider cannot begin, finish or link (CVE-2025-64717)', async () => {
    for (const path of ['', '/callback?code=a&state=b', '/link/abc'])
      assert.ok([302, 404].includes((await new Visitor(service).get(`/login/with/off${path}`)).status));
    const owner = await registerUser(service);
    const visitor = new Visitor(service);
    await visitor.signIn(owner.email, password);
    for (const path of ['/login/with/off', '/login/with/off/link/abc', '/login/with/off/prove'])
      assert.equal((await visitor.get(path)).status, 404, path);
    await visitor.get('/settings/sign-in');
    assert.equal((await visitor.send('/settings/sign-in/off/link', {})).status, 404);
    const { html } = await visitor.get('/login/with/off');
    assert.doesNotMatch(html, /Continue with/);
    assert.equal((await request(service, '/v1/clients/web/admin/with/off')).status, 404);
    // Neither can a provider that is disabled during a sign-in.
    const late = new Visitor(service);
    const path = await linkPathOf(late, { sub: 'late', email: owner.email });
    const { database } = service;
    const PROVIDERS_DIR = upstream.declare(`${database.dir}/later`, 'acme', 'enabled: false');
    const later = await start({ database, env: { PROVIDERS_DIR } });
    const onLater = new Visitor(later);
    for (const [name, value] of late.cookies) onLater.cookies.set(name, value);
    await onLater.signIn(owner.email, password);
    assert.equal((await onLater.get(path)).status, 404);
    await later.close();
    assert.deepEqual(await identities(owner.token), []);
  });

  it('an attacker who registered an email first loses linked identities when its owner arrives (pre-hijacking)', async () => {
    // The attacker has an account at a provider that verifies nothing.
    const email = `victim${people++}@example.com`;
    upstream.person = person({ email, email_verified: false });
    const attacker = await newcomer(service, upstream);
    assert.equal(isSignedIn(attacker.visitor), true);
    const attackers = { ...upstream.person };
    // The victim requests a new password, and gets the mail.
    await request(service, '/v1/password/resets', { json: { email } });
    const token = await tokenMailed(service, 'reset-password', email);
    const reset = await request(service, `/v1/password/resets/${token}`, { json: { password } });
    assert.equal(reset.status, 200, reset.text);
    upstream.person = attackers;
    const again = await newcomer(service, upstream);
    assert.equal(isSignedIn(again.visitor), false, 'the identity of the attacker was removed');
    assert.match(again.visit.location ?? '', /\/link\//);
  });

  it('an error of the provider is shown on a page with its remedy', async () => {
    for (const [error, pattern] of [
      ['access_denied', /did not sign in with Acme/],
      ['login_required', /needs you to sign in there/],
      ['server_error', /did not work/],
    ] as const) {
      const visitor = new Visitor(service);
      const { location } = await visitor.get('/login/with/acme');
      const state = new URL(location as string).searchParams.get('state') as string;
      const query = new URLSearchParams({
        error,
        error_description: '<script>alert(1)</script>',
        state,
        iss: upstream.url,
      });
      const { html, status } = await visitor.get(`/login/with/acme/callback?${query}`);
      assert.match(html, pattern);
      assert.doesNotMatch(html, /alert\(1\)/);
      assert.ok(status >= 400);
    }
  });
});
