import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { browsers, seriousProblems } from '../../test/harness/browser.ts';
import { type Service, services } from '../../test/harness/service.ts';
import { logIn, seed } from '../fleet/seed.ts';
import { registerApplication } from '../register-application.ts';
import { serveWebApp, webApp } from './serve-web-app.ts';

describe('The single-page application', () => {
  const start = services('sqlite');
  const browser = browsers();
  let service: Service;
  let app: Awaited<ReturnType<typeof serveWebApp>>;
  let page: Page;
  before(async () => {
    app = await serveWebApp(0);
    const RESOURCES_DIR = fileURLToPath(new URL('../fleet/resources', import.meta.url));
    service = await start({ env: { RESOURCES_DIR, CORS_ORIGINS: app.origin } });
    const admin = await logIn(service.url, 'admin@example.com', 'correct horse battery');
    await seed(service.url, admin);
    const { id } = await registerApplication(service.url, admin, webApp(app.origin));
    app.knows({ baseUrl: service.url, clientId: id });
    page = await (await browser()).newPage();
  });
  after(() => app.stop());

  const says = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const signIn = () => page.getByRole('button', { name: 'Sign in' }).click();

  it('leaves for the service, comes back to where it was, and shows what the person allowed', async () => {
    await page.goto(`${app.origin}/?kind=all`);
    await says('Sign in to see the cars.');
    assert.deepEqual(await seriousProblems(page), []);
    await signIn();
    await page.getByLabel(/email/i).fill('ada@fleet.example');
    await page.getByLabel('Password', { exact: true }).fill('fleet-example-user');
    await page.getByRole('button', { name: /^(log|sign) in$/i }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await says('Hello, Ada Lovelace.');
    assert.equal(await page.getByRole('listitem').count(), 4);
    assert.equal(page.url(), `${app.origin}/?kind=all`);
    assert.deepEqual(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]'), [0, 0, '']);
  });

  it('shows what somebody else adds, without a reload', async () => {
    const token = await logIn(service.url, 'admin@example.com', 'correct horse battery');
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    };
    const { data } = (await (await fetch(`${service.url}/v1/owners`, { headers })).json()) as {
      data: { id: string }[];
    };
    const body = JSON.stringify({ plate: 'AA 1', model: 'Fiat Tipo', owner_id: data[0]?.id });
    assert.equal((await fetch(`${service.url}/v1/cars`, { method: 'POST', headers, body })).status, 201);
    await page.getByRole('listitem').first().filter({ hasText: 'AA 1, Fiat Tipo' }).waitFor();
    assert.equal(await page.getByRole('listitem').count(), 5);
  });

  it('asks for no password after a reload, but again before it hands a code to this computer (RFC 8252 8.6)', async () => {
    await page.reload();
    await says('Sign in to see the cars.');
    await signIn();
    await page.getByRole('button', { name: 'Allow' }).click();
    await says('Hello, Ada Lovelace.');
  });

  it('ends its session at the service', async () => {
    const [token] = await Promise.all([
      page.waitForRequest((request) => request.url().endsWith('/oauth/revoke')),
      page.getByRole('button', { name: 'Sign out' }).click(),
    ]);
    await says('You are signed out.');
    const access = new URLSearchParams(token.postData() ?? '').get('token');
    const headers = { accept: 'application/json', authorization: `Bearer ${access}` };
    assert.equal((await fetch(`${service.url}/v1/cars`, { headers })).status, 401);
  });

  it('shows that the user denied access, and ignores a response that this tab did not request', async () => {
    await page.goto(`${app.origin}/?code=stolen&state=foreign&iss=${encodeURIComponent(service.url)}`);
    await says('Sign in to see the cars.');
    await page.context().clearCookies();
    await signIn();
    await page.getByLabel(/email/i).fill('grace@fleet.example');
    await page.getByLabel('Password', { exact: true }).fill('fleet-example-user');
    await page.getByRole('button', { name: /^(log|sign) in$/i }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await says('You denied access.');
  });
});
