import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

onBothEngines('Forms', (engine) => {
  const start = services(engine);
  let service: Service;
  let email: string;
  before(async () => {
    service = await start();
    email = (await addLogin(service)).email;
  });

  const tokenIn = (html: string): string => /name="_csrf" value="([^"]+)"/.exec(html)?.[1] as string;
  const signedIn = async () => {
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    return visitor;
  };

  it('contain a token on every page', async () => {
    const visitor = await signedIn();
    for (const [page, who] of [
      ['/login', new Visitor(service)],
      ['/register', new Visitor(service)],
      ['/password/forgot', new Visitor(service)],
      ['/settings', visitor],
      ['/settings/sign-in', visitor],
      ['/device', visitor],
    ] as const) {
      const { html } = await who.get(page);
      const forms = html.match(/<form method="post"[\s\S]*?<\/form>/g) ?? [];
      assert.ok(forms.length >= 3, page);
      for (const form of forms) assert.ok(tokenIn(form), `${page}: ${form}`);
    }
  });

  it('are refused without a token, with an invalid one, and with one of another user', async () => {
    const mallory = await signedIn();
    const foreign = tokenIn((await mallory.get('/settings')).html);
    const visitor = await signedIn();
    const before = tokenIn((await new Visitor(service).get('/login')).html);
    const own = tokenIn((await visitor.get('/settings')).html);
    const wrong = ['', 'x', foreign, before, `${own}x`, own.slice(1), own.toLowerCase()];
    for (const _csrf of wrong) {
      const response = await visitor.send('/logout', { _csrf });
      assert.equal(response.status, 403, _csrf);
      assert.match(response.html, /This form has expired/);
    }
    visitor.cookies.set('visitor', mallory.cookies.get('visitor') as string);
    assert.equal((await visitor.send('/logout', { _csrf: foreign })).status, 403, 'a planted cookie');
    assert.equal((await visitor.get('/settings')).status, 200);
  });

  it('return with the typed values, within a size limit', async () => {
    const visitor = new Visitor(service);
    await visitor.get('/register');
    const short = await visitor.send('/register', { name: 'Ada', email: 'no address', password: 'x' });
    assert.equal(short.status, 422);
    assert.match(short.html, /value="no address"/);
    for (const form of ['/register', '/login']) {
      const long = await visitor.send(form, { name: 'x', email: 'x', login: '"'.repeat(500_000), password: 'x' });
      assert.ok(long.status >= 400 && long.html.length <= 16 * 1024, `${form} ${long.status} ${long.html.length}`);
    }
    const name = await visitor.send('/register', { name: '"'.repeat(500_000), email: 'x', password: 'x' });
    assert.equal(name.status, 413);
    assert.match(name.html, /too much data/);
  });

  it('from before the sign-in do not work after it', async () => {
    const visitor = new Visitor(service);
    const before = tokenIn((await visitor.get('/login')).html);
    await visitor.send('/login', { login: email, password });
    assert.equal((await visitor.send('/logout', { _csrf: before })).status, 403);
  });

  it('from another site are refused even with their token', async () => {
    const visitor = await signedIn();
    await visitor.get('/settings');
    for (const site of ['cross-site', 'same-site']) {
      assert.equal((await visitor.send('/logout', {}, { 'sec-fetch-site': site })).status, 403);
    }
    assert.equal((await visitor.send('/logout', {}, { 'sec-fetch-site': 'same-origin' })).status, 303);
  });

  it('from another origin are refused if the browser sends only Origin', async () => {
    const visitor = await signedIn();
    await visitor.get('/settings');
    for (const origin of ['https://evil.example', 'null', service.url.replace(/:\d+$/, ':1'), `${service.url}.evil`]) {
      assert.equal((await visitor.send('/logout', {}, { origin })).status, 403, origin);
    }
    assert.equal((await visitor.send('/logout', {}, { origin: service.url })).status, 303);
  });

  it('from another page are refused if the browser sends only Referer', async () => {
    const visitor = await signedIn();
    await visitor.get('/settings');
    const { host } = new URL(service.url);
    for (const page of [
      'https://evil.example/',
      'no url',
      `https://evil.example/http://${host}`,
      `http://${host}@evil`,
    ]) {
      assert.equal((await visitor.send('/logout', {}, { referer: page })).status, 403, page);
      const both = { origin: 'https://evil.example', referer: `${service.url}/settings` };
      assert.equal((await visitor.send('/logout', {}, both)).status, 403, page);
    }
    assert.equal((await visitor.send('/logout', {}, { referer: `${service.url}/settings` })).status, 303);
  });

  it('are sent with their Origin, which the referrer policy of the pages allows', async () => {
    const { headers } = await new Visitor(service).get('/login');
    assert.equal(headers.get('referrer-policy'), 'strict-origin');
  });

  /** Only the Origin is checked: these choices are harmless, and some error pages and the API reference have no token. */
  const byOrigin = ['/theme', '/docs/token'];

  it('change the language of the signed-in user only with a token, which public pages and most error pages have too', async () => {
    const visitor = await signedIn();
    const localeOf = async () => (await visitor.get('/settings')).html.match(/<html lang="(\w+)"/)?.[1];
    for (const [path, language] of [
      ['/settings', 'de'],
      ['/password/forgot', 'fr'],
      ['/nothing', 'en'],
    ] as const) {
      await visitor.get('/settings/tokens');
      const forged = await visitor.send('/language', { language, next: '/', _csrf: 'forged' });
      assert.equal(forged.status, 403, path);
      assert.notEqual(await localeOf(), language);
      const { html } = await visitor.get(path);
      const _csrf = /action="\/language"[\s\S]*?name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? assert.fail(path);
      assert.equal((await visitor.send('/language', { language, next: '/', _csrf })).status, 303, path);
      assert.equal(await localeOf(), language, path);
    }
  });

  it('stay valid after another site has sent a form', async () => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', accept: 'text/html' };
    const { status, headers: received } = await fetch(`${service.url}/theme`, { method: 'POST', headers });
    assert.deepEqual([status, received.getSetCookie()], [403, []], 'the cookie of the visitor is not replaced');
  });

  it('are refused from another origin if no token is checked', async () => {
    const visitor = await signedIn();
    const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ');
    for (const path of byOrigin) {
      const headers = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      const body = new URLSearchParams({ theme: 'dark', language: 'de' });
      const { status } = await fetch(service.url + path, { method: 'POST', headers, body, redirect: 'manual' });
      assert.equal(status, 403, path);
    }
  });

  it('require a token on every page that accepts POST', async () => {
    const visitor = await signedIn();
    await visitor.get('/settings');
    const forms = postRoutes(service.app.printRoutes({ commonPrefix: false, includeHooks: false })).filter(
      // The OAuth endpoints and /mcp ignore cookies. Providers send POST to /login/with, which `state` and its cookie
      // protect.
      (path) => !/^\/((v1|admin|oauth|login\/with)\/|mcp$)/.test(path) && !byOrigin.includes(path),
    );
    assert.ok(forms.includes('/settings/applications/:id/secret') && forms.length >= 19, forms.join(' '));
    for (const path of forms) {
      assert.equal((await visitor.send(path.replaceAll(/:\w+/g, 'x'), { _csrf: 'forged' })).status, 403, path);
    }
  });

  it('are refused with a clear error if the body is not a form', async () => {
    const visitor = await signedIn();
    for (const [type, body] of [
      ['application/json', '{"login":{"a":1},"password":["x"],"_csrf":7}'],
      ['application/json', '{'],
      ['text/plain', 'x'],
      ['application/x-www-form-urlencoded', '%ff=%ff'],
      ['application/x-www-form-urlencoded', 'a=1&a=2'],
    ] as const) {
      const response = await fetch(`${service.url}/login`, {
        method: 'POST',
        body,
        headers: { 'content-type': type, cookie: `visitor=${visitor.cookies.get('visitor')}` },
      });
      assert.ok(response.status >= 400 && response.status < 500, `${type} ${body}: ${response.status}`);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    }
  });
});

/** The paths that accept POST, from the printed tree of the router: four characters per level. */
function postRoutes(tree: string): string[] {
  const levels: string[] = [];
  const found: string[] = [];
  for (const line of tree.split('\n')) {
    const [, indent, part, methods] = /^([│ ]*)[├└]── (\S*)(?: \((.+)\))?/.exec(line) ?? [];
    if (indent === undefined || part === undefined) continue;
    levels.length = indent.length / 4;
    levels.push(part);
    if (methods?.includes('POST')) found.push(levels.join(''));
  }
  return found;
}
