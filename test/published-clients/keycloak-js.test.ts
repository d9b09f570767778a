import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { browsers } from '../harness/browser.ts';
import { type Service, services } from '../harness/service.ts';
import { bringClients } from './bring-clients.ts';

/**
 * A single-page application as in the library's documentation. `checkLoginIframe` needs a page that only Keycloak has.
 */
const applicationPage = (oidcProvider: string, clientId: string) => `<!doctype html><title>An application</title>
<button id="in">Sign in</button> <button id="renew">Renew</button> <button id="out">Sign out</button> <output></output>
<script type="module">
  import Keycloak from '/library.js';
  const say = (what) => { document.querySelector('output').textContent = typeof what === 'string' ? what : JSON.stringify(what); };
  const does = (id, act) => { document.getElementById(id).onclick = () => act().catch((error) => say(String(error))); };
  const keycloak = new Keycloak({ oidcProvider: '${oidcProvider}', clientId: '${clientId}' });
  try {
    const isIn = await keycloak.init({ checkLoginIframe: false, scope: 'profile email offline_access' });
    say(isIn ? await keycloak.loadUserInfo() : 'nobody is signed in');
  } catch (error) { say('failed ' + (error?.error_description ?? error)); }
  does('in', () => keycloak.login());
  does('renew', async () => say('renewed ' + (await keycloak.updateToken(-1)) + ' for ' + keycloak.idTokenParsed.name));
  does('out', () => keycloak.logout());
</script>`;

describe('keycloak-js in a real browser', { timeout: 300_000 }, () => {
  const start = services('sqlite');
  const open = browsers();
  let service: Service;
  let server: Server;
  let origin: string;
  let clientId = '';
  let library: Buffer | undefined;
  before(async () => {
    const bring = await bringClients();
    library = bring && readFileSync(bring.resolve('keycloak-js'));
    service = await start();
    server = createServer((request, response) => {
      if (request.url === '/library.js') return response.setHeader('content-type', 'text/javascript').end(library);
      response.setHeader('content-type', 'text/html').end(applicationPage(service.url, clientId));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const uris = [`${origin}/`];
    const fields = { public: true, scopes: identityScopes, redirect_uris: uris, post_logout_redirect_uris: uris };
    clientId = (await addApplication(service, { name: 'Fleet Planner', ...fields })).id;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('signs in on another origin with the response in the fragment, renews and signs out', async (test) => {
    if (!library) return test.skip('the registry cannot be reached');
    const { id, email } = await addLogin(service, { name: 'Ada Lovelace' });
    const page = await (await open()).newPage();
    await page.goto(`${origin}/`);
    await page.getByText('nobody is signed in').waitFor();
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText(email).waitFor();
    const user = JSON.parse((await page.locator('output').textContent()) ?? '') as Record<string, unknown>;
    assert.deepEqual([user.sub, user.name, user.email], [id, 'Ada Lovelace', email]);
    await page.getByRole('button', { name: 'Renew' }).click();
    await page.getByText('renewed true for Ada Lovelace').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${origin}/`);
    await page.getByText('nobody is signed in').waitFor();
    await page.goto(`${service.url}/settings`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
