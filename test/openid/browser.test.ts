import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { browsers, seriousProblems } from '../harness/browser.ts';
import { type Service, services } from '../harness/service.ts';

const library = readFileSync(
  join(createRequire(import.meta.url).resolve('oidc-client-ts/package.json'), '../dist/browser/oidc-client-ts.min.js'),
);

/** A single-page application without a server, which shows its state. */
const applicationPage = (authority: string, clientId: string) => `<!doctype html><title>An application</title>
<button id="in">Sign in</button> <button id="renew">Renew</button> <button id="out">Sign out</button> <output></output>
<script src="/library.js"></script>
<script>
  const manager = new oidc.UserManager({
    authority: '${authority}', client_id: '${clientId}', redirect_uri: location.origin + '/callback',
    post_logout_redirect_uri: location.origin + '/signed-out', scope: 'openid profile email offline_access', loadUserInfo: true,
  });
  const say = (what) => { document.querySelector('output').textContent = typeof what === 'string' ? what : JSON.stringify(what); };
  const does = (id, act) => { document.getElementById(id).onclick = () => act().catch((error) => say(String(error))); };
  does('in', () => manager.signinRedirect());
  does('renew', async () => { const user = await manager.signinSilent(); say('renewed for ' + user.profile.sub); });
  does('out', () => manager.signoutRedirect());
  if (location.pathname === '/callback') manager.signinRedirectCallback().then((user) => say(user.profile), (error) => say(String(error)));
  if (location.pathname === '/signed-out') manager.signoutRedirectCallback().then(() => say('signed out'), (error) => say(String(error)));
</script>`;

describe('OpenID Connect in a real browser', () => {
  const start = services('sqlite');
  const open = browsers();
  let service: Service;
  let server: Server;
  let origin: string;
  let clientId = '';
  before(async () => {
    service = await start();
    server = createServer((request, response) => {
      if (request.url === '/library.js') return response.setHeader('content-type', 'text/javascript').end(library);
      response.setHeader('content-type', 'text/html').end(applicationPage(service.url, clientId));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const application = {
      name: 'Fleet Planner',
      public: true,
      scopes: identityScopes,
      redirect_uris: ['http://127.0.0.1/callback'],
      post_logout_redirect_uris: [`${origin}/signed-out`],
    };
    clientId = (await addApplication(service, application)).id;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  async function signIn(page: Page, email: string): Promise<void> {
    await page.goto(origin);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${origin}/callback*`);
    await page.getByText(email).waitFor();
  }

  it('oidc-client-ts signs in on another origin, renews, and signs out, with default settings', async () => {
    const { id, email } = await addLogin(service, { name: 'Ada Lovelace' });
    const page = await (await open()).newPage();
    await signIn(page, email);
    const profile = JSON.parse((await page.locator('output').textContent()) ?? '') as Record<string, unknown>;
    assert.deepEqual([profile.sub, profile.name, profile.email], [id, 'Ada Lovelace', email]);
    await page.getByRole('button', { name: 'Renew' }).click();
    await page.getByText(`renewed for ${id}`).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${origin}/signed-out*`);
    await page.getByText('signed out').waitFor();
    await page.goto(`${service.url}/settings`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('asks before a logout without an ID token, without scripts, and links to the application', async () => {
    const { email } = await addLogin(service);
    const page = await (await open()).newPage();
    await signIn(page, email);
    const query = new URLSearchParams({ client_id: clientId, post_logout_redirect_uri: `${origin}/signed-out` });
    await page.goto(`${service.url}/oauth/logout?${query}`);
    await page.getByRole('heading', { name: 'Sign out?' }).waitFor();
    assert.deepEqual(await seriousProblems(page), []);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.getByRole('link', { name: 'Go to Fleet Planner' }).click();
    await page.waitForURL(`${origin}/signed-out`);
  });
});
