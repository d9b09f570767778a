import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { addLogin, password } from './harness/accounts.ts';
import { browsers, colourRules, problemsOf } from './harness/browser.ts';
import { type Service, services } from './harness/service.ts';
import { root } from './harness/starts.ts';

const admin = { email: 'admin@example.com', password: 'correct horse battery' };

describe('The API reference, in a browser', () => {
  const start = services('sqlite');
  const open = browsers();
  let service: Service;
  before(async () => {
    service = await start({
      env: { RESOURCES_DIR: join(root, 'examples/fleet/resources'), BRAND_NAME: 'Fleet of <Ada>' },
    });
  });

  async function signedIn(page: Page, next: string, { email, password: secret } = admin): Promise<void> {
    await page.goto(`${service.url}/login?next=${next}`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(secret);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Requests are sent as').waitFor();
  }

  /** The requests after a click. */
  async function send(form: Locator): Promise<{ status: string; body: string; curl: string }> {
    const response = form.locator('[data-response]');
    await response.evaluate((element: { replaceChildren(): void }) => element.replaceChildren());
    // Without a click, which waits for several layouts of the long page.
    await form.evaluate((element: { requestSubmit(): void }) => element.requestSubmit());
    if ((await form.getAttribute('data-twice')) !== null) await form.getByRole('button', { name: 'Yes, send' }).click();
    await response.locator('.status-line').waitFor();
    return {
      status: (await response.locator('.status-line strong').textContent()) ?? '',
      body: (await response.locator('pre').last().textContent()) ?? '',
      curl: (await form.locator('[data-curl]').textContent()) ?? '',
    };
  }

  it("sends each example request of the operator's resources unchanged, with the reader's session", async () => {
    const page = await (await open()).newPage();
    await signedIn(page, '/docs/owners');
    for (const section of ['owners', 'drivers', 'cars', 'assignments']) {
      await page.goto(`${service.url}/docs/${section}`);
      for (const form of await page.locator('form.try:not([data-twice])').all()) {
        const { status, body } = await send(form);
        assert.match(status, /^20[01]/, `${await form.getAttribute('aria-label')}: ${body}`);
      }
    }
    await page.goto(`${service.url}/docs/assignments`);
    const gone = await send(page.locator('#delete_assignments form'));
    assert.match(gone.status, /^204/, 'the example deletes an existing row, after a second click');
    assert.match(gone.curl, /curl -X DELETE 'http[^']+\/v1\/assignments\/(?!0199d0a0)[\w-]+'/);
    assert.doesNotMatch(await page.content(), /eyJ/, 'no token is shown');
  });

  it('works without a session: after a login that the page sends, or with a token', async () => {
    const page = await (await open()).newPage();
    await page.goto(`${service.url}/docs`);
    assert.equal(await page.title(), 'Fleet of <Ada> API reference');
    await page.getByRole('heading', { name: 'Fleet of <Ada> API' }).waitFor();
    const sections = await page.locator('.tree > li > a').allInnerTexts();
    assert.deepEqual(sections.slice(0, 2), ['Overview', 'assignments'], "the operator's resources come first");
    await page.getByRole('searchbox', { name: 'Find an operation' }).fill('list cars');
    await page.locator('.tree').getByRole('link', { name: 'List cars' }).click();
    await page.waitForURL('**/docs/cars#list_cars');
    const cars = page.locator('#list_cars form');
    assert.match((await send(cars)).status, /^401/);
    await page.goto(`${service.url}/docs/first-party-clients`);
    const login = page.locator('#postClientsWebAdminLogin form');
    await login.getByLabel('Body').fill('{ "email": ');
    await login.getByRole('button', { name: 'Send' }).click();
    await login.getByText('This is no JSON').waitFor();
    await login.getByLabel('Body').fill(JSON.stringify(admin));
    assert.match((await send(login)).status, /^200/);
    await page.goto(`${service.url}/docs/cars`);
    const { status, curl } = await send(cars);
    assert.match(status, /^200/);
    assert.match(curl, /-H "Authorization: Bearer \$ACCESS"/, 'the token itself is never shown');
    assert.match(await cars.innerText(), /JavaScript/);
  });

  /** Leaves two parts of each kind. They are alike, and axe takes seconds for all of them. */
  const shorten = (page: Page) =>
    page.evaluate(`['.tree > li', '.entries > section', 'article.operation'].forEach((selector) =>
      [...document.querySelectorAll(selector)]
        .slice(2)
        .filter((element) => !element.querySelector('[aria-current]'))
        .forEach((element) => element.remove()))`);

  it('passes axe in both colour schemes and widths, and logs no error', async () => {
    const page = await (await open()).newPage();
    const pageErrors: string[] = [];
    page.on('pageerror', (error) => pageErrors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && pageErrors.push(message.text()));
    const show = async (colorScheme: 'light' | 'dark', width: number) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 800 });
      const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(wider) <= 0, `nothing overflows at ${width}`);
    };
    for (const path of ['/docs', '/docs/cars']) {
      await page.goto(service.url + path);
      await page.locator('[data-who]').getByRole('link', { name: 'Sign in' }).waitFor();
      await show('light', 1280);
      await show('dark', 390);
      await shorten(page);
      assert.deepEqual(await problemsOf(page, colourRules), [], `${path}, dark`);
      await show('light', 1280);
      assert.deepEqual(await problemsOf(page), [], `${path}, light`);
    }
    assert.deepEqual(pageErrors, []);
  });

  it('is readable without JavaScript, and then has no useless button', async () => {
    const page = await (await open({ javaScriptEnabled: false })).newPage();
    await page.goto(`${service.url}/docs/cars`);
    await page.getByRole('heading', { name: 'Create a car' }).waitFor();
    assert.match(await page.locator('#list_cars [data-curl]').innerText(), /curl 'http[^']+\/v1\/cars'/);
    const buttons = await page.getByRole('button').allInnerTexts();
    assert.deepEqual(buttons, ['System', 'Light', 'Dark']);
  });

  it('is small, compressed and cached by browsers, and gives its token to no other page', async () => {
    const gzip = { 'accept-encoding': 'gzip' };
    const first = await fetch(`${service.url}/docs/cars`, { headers: gzip });
    assert.equal(first.headers.get('content-encoding'), 'gzip');
    assert.match(
      first.headers.get('content-security-policy') ?? '',
      /default-src 'none'; style-src 'self'; script-src 'self';/,
    );
    const files = [...(await first.text()).matchAll(/(?:href|src)="(\/assets\/reference[^"]+)"/g)].map(
      ([, path]) => path,
    );
    let bytes = 0;
    for (const path of ['/docs/cars', ...files]) {
      const response = await fetch(service.url + path, { headers: gzip });
      bytes += Number(response.headers.get('content-length'));
      await response.text();
      if (path !== '/docs/cars') assert.match(response.headers.get('cache-control') ?? '', /immutable/);
    }
    assert.equal(files.length, 2);
    assert.ok(bytes < 60_000, `${bytes} bytes for a first visit`);
    const etag = first.headers.get('etag') as string;
    const again = await fetch(`${service.url}/docs/cars`, { headers: { ...gzip, 'if-none-match': etag } });
    assert.equal(again.status, 304);
    assert.equal((await fetch(`${service.url}/docs/no-such-part`)).status, 404);
    const changes = await (await fetch(`${service.url}/docs/changelog`)).text();
    assert.match(changes, /<h2>[^<]+<\/h2><ul><li>.*<code>[^<]*\/v1\//s);

    const page = await (await open()).newPage();
    await signedIn(page, '/docs', { ...(await addLogin(service)), password });
    const cookies = await page.context().cookies();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const request = (headers: Record<string, string>) =>
      fetch(`${service.url}/docs/token`, { method: 'POST', headers });
    assert.equal((await request({ cookie, origin: service.url })).status, 200);
    assert.equal((await request({ cookie, origin: 'https://evil.example' })).status, 403);
    assert.equal((await request({ cookie, 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await request({})).status, 204, 'no session cookie');
  });
});
