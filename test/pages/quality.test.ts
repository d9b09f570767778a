import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { BrowserContext, Page, Response } from 'playwright-core';
import { password } from '../harness/accounts.ts';
import { browsers, colourRules, problemsOf } from '../harness/browser.ts';
import { mailedLink } from '../harness/mailed-link.ts';
import { type Service, services } from '../harness/service.ts';

const email = 'ada@example.com';

describe('The quality of the pages in a real browser', () => {
  const start = services('sqlite');
  const open = browsers();
  let service: Service;
  let signedIn: BrowserContext;
  /** Every page, including the states of its forms: the way to it, signed in or not. */
  const publicPages = new Map<string, (page: Page) => Promise<unknown>>();
  const privatePages = new Map<string, (page: Page) => Promise<unknown>>();

  before(async () => {
    service = await start();
    signedIn = await open();
    const page = await signedIn.newPage();
    await page.goto(`${service.url}/register`);
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/settings?done=welcome');
    await page.goto(`${service.url}/settings/applications/new`);
    await page.getByLabel('Name').fill('Nightly backup');
    await page.getByRole('button', { name: 'Create application' }).click();
    const id = (await page.locator('#client-id').textContent()) as string;
    await page.goto(`${service.url}/settings/applications/sign-in/new`);
    await page.getByLabel('Name', { exact: true }).fill('Notes');
    await page.getByLabel('Redirect URIs').fill('https://app.example/callback');
    await page.getByRole('button', { name: 'Create application' }).click();
    const signInId = (await page.locator('#client-id').textContent()) as string;
    await page.close();

    const resetLink = async () => {
      const body = JSON.stringify({ email });
      const headers = { accept: 'application/json', 'content-type': 'application/json' };
      await fetch(`${service.url}/v1/password/resets`, { method: 'POST', headers, body });
      return mailedLink(service, 'reset-password', email);
    };
    const at = (path: string) => (page: Page) => page.goto(service.url + path);
    const press = (path: string, name: string | RegExp) => async (page: Page) => {
      await page.goto(service.url + path);
      await page.evaluate('for (const form of document.forms) form.noValidate = true');
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.getByRole('button', { name }).first().click();
      await answered;
      await page.waitForLoadState();
    };
    publicPages
      .set('login', at('/login'))
      .set('login refused', press('/login', 'Sign in'))
      .set('register', at('/register'))
      .set('register refused', press('/register', 'Create account'))
      .set('forgotten password', at('/password/forgot'))
      .set('forgotten password refused', press('/password/forgot', 'Send the link'))
      .set('mail sent', at('/password/forgot?done=sent'))
      .set('new password', at(await resetLink()))
      .set('confirm', at(await mailedLink(service, 'confirm-email', email)))
      .set('dead link', at('/email/confirm/x'))
      .set('confirmed', at('/email/confirmed'))
      .set('not found', at('/nothing/here'));
    const waiting = async (page: Page) => {
      const body = new URLSearchParams({ client_id: 'gatehouse-cli', scope: 'openid profile users:read' });
      const response = await fetch(`${service.url}/oauth/device_authorization`, { method: 'POST', body });
      const { user_code } = (await response.json()) as { user_code: string };
      await page.goto(`${service.url}/device?user_code=${user_code}`);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Connect Gatehouse command line?' }).waitFor();
    };
    privatePages
      .set('device', at('/device'))
      .set('device refused', press('/device', 'Continue'))
      .set('device asked about', waiting)
      .set('device connected', at('/device/done?decision=allowed'))
      .set('own data', at('/settings/account'))
      .set('deletion refused', async (page) => {
        await page.goto(`${service.url}/settings/account`);
        await page.locator('summary').click();
        await page.getByLabel('Current password').fill('wrong');
        await page.getByRole('button', { name: 'Yes, delete my account' }).click();
        await page.locator('#current_password-error').waitFor();
      })
      .set('profile', at('/settings'))
      .set('profile refused', async (page) => {
        await page.goto(`${service.url}/settings`);
        await page.evaluate('document.querySelector("#email").form.noValidate = true');
        await page.getByLabel('Email').fill('not an address');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.locator('#email-error').waitFor();
      })
      .set('password', at('/settings/password'))
      .set('password refused', press('/settings/password', 'Change password'))
      .set('security', at('/settings/security'))
      .set('authenticator new', press('/settings/security', 'Set up an authenticator app'))
      .set('ways to sign in', at('/settings/sign-in'))
      .set('sessions', at('/settings/sessions'))
      .set('tokens', at('/settings/tokens'))
      .set('token new', at('/settings/tokens/new'))
      .set('token refused', press('/settings/tokens/new', 'Create token'))
      .set('token made', async (page) => {
        await page.goto(`${service.url}/settings/tokens/new`);
        await page.getByLabel('Name').fill('Script');
        await page.getByLabel('Read: Profile, email and password').check();
        await page.getByRole('button', { name: 'Create token' }).click();
        await page.locator('#access-token').waitFor();
      })
      .set('applications', at('/settings/applications'))
      .set('application new', at('/settings/applications/new'))
      .set('application', at(`/settings/applications/${id}`))
      .set('application secret', press(`/settings/applications/${id}`, 'Create a new secret'))
      .set('sign-in application new', at('/settings/applications/sign-in/new'))
      .set('sign-in application', at(`/settings/applications/${signInId}`))
      .set('forbidden', at('/admin'));
  });

  /** Wider pages would overflow on a small phone or on a desktop. */
  const widths = [360, 1440];

  const judge = async (page: Page) => {
    // Without motion, because axe must judge the final colours.
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    assert.deepEqual(await problemsOf(page), [], 'axe-core, light');
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    assert.deepEqual(await problemsOf(page, colourRules), [], 'axe-core, dark');
    const { width, height } = page.viewportSize() ?? { width: 1280, height: 720 };
    for (const narrow of widths) {
      await page.setViewportSize({ width: narrow, height });
      const wide = (await page.evaluate('document.documentElement.scrollWidth')) as number;
      assert.ok(wide <= narrow, `${wide} pixels wide at ${narrow}`);
    }
    await page.setViewportSize({ width, height });
  };

  const checkHeaders = (document: Response) => {
    const headers = document.headers();
    const where = `${document.request().method()} ${document.url()}`;
    assert.equal(headers['cache-control'], 'no-store', where);
    assert.match(headers['content-security-policy'] ?? '', /default-src 'none'.*frame-ancestors 'none'/, where);
    assert.doesNotMatch(headers['content-security-policy'] ?? '', /unsafe/, where);
  };

  for (const [whose, pages] of [
    ['for everybody', publicPages],
    ['of the settings', privatePages],
  ] as const)
    it(`every page ${whose} is accessible, fits the screen, is small, loads nothing from other origins, and is not cached or framed`, async (walk) => {
      const context = await open(pages === privatePages ? { storageState: await signedIn.storageState() } : {});
      const page = await context.newPage();
      const complaints: string[] = [];
      const documents: Response[] = [];
      let bytes = 0;
      page.on('console', (message) => {
        if (message.type() === 'error' && !/status of (4\d\d)/.test(message.text())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== service.url) complaints.push(`asks for ${request.url()}`);
      });
      page.on('response', (response) => {
        bytes += Number(response.headers()['content-length'] ?? 0);
        if (response.request().isNavigationRequest()) documents.push(response);
      });
      for (const [name, go] of pages)
        await walk.test(name, async () => {
          bytes = 0;
          await go(page);
          await page.waitForLoadState();
          assert.ok(bytes > 500 && bytes < 50_000, `${bytes} bytes`);
          await judge(page);
        });
      assert.deepEqual(complaints, []);
      assert.ok(documents.length >= pages.size);
      documents.forEach(checkHeaders);
    });

  it('shows the QR code of an authenticator app black on white, in dark mode too', async () => {
    const page = await (await open({ storageState: await signedIn.storageState(), colorScheme: 'dark' })).newPage();
    await privatePages.get('authenticator new')?.(page);
    const ground = await page.evaluate(
      `getComputedStyle(document.querySelector('img[src^="data:image/svg"]')).backgroundColor`,
    );
    assert.equal(ground, 'rgb(255, 255, 255)');
  });

  it('shows the strength of a password while typing', async () => {
    const page = await (await open()).newPage();
    await page.goto(`${service.url}/register`);
    const words = page.locator('.strength span');
    const field = page.getByLabel('Password', { exact: true });
    for (const [typed, strength] of [
      ['abc', /^Too short/],
      ['aaaaaaaaaaaa', /^Weak/],
      ['password1', /^Weak/],
      ['12345678', /^Weak/],
      ['correct horse battery staple', /^Strong/],
    ] as const) {
      await field.fill(typed);
      assert.match((await words.textContent()) ?? '', strength, typed);
    }
    await page.getByRole('button', { name: 'Show' }).click();
    assert.equal(await field.getAttribute('type'), 'text');
  });

  it('can be used with the keyboard only', async () => {
    const page = await (await open()).newPage();
    await page.goto(`${service.url}/login`);
    await page.keyboard.type(email);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings#main');
  });

  it('does not move the focus of a user who is typing, even if the script loads late', async () => {
    const page = await (await open()).newPage();
    const typed = Promise.withResolvers<void>();
    await page.route(/pages.*\.js/, async (route) => {
      await typed.promise;
      await route.continue();
    });
    await page.goto(`${service.url}/login`, { waitUntil: 'commit' });
    await page.getByLabel('Password', { exact: true }).focus();
    const late = page.waitForResponse(/pages.*\.js/);
    typed.resolve();
    await (await late).finished();
    await page.waitForLoadState('load');
    await page.locator('input[type=password]:focus').waitFor();
  });

  it('tells password managers the purpose of each field', async () => {
    const page = await (await open()).newPage();
    const autocomplete = async (name: string) => page.locator(`[name=${name}]`).getAttribute('autocomplete');
    await page.goto(`${service.url}/login`);
    assert.deepEqual(
      [await autocomplete('login'), await autocomplete('password')],
      ['username webauthn', 'current-password'],
    );
    await page.goto(`${service.url}/register`);
    assert.deepEqual([await autocomplete('name'), await autocomplete('password')], ['name', 'new-password']);
    await publicPages.get('new password')?.(page);
    assert.equal(await autocomplete('password'), 'new-password');
  });
});
