import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { browsers } from '../../test/harness/browser.ts';
import { type Service, services } from '../../test/harness/service.ts';
import { logIn, seed } from '../fleet/seed.ts';
import { registerApplication } from '../register-application.ts';
import { serverApp, serveServerApp } from './serve-server-app.ts';

describe('The application on a server', () => {
  const start = services('sqlite');
  const browser = browsers();
  let service: Service;
  let app: Awaited<ReturnType<typeof serveServerApp>>;
  let page: Page;
  before(async () => {
    app = await serveServerApp(0);
    const RESOURCES_DIR = fileURLToPath(new URL('../fleet/resources', import.meta.url));
    service = await start({ env: { RESOURCES_DIR } });
    const admin = await logIn(service.url, 'admin@example.com', 'correct horse battery');
    await seed(service.url, admin);
    const { id, client_secret: clientSecret = '' } = await registerApplication(
      service.url,
      admin,
      serverApp(app.origin),
    );
    app.knows({ baseUrl: service.url, clientId: id, clientSecret });
    page = await (await browser()).newPage();
  });
  after(() => app.stop());

  const signIn = async (email: string, decision: string) => {
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel(/email/i).fill(email);
    await page.getByLabel('Password', { exact: true }).fill('fleet-example-user');
    await page.getByRole('button', { name: /^(log|sign) in$/i }).click();
    await page.getByRole('button', { name: decision }).click();
  };

  it('signs a person in, shows what they allowed, and renews the token on the server', async () => {
    await page.goto(app.origin);
    await signIn('ada@fleet.example', 'Allow');
    await page.getByText('Hello, Ada Lovelace.').waitFor();
    assert.equal(await page.getByRole('listitem').count(), 4);
    service.advance(3601_000);
    await page.reload();
    await page.getByText('Hello, Ada Lovelace.').waitFor();
    const cookies = await page.context().cookies(app.origin);
    assert.deepEqual(
      cookies.map(({ name, httpOnly }) => [name, httpOnly]).filter(([name]) => name === 'fleet_session'),
      [['fleet_session', true]],
    );
  });

  it('signs out here and at the service', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Sign in to see the cars.').waitFor();
  });

  it('handles a denied request, and rejects a response that it did not request', async () => {
    const foreign = await fetch(`${app.origin}/callback?code=stolen&state=x`, { redirect: 'manual' });
    assert.equal(foreign.headers.get('location'), '/login');
    await page.context().clearCookies();
    await page.goto(app.origin);
    await signIn('grace@fleet.example', 'Cancel');
    await page.getByText('You denied access.').waitFor();
  });
});
