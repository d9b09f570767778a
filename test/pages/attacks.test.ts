import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { findUser } from '../../src/identity/accounts/user-store.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers } from '../harness/browser.ts';
import { type Service, services } from '../harness/service.ts';

describe('Attacks on the pages in a real browser', () => {
  const start = services('sqlite');
  const open = browsers();
  let service: Service;
  let evil: Server;
  let evilUrl: string;
  let evilPage = '';
  before(async () => {
    service = await start();
    evil = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(evilPage));
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
  });
  after(() => {
    evil.closeAllConnections();
    evil.close();
  });

  async function signedIn(): Promise<{ page: Page; id: string; email: string }> {
    const user = await addLogin(service);
    const page = await (await open()).newPage();
    await page.goto(`${service.url}/login`);
    await page.getByLabel('Email').fill(user.email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/settings');
    return { page, ...user };
  }

  it('a form of another site changes nothing, although the browser sends the cookies', async () => {
    const { page, id } = await signedIn();
    // Another port is the same site, so SameSite alone would allow this.
    evilPage = `<form method="post" action="${service.url}/settings"><input name="name" value="Mallory"></form>
      <script>document.forms[0].submit()</script>`;
    const refused = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.goto(evilUrl);
    const response = await refused;
    assert.match((await response.request().allHeaders()).cookie ?? '', /session=/);
    assert.equal(response.status(), 403);
    assert.equal((await findUser(service.context.database.db, id))?.name, null);
  });

  it('another site cannot frame a page', async () => {
    const { page } = await signedIn();
    evilPage = `<iframe src="${service.url}/settings"></iframe>`;
    await page.goto(evilUrl);
    const frame = page.frames()[1];
    assert.ok(frame);
    assert.match(frame.url(), /^chrome-error:/);
  });

  it('a login link does not redirect to another site', async () => {
    const { email } = await addLogin(service);
    for (const next of [
      evilUrl,
      `//${new URL(evilUrl).host}`,
      `/\\${new URL(evilUrl).host}`,
      `/%09/${new URL(evilUrl).host}`,
    ]) {
      const page = await (await open()).newPage();
      await page.goto(`${service.url}/login?next=${encodeURIComponent(next)}`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.waitForURL('**/settings');
      assert.equal(new URL(page.url()).origin, service.url);
      await page.context().close();
    }
  });

  it('a name with markup is shown as text', async () => {
    const name = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>{{ csrf }}`;
    const { page } = await signedIn();
    const hacked = () => page.evaluate('window.hacked');
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), name);
    assert.equal(await page.locator('.person-name').textContent(), name);
    assert.equal(await page.locator('img[src=x]').count(), 0);
    assert.equal(await hacked(), undefined);

    await page.goto(`${service.url}/settings/applications/new`);
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create application' }).click();
    await page.locator('#client-secret').waitFor();
    assert.equal(await page.locator('h1').textContent(), name);
    await page.goto(`${service.url}/settings/applications`);
    assert.equal(await page.locator('.items h2').textContent(), name);
    await page.goto(`${service.url}/settings/tokens/new`);
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Read: Profile, email and password').check();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.locator('#access-token').waitFor();
    assert.equal(await page.locator('h1').textContent(), name);
    await page.goto(`${service.url}/settings/tokens`);
    assert.equal(await page.locator('.items h2').first().textContent(), name);
    assert.equal(await hacked(), undefined);
  });

  it('parts of a URL are shown only as text', async () => {
    const page = await (await open()).newPage();
    const markup = encodeURIComponent(`"><img src=x onerror="window.hacked=1">`);
    for (const path of [
      `/login?next=/${markup}`,
      `/login?done=${markup}`,
      `/register?next=/${markup}`,
      `/no/${markup}`,
    ]) {
      await page.goto(service.url + path);
      assert.equal(await page.locator('img[src=x]').count(), 0, path);
      assert.equal(await page.evaluate('window.hacked'), undefined, path);
    }
  });
});
