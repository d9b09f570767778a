import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers } from '../harness/browser.ts';
import { mailedLink } from '../harness/mailed-link.ts';
import { type Service, services } from '../harness/service.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: true });

/** A token of the application with this id and secret, as its server would request it. */
async function clientToken({ url }: Service, id: string, secret: string): Promise<{ status: number; token: string }> {
  const response = await fetch(`${url}/v1/oauth/token`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
  });
  const { access_token = '' } = (await response.json()) as { access_token?: string };
  return { status: response.status, token: access_token };
}

async function apiStatus({ url }: Service, token: string): Promise<number> {
  const response = await fetch(`${url}/v1/users`, {
    headers: { accept: 'application/json', authorization: `Bearer ${token}` },
  });
  return response.status;
}

async function signIn(page: Page, service: Service, email: string): Promise<void> {
  await page.goto(`${service.url}/login`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await button(page, 'Sign in').click();
  await page.waitForURL('**/settings');
}

// Each engine once, and with and without JavaScript once: the two do not affect each other.
for (const [engine, javaScriptEnabled] of [
  ['sqlite', true],
  ['postgres', false],
] as const) {
  describe(`The way through the pages ${javaScriptEnabled ? 'with' : 'without'} JavaScript (${engine})`, () => {
    const start = services(engine);
    const open = browsers();
    let service: Service;
    before(async () => {
      service = await start();
    });
    const newPage = async () => (await open({ javaScriptEnabled })).newPage();

    it('registers, confirms, signs in, returns to the destination, and signs out', async () => {
      const email = 'ada@example.com';
      const page = await newPage();
      await page.goto(`${service.url}/settings/applications`);
      assert.equal(new URL(page.url()).pathname, '/login');
      await link(page, 'Create an account').click();
      await page.getByLabel('Name').fill('Ada Lovelace');
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await button(page, 'Create account').click();
      await page.waitForURL('**/settings/applications');

      await page.goto(service.url + (await mailedLink(service, 'confirm-email', email)));
      await button(page, 'Confirm my address').click();
      await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
      await link(page, 'Continue').click();
      await page.waitForURL('**/settings');
      assert.equal(await page.getByLabel('Name').inputValue(), 'Ada Lovelace');

      await button(page, 'Sign out').click();
      await page.getByText('You are signed out.').waitFor();
      await page.goto(`${service.url}/settings/sessions`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await button(page, 'Sign in').click();
      await page.getByRole('alert').getByText('The email or the password is wrong.').waitFor();
      assert.equal(await page.getByLabel('Email').inputValue(), email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await button(page, 'Sign in').click();
      await page.waitForURL('**/settings/sessions');
    });

    it('creates an application, uses its secret, rotates it, and removes it', async () => {
      const { email } = await addLogin(service);
      const page = await newPage();
      await signIn(page, service, email);
      await link(page, 'External applications').click();
      await page.getByText('No applications yet').waitFor();
      await link(page, 'New application').click();
      await page.getByLabel('Name').fill('Importer');
      await page.getByLabel(/^Only the following/).check();
      await page.getByLabel('Read: Profile, email and password').check();
      await button(page, 'Create application').click();
      const id = (await page.locator('#client-id').textContent()) as string;
      const secret = (await page.locator('#client-secret').textContent()) as string;
      const curl = (await page.locator('#try-it').textContent()) as string;
      assert.ok(curl.includes(id) && curl.includes(secret));
      assert.ok(!page.url().includes(secret));
      const first = await clientToken(service, id, secret);
      assert.equal(first.status, 200);
      assert.equal(await apiStatus(service, first.token), 200);

      // With a script, a reload does not send the form again.
      if (javaScriptEnabled) await page.reload();
      else await link(page, 'I have copied it').click();
      await page.getByRole('heading', { name: 'Name and scopes' }).waitFor();
      assert.equal(new URL(page.url()).pathname, `/settings/applications/${id}`);
      assert.ok(!(await page.content()).includes(secret), 'the secret is shown once');
      assert.equal(await page.getByLabel('Read: Profile, email and password').isChecked(), true);
      assert.equal(await page.getByLabel('Write: Profile, email and password').isChecked(), false);

      await page.getByLabel('Keep the old secret working for').selectOption('1');
      await button(page, 'Create a new secret').click();
      const second = (await page.locator('#client-secret').textContent()) as string;
      assert.notEqual(second, secret);
      assert.equal((await clientToken(service, id, second)).status, 200);
      assert.equal((await clientToken(service, id, secret)).status, 200, 'the old secret works for another hour');
      await link(page, 'I have copied it').click();
      await button(page, 'Create a new secret').click();
      const third = (await page.locator('#client-secret').textContent()) as string;
      assert.equal((await clientToken(service, id, second)).status, 401);
      assert.equal((await clientToken(service, id, third)).status, 200);

      await link(page, 'I have copied it').click();
      await page.getByText('Remove application', { exact: true }).click();
      await button(page, 'Yes, remove it').click();
      await page.getByText('The application is removed.').waitFor();
      assert.equal((await clientToken(service, id, third)).status, 401);
      assert.equal(await apiStatus(service, first.token), 401);
    });

    it('reveals the first access token once, creates another, and revokes it', async () => {
      const page = await newPage();
      await page.goto(`${service.url}/register?next=/settings/tokens`);
      await page.getByLabel('Email').fill('grace@example.com');
      await page.getByLabel('Password', { exact: true }).fill(password);
      await button(page, 'Create account').click();
      await page.getByText('Waiting to be collected').waitFor();
      await page.getByRole('button', { name: /^Show it once/ }).click();
      const first = (await page.locator('#access-token').textContent()) as string;
      assert.equal(await apiStatus(service, first), 200);
      await link(page, 'I have copied it').click();
      assert.equal(await page.getByText('Waiting to be collected').count(), 0);
      assert.ok(!(await page.content()).includes(first));

      await link(page, 'New token').click();
      await page.getByLabel('Name').fill('Backup script');
      await page.getByLabel('Ends after').selectOption('30');
      await page.getByLabel('Read: Profile, email and password').check();
      await button(page, 'Create token').click();
      const made = (await page.locator('#access-token').textContent()) as string;
      assert.equal(await apiStatus(service, made), 200);
      await link(page, 'I have copied it').click();
      await page.getByLabel('Revoke Backup script').click();
      await button(page, 'Revoke token').click();
      await page.getByText('The token is revoked.').waitFor();
      assert.equal(await apiStatus(service, made), 401);
      assert.equal(await apiStatus(service, first), 200);
    });

    it('signs out another session, and all other sessions', async () => {
      const { email } = await addLogin(service);
      const here = await newPage();
      await signIn(here, service, email);
      const tokenOf = async (page: Page) =>
        (await page.context().cookies()).find(({ name }) => name === 'session')?.value as string;
      const others = [await newPage(), await newPage()];
      for (const page of others) await signIn(page, service, email);
      const [second, third] = (await Promise.all(others.map(tokenOf))) as [string, string];
      assert.equal(await apiStatus(service, second), 200);

      await link(here, 'Sessions').click();
      await here.getByText('This device').waitFor();
      // All three sessions belong to one browser, and are listed together.
      await here.locator('summary').click();
      const signOuts = here.locator('details').getByRole('button', { name: /^Sign out Chrome/ });
      assert.equal(await signOuts.count(), 2);
      await signOuts.first().click();
      await here.getByText('That session is signed out.').waitFor();
      const states = await Promise.all([second, third].map((token) => apiStatus(service, token)));
      assert.deepEqual(states.sort(), [200, 401]);
      await button(here, 'Sign out everywhere else').click();
      await here.getByText('You are signed in nowhere else.').waitFor();
      assert.deepEqual(await Promise.all([second, third].map((token) => apiStatus(service, token))), [401, 401]);
      for (const page of others) {
        await page.goto(`${service.url}/settings`);
        assert.equal(new URL(page.url()).pathname, '/login');
      }
      assert.equal(await apiStatus(service, await tokenOf(here)), 200);
    });

    it('changes the profile and the password', async () => {
      const { email } = await addLogin(service);
      const page = await newPage();
      await signIn(page, service, email);
      await page.getByLabel('Name').fill('Grace Hopper');
      await button(page, 'Save').click();
      await page.getByText('Saved.').waitFor();
      assert.equal(await page.getByLabel('Name').inputValue(), 'Grace Hopper');
      await page.getByLabel('Email').fill('');
      await link(page, 'Password').click();
      await page.getByLabel('Current password').fill('wrong');
      await page.getByLabel('New password').fill('quite another password');
      await button(page, 'Change password').click();
      await page.locator('#current_password-error').waitFor();
      await page.getByLabel('Current password').fill(password);
      await page.getByLabel('New password').fill('quite another password');
      await button(page, 'Change password').click();
      await page.getByText('Your password is changed').waitFor();
    });
  });
}
