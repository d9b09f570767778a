import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers, seriousProblems, styleOf } from '../harness/browser.ts';
import { type Service, services } from '../harness/service.ts';

const groundOf = async (page: Page) => (await styleOf(page.locator('body'))).backgroundColor;
const [light, dark] = ['rgb(245, 244, 240)', 'rgb(19, 22, 24)'];
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('The pages', () => {
  const start = services('sqlite');
  const open = browsers();
  let service: Service;
  before(async () => {
    service = await start();
  });

  it('are light or dark as chosen, independent of the system, and stay so', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await (await open({ javaScriptEnabled, colorScheme: 'light' })).newPage();
      await page.goto(`${service.url}/login?next=%2Fsettings%2Ftokens`);
      assert.equal(await groundOf(page), light);
      const kept = page.waitForResponse('**/theme');
      await button(page, 'Dark').click();
      await page.locator('[data-theme="dark"]').waitFor();
      await kept;
      assert.match(page.url(), /\/login\?next=%2Fsettings%2Ftokens$/, 'the choice redirects back to the page');
      assert.equal(await groundOf(page), dark);
      assert.deepEqual(javaScriptEnabled ? await seriousProblems(page) : [], []);
      await page.goto(`${service.url}/register`);
      assert.match(
        await page.content(),
        /<html lang="en" data-theme="dark">/,
        'in the HTML itself, so that nothing flashes',
      );
      assert.equal(await groundOf(page), dark);
      await page.goto(`${service.url}/no-such-page`);
      assert.equal(await groundOf(page), dark, 'on error pages too');
      await page.goto(`${service.url}/login`);
      await button(page, 'System').click();
      await page.locator('html:not([data-theme])').waitFor();
      assert.equal(await groundOf(page), light);
    }
  });

  it('show no button that does nothing without JavaScript', async () => {
    const { email } = await addLogin(service);
    const page = await (await open({ javaScriptEnabled: false })).newPage();
    await page.goto(`${service.url}/login`);
    assert.equal(await button(page, 'Show').count(), 0);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await button(page, 'Sign in').click();
    await page.goto(`${service.url}/settings/tokens/new`);
    await page.getByLabel('Name').fill('Script');
    await page.getByLabel('Read: Profile, email and password').check();
    await button(page, 'Create token').click();
    await page.locator('#access-token').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Copy/ }).count(), 0);
    await page.goto(`${service.url}/settings/tokens`);
    await page.getByLabel('Revoke Script').click();
    await button(page, 'Revoke token').waitFor();
    assert.equal(await button(page, 'Keep it').count(), 0);
  });

  it('let a user switch from a locked account, and show a waiting button as waiting', async () => {
    const [locked, other] = [await addLogin(service), await addLogin(service)];
    const page = await (await open()).newPage();
    await page.clock.install();
    await page.goto(`${service.url}/login`);
    const fill = async (email: string, secret: string) => {
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(secret);
    };
    while ((await page.getByText('Too many attempts.').count()) === 0) {
      await fill(locked.email, 'wrong');
      await button(page, 'Sign in').click();
      await page.getByRole('alert').waitFor();
    }
    assert.equal(await button(page, 'Sign in').isDisabled(), true);
    const { backgroundColor, cursor } = await styleOf(button(page, 'Sign in'));
    assert.deepEqual([backgroundColor, cursor], ['rgb(240, 239, 234)', 'not-allowed']);
    await fill(other.email, password);
    assert.equal(await button(page, 'Sign in').isDisabled(), false, 'another account does not have to wait');
    const wait = page.getByRole('alert').locator('[aria-live=off]');
    assert.match((await wait.textContent()) ?? '', /^Try again in/, 'the countdown is not announced');
    await page.clock.fastForward('20:00');
    await wait.waitFor({ state: 'detached' });
    assert.match((await page.getByRole('alert').textContent()) ?? '', /You can try again now/);
    await page.getByRole('link', { name: 'Sign in as somebody else' }).click();
    await fill(other.email, password);
    await button(page, 'Sign in').click();
    await page.waitForURL('**/settings');
  });
});
