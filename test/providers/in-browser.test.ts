import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { browsers } from '../harness/browser.ts';
import { addApp } from '../harness/factors.ts';
import { password, registerUser, type UserBody } from '../harness/people.ts';
import { type RealUpstreams, realUpstreams } from '../harness/real-upstreams.ts';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';

/** The first sign-in at each provider. After that, the provider remembers the user. */
const signIns: Readonly<Record<string, (page: Page, there: RealUpstreams) => Promise<string>>> = {
  async gatehouse(page, { gatehouse }) {
    const { email } = await registerUser(gatehouse);
    await page.getByLabel('Email').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    return email;
  },
  async oidc(page) {
    await page.locator('input[name=login]').fill('grace');
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.getByRole('button', { name: 'Continue' }).click();
    return 'grace@example.org';
  },
  mock: async () => 'mock@example.org',
};

describe('A browser signs in with a provider', () => {
  const open = browsers();
  const start = services('sqlite');
  const startAll = realUpstreams(start);
  let there: RealUpstreams;
  before(async () => {
    there = await startAll();
  });
  const tokenOf = async (context: BrowserContext) =>
    (await context.cookies(there.service.url)).find(({ name }) => name === 'session')?.value ?? '';

  for (const [name, signInThere] of Object.entries(signIns)) {
    it(`${name}: registration, second factor, sign-in, unlinking, linking and logout`, async () => {
      const { service } = there;
      const context = await open();
      const page = await context.newPage();
      const at = (path: string) => page.waitForURL(`${service.url}${path}`);
      const goToProvider = async () => {
        await page.goto(`${service.url}/login`);
        await page.getByRole('link', { name: `Continue with ${name}` }).click();
      };
      const signOut = async () => {
        await page.getByRole('button', { name: 'Sign out' }).first().click();
        await at('/login?done=signed-out');
        assert.equal(await tokenOf(context), '');
      };

      await goToProvider();
      const email = await signInThere(page, there);
      await at('/settings?done=welcome');
      const token = await tokenOf(context);
      const { body } = await request<UserBody>(service, '/v1/users/me', { token });
      assert.equal(body.data.email, email);

      const { app } = await addApp(service, { token });
      await signOut();
      await goToProvider();
      await page.locator('input[name=code]').fill(app.next());
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await at('/settings');
      const again = await tokenOf(context);
      assert.equal((await request<UserBody>(service, '/v1/users/me', { token: again })).body.data.id, body.data.id);

      await page.goto(`${service.url}/settings/password`);
      await page.getByRole('textbox', { name: 'New password' }).fill('a long and fine password');
      await page.getByRole('button', { name: 'Change password' }).click();
      await at('/settings/password?done=password-changed');
      await page.goto(`${service.url}/settings/sign-in`);
      await page.getByLabel(`Remove ${name}`).click();
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await at('/settings/sign-in?done=identity-unlinked');
      await page.getByRole('button', { name: `Add ${name}` }).click();
      await at('/settings/sign-in?done=identity-linked');
      await page.getByLabel(`Remove ${name}`).waitFor();
      await signOut();
      await context.close();
    });
  }
});
