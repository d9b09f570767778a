import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type Service, services } from '../harness/service.ts';
import { type Visit, Visitor } from '../harness/visitor.ts';

onBothEngines('Signing in on the page', (engine) => {
  const start = services(engine);
  let service: Service;
  let email: string;
  before(async () => {
    service = await start();
    email = (await addLogin(service)).email;
  });

  it('redirects a user who is not signed in to the login page, and back to the destination', async () => {
    const visitor = new Visitor(service);
    const first = await visitor.get('/settings/tokens?done=token-revoked');
    assert.equal(first.status, 302);
    assert.equal(first.location, '/login?next=%2Fsettings%2Ftokens%3Fdone%3Dtoken-revoked');
    assert.equal(first.headers.get('cache-control'), 'no-store');
    const page = await visitor.get(first.location);
    assert.match(page.html, /name="next" value="\/settings\/tokens\?done=token-revoked"/);
    const done = await visitor.send('/login', { login: email, password, next: '/settings/tokens?done=token-revoked' });
    assert.equal(done.status, 303);
    assert.equal(done.location, '/settings/tokens?done=token-revoked');
    assert.equal((await visitor.get('/settings')).status, 200);
  });

  it('stores the session in cookies that scripts cannot read', async () => {
    const visitor = new Visitor(service);
    const done = await visitor.signIn(email, password);
    const cookies = done.headers.getSetCookie().sort();
    assert.deepEqual(
      cookies.map((cookie) => /^(\w+)=.*; Path=\/; HttpOnly; SameSite=(\w+)$/.exec(cookie)?.slice(1)),
      [
        ['device', 'Strict'],
        ['renewal', 'Lax'],
        ['session', 'Lax'],
      ],
    );
    assert.match(cookies[2] ?? '', /^session=eyJ[\w-]+\.[\w-]+\.[\w-]+; Max-Age=3600;/);
  });

  it('redirects only to local paths', async () => {
    for (const next of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/%09/evil.example',
      'javascript:1',
    ]) {
      const page = await new Visitor(service).get(`/login?next=${encodeURIComponent(next)}`);
      assert.doesNotMatch(page.html, /evil|javascript:/);
      const done = await new Visitor(service).signIn(email, password, next);
      assert.equal(done.location, '/settings', next);
    }
  });

  it('does not show the login page to a signed-in user', async () => {
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    assert.equal((await visitor.get('/login?next=/settings/password')).location, '/settings/password');
    assert.equal((await visitor.get('/login?next=//evil.example')).location, '/settings');
  });

  it('reports wrong credentials, and keeps the typed values except the password', async () => {
    const visitor = new Visitor(service);
    const known = await visitor.signIn(email, 'not the password');
    const unknown = await visitor.signIn('nobody@example.com', 'not the password');
    for (const { status, html } of [known, unknown]) {
      assert.equal(status, 422);
      assert.match(html, /role="alert"><p>The email or the password is wrong\.<\/p>/);
      assert.doesNotMatch(html, /not the password/);
    }
    assert.ok(known.html.includes(`value="${email}"`));
    assert.equal(visitor.cookies.has('session'), false);
    const empty = await visitor.send('/login', { login: '', password: '' });
    assert.match(empty.html, /id="login-error"/);
    assert.match(empty.html, /id="password-error"/);
  });

  it('keeps the destination of a rejected form if the user changes the language', async () => {
    const visitor = new Visitor(service);
    const hereOf = ({ html }: Visit) =>
      /action="\/language"[\s\S]*?name="next" value="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    await visitor.get('/login');
    const next = '/settings/tokens?page=2';
    for (const path of ['/login', '/register']) {
      const rejected = await visitor.send(path, { login: '', password: '', next });
      assert.equal(hereOf(rejected), `${path}?next=${encodeURIComponent(next)}`);
      assert.equal(hereOf(await visitor.send(path, { next: '//evil.example' })), path);
    }
    assert.equal(hereOf(await visitor.send('/login-step', { next })), next);
    assert.equal(hereOf(await visitor.send('/password/reset/unknown', { password })), '/password/reset/unknown');
  });

  it('shows the waiting time after too many attempts', async () => {
    const { email: guessed } = await addLogin(service);
    const visitor = new Visitor(service);
    for (let i = 0; i < 10; i++) assert.equal((await visitor.signIn(guessed, 'wrong')).status, 422);
    const refused = await visitor.signIn(guessed, password);
    assert.equal(refused.status, 429);
    assert.match(refused.html, /Too many attempts\.<\/strong> <span data-wait="\d+"[^>]*>Try again in 1[45] minutes\./);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  });

  it('says how long to wait after too many registrations', async () => {
    const visitor = new Visitor(service);
    await visitor.get('/register');
    const register = () => visitor.send('/register', { email, password: 'a fine long secret' });
    let page = await register();
    for (let i = 0; page.status !== 429 && i < 100; i++) page = await register();
    assert.equal(page.status, 429);
    assert.ok(Number(page.headers.get('retry-after')) > 0);
  });

  it('renews the session while its refresh token is valid', async () => {
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    const old = visitor.cookies.get('session');
    service.advance(3601_000);
    const [first, second] = await Promise.all([visitor.get('/settings'), visitor.get('/settings/password')]);
    assert.deepEqual([first.status, second.status], [200, 200]);
    assert.notEqual(visitor.cookies.get('session'), old);
    service.advance(3601_000);
    const form = await visitor.send('/settings/sessions/end-others', {});
    assert.equal(
      form.location,
      '/settings/sessions?done=others-ended',
      'a form that is sent after the token has expired',
    );
    // The browser deletes an expired access token. The other cookie is enough.
    visitor.cookies.delete('session');
    assert.equal((await visitor.get('/settings')).status, 200);
    service.advance(31 * 86_400_000);
    assert.equal((await visitor.get('/settings')).status, 302);
    assert.equal(visitor.cookies.has('renewal'), false);
  });

  it('accepts only session tokens in the cookie', async () => {
    const visitor = new Visitor(service);
    for (const value of ['x', 'a.b.c', '"', '%00', 'e'.repeat(5000)]) {
      visitor.cookies.set('session', value);
      visitor.cookies.set('renewal', value);
      const response = await visitor.get('/settings');
      assert.equal(response.status, 302, value);
    }
  });

  it('signs out permanently', async () => {
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    await visitor.get('/settings');
    const kept = new Map(visitor.cookies);
    const out = await visitor.send('/logout', {});
    assert.equal(out.location, '/login?done=signed-out');
    assert.equal(visitor.cookies.has('session') || visitor.cookies.has('renewal'), false);
    assert.match((await visitor.get('/login?done=signed-out')).html, /You are signed out\./);
    const thief = new Visitor(service);
    for (const [name, value] of kept) thief.cookies.set(name, value);
    assert.equal((await thief.get('/settings')).status, 302);
    assert.equal((await visitor.send('/logout', {})).location, '/login');
  });

  it('redirects password managers to the page that changes the password', async () => {
    const response = await new Visitor(service).get('/.well-known/change-password');
    assert.equal(response.location, '/settings/password');
  });

  it('redirects a form without a session to the login page, and then to its section', async () => {
    const visitor = new Visitor(service);
    await visitor.get('/login');
    const response = await visitor.send('/settings/applications/some-id/remove', {});
    assert.equal(response.status, 302);
    assert.equal(response.location, '/login?next=%2Fsettings%2Fapplications');
  });
});

onBothEngines('Cookies under https', (engine) => {
  const start = services(engine);
  it('are Secure and bound to the host', async () => {
    const service = await start({ env: { BASE_URL: 'https://gate.example' } });
    const { email } = await addLogin(service);
    const visitor = new Visitor(service);
    const done = await visitor.signIn(email, password);
    assert.equal(done.location, '/settings');
    const cookies = done.headers.getSetCookie();
    assert.equal(cookies.length, 3);
    for (const cookie of cookies)
      assert.match(cookie, /^__Host-(session|renewal|device)=.*; Path=\/; HttpOnly; Secure; SameSite=(Lax|Strict)$/);
  });

  it('are limited to the path of the service if it shares a host', async () => {
    const service = await start({ env: { BASE_URL: 'https://example.com/auth' } });
    const visitor = new Visitor(service);
    const first = await visitor.get('/settings');
    assert.equal(first.location, '/auth/login?next=%2Fsettings');
    const page = await visitor.get('/login');
    assert.match(page.headers.get('set-cookie') ?? '', /^visitor=.*; Path=\/auth; HttpOnly; Secure; SameSite=Lax$/);
    assert.match(page.html, /action="\/auth\/login"/);
    assert.match(page.html, /href="\/auth\/assets\/pages\.css/);
  });
});
