import assert from 'node:assert/strict';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { before, mock, test } from 'node:test';
import { addLogin, password } from '../../test/harness/accounts.ts';
import { onBothEngines } from '../../test/harness/engines.ts';
import { logIn, request } from '../../test/harness/request.ts';
import { type Service, services } from '../../test/harness/service.ts';
import { Visitor } from '../../test/harness/visitor.ts';

/** The session cookie of a signed-in user. The login page sets such a token. */
async function signIn(service: Service, roles: string[]): Promise<string> {
  const { email } = await addLogin(service, { roles });
  return `session=${await logIn(service, email, password)}`;
}

onBothEngines('The console at /admin', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  before(async () => {
    service = await start();
    admin = await signIn(service, ['admin']);
  });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(service.url + path, { headers, redirect: 'manual' });
  const requestToken = (headers: Record<string, string>) =>
    fetch(`${service.url}/admin/token`, { method: 'POST', headers, redirect: 'manual' });

  test('redirects to the login page', async () => {
    const response = await get('/admin');
    assert.equal(response.status, 302);
    assert.equal(response.headers.get('location'), '/login?next=%2Fadmin');
    assert.equal((await requestToken({})).status, 302);
  });

  test('is only for administrators, and so is its token', async () => {
    const cookie = await signIn(service, ['editor']);
    assert.equal((await get('/admin', { cookie })).status, 403);
    assert.equal((await requestToken({ cookie })).status, 403);
  });

  test('has a new nonce for style sheets in each response, and allows no inline script', async () => {
    const pages = await Promise.all([get('/admin', { cookie: admin }), get('/admin/', { cookie: admin })]);
    const nonces = pages.map((page) => /'nonce-([^']+)'/.exec(page.headers.get('content-security-policy') ?? '')?.[1]);
    assert.notEqual(nonces[0], nonces[1]);
    for (const [i, page] of pages.entries()) {
      assert.equal(page.status, 200);
      assert.equal(page.headers.get('cache-control'), 'no-store');
      assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self';/);
      const html = await page.text();
      assert.ok(html.includes(`<meta property="csp-nonce" nonce="${nonces[i]}"`));
      assert.doesNotMatch(html, /__NONCE__|__ROOT__|<script(?![^>]*src=)/);
    }
  });

  test('has the colour scheme and the logo of the pages', async () => {
    const page = async (theme: string) => (await get('/admin', { cookie: `${admin}; theme=${theme}` })).text();
    assert.match(await page('dark'), /<html lang="en" data-theme="dark">.*name="color-scheme" content="dark"/s);
    assert.match(await page('"><script>'), /<html lang="en">.*name="color-scheme" content="light dark"/s);
    const icon = /<link rel="icon" href="([^"]+)"/;
    const login = await (await get('/login')).text();
    assert.equal(icon.exec(await page('dark'))?.[1], icon.exec(login)?.[1]);
  });

  test('loads immutable files, compressed if the browser supports it', async () => {
    const html = await (await get('/admin', { cookie: admin })).text();
    const script = /src="([^"]+\.js)"/.exec(html)?.[1] as string;
    const plain = await get(script, { 'accept-encoding': 'identity' });
    assert.equal(plain.status, 200);
    assert.match(plain.headers.get('content-type') ?? '', /^text\/javascript/);
    assert.match(plain.headers.get('cache-control') ?? '', /immutable/);
    const small = await get(script, { 'accept-encoding': 'gzip, br' });
    assert.equal(small.headers.get('content-encoding'), 'br');
    assert.equal(await small.text(), await plain.text());
    assert.equal((await get('/admin/assets/..%2findex.html')).status, 404);
  });

  test('reports a file that cannot be read, without headers for caches', async () => {
    const html = await (await get('/admin', { cookie: admin })).text();
    const script = /src="([^"]+\.js)"/.exec(html)?.[1] as string;
    const failing = mock.method(promises, 'readFile', () => Promise.reject(new Error('EMFILE: too many open files')));
    syncBuiltinESMExports();
    const response = await get(script);
    failing.mock.restore();
    syncBuiltinESMExports();
    assert.equal(response.status, 503);
    for (const name of ['cache-control', 'content-encoding']) assert.equal(response.headers.get(name), null, name);
  });

  test("gets the token of the page's session, and only from its own origin", async () => {
    const response = await requestToken({ cookie: admin, origin: service.url, 'sec-fetch-site': 'same-origin' });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const body = (await response.json()) as { access_token: string; expires_in: number };
    assert.equal(`session=${body.access_token}`, admin);
    assert.ok(body.expires_in > 3500 && body.expires_in <= 3600);
    for (const [name, value] of Object.entries({ origin: 'https://evil.example', 'sec-fetch-site': 'same-site' })) {
      assert.equal((await requestToken({ cookie: admin, [name]: value })).status, 403);
    }
  });

  test('renews the session when its access token has expired', async () => {
    const { email } = await addLogin(service, { roles: ['admin'] });
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    const before = visitor.cookies.get('session');
    service.advance(3601_000);
    const { status, html } = await visitor.send('/admin/token', {});
    assert.equal(status, 200);
    const { access_token: token } = JSON.parse(html) as { access_token: string };
    assert.notEqual(token, before);
    assert.equal((await request(service, '/v1/users/me', { token })).status, 200);
    const { status: loggedOut } = await request(service, '/v1/logout', { method: 'DELETE', token });
    assert.equal(loggedOut, 200);
    assert.equal((await visitor.send('/admin/token', {})).status, 302, 'one logout also ends the session of the page');
  });
});
