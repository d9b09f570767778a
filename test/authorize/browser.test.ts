import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { addLogin, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { authorizePath } from '../harness/authorizing.ts';
import { browsers, seriousProblems } from '../harness/browser.ts';
import { type Service, services } from '../harness/service.ts';

describe('Signing in to an application in a real browser', () => {
  const start = services('sqlite');
  const open = browsers();
  let service: Service;
  let app: Server;
  let origin: string;
  let page = '';
  before(async () => {
    service = await start();
    app = createServer((request, response) => {
      // Like many applications, it redirects to another of its hosts.
      if (request.url?.startsWith('/callback')) {
        const elsewhere = `http://localhost:${(app.address() as AddressInfo).port}/home${request.url.slice(9)}`;
        return response.writeHead(303, { location: elsewhere }).end();
      }
      response.setHeader('content-type', 'text/html').end(page || '<h1>Home</h1>');
    });
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  });
  after(() => {
    app.closeAllConnections();
    app.close();
  });

  async function signIn(page: Page, email: string): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  it('goes through login and consent to the application, without scripts', async () => {
    const redirect_uri = `${origin}/callback`;
    const { id } = await addApplication(service, {
      name: 'Fleet Planner',
      scopes: ['openid', 'users:read'],
      redirect_uris: ['http://127.0.0.1/callback'],
      public: true,
    });
    const { email } = await addLogin(service);
    const visit = await (await open({ javaScriptEnabled: false })).newPage();
    await visit.goto(service.url + authorizePath(id, { redirect_uri, scope: 'openid users:read' }));
    await signIn(visit, email);
    await visit.getByRole('heading', { name: /Fleet Planner wants/ }).waitFor();
    await visit.getByLabel(/Read your account/).uncheck();
    await visit.getByRole('button', { name: 'Allow' }).click();
    await visit.waitForURL('http://localhost:*/home?code=*');
    assert.equal(new URL(visit.url()).searchParams.get('state'), 'a state');
    // The application is native, so the consent page appears each time, even during a session.
    await visit.goto(service.url + authorizePath(id, { redirect_uri, scope: 'openid', prompt: 'login' }));
    await signIn(visit, email);
    await visit.getByRole('button', { name: 'Allow' }).click();
    await visit.waitForURL('http://localhost:*/home?code=*');
    await visit.goto(service.url + authorizePath(id, { redirect_uri, prompt: 'consent' }));
    await visit.getByRole('button', { name: 'Cancel' }).click();
    await visit.waitForURL('http://localhost:*/home?error=access_denied*');
    const asking = service.url + authorizePath(id, { redirect_uri, prompt: 'consent', scope: 'openid users:read' });
    await visit.goto(asking);
    await visit.getByLabel(/Read your account/).press('Enter');
    await visit.waitForURL('http://localhost:*/home?error=access_denied*');
    await visit.goto(asking);
    await visit.getByRole('button', { name: 'Use another account' }).click();
    await visit.getByLabel('Email').waitFor();

    const seen = await (await open()).newPage();
    await seen.goto(service.url + authorizePath(id, { redirect_uri, prompt: 'consent select_account' }));
    await signIn(seen, email);
    await seen.getByRole('button', { name: 'Allow' }).waitFor();
    assert.deepEqual(await seriousProblems(seen), []);
    await seen.goto(service.url + authorizePath(id, { redirect_uri, prompt: 'select_account' }));
    assert.deepEqual(await seriousProblems(seen), []);
    await seen.getByRole('button', { name: 'Use another account' }).click();
    await seen.getByLabel('Email').waitFor();
    await seen.goto(`${service.url}/settings/connections`);
    assert.deepEqual(await seriousProblems(seen), []);
    await seen.getByText('Remove access', { exact: true }).click();
    await seen.getByRole('button', { name: 'Yes, remove access' }).click();
    await seen.getByText('That application no longer has access').waitFor();
  });

  for (const redirect_uri of ['com.example.planner:/callback', 'http://[::1]:51004/callback']) {
    it(`redirects to ${redirect_uri}, which the policy of the page allows`, async () => {
      const { id } = await addApplication(service, { redirect_uris: [redirect_uri], public: true });
      const { email } = await addLogin(service);
      const visit = await (await open()).newPage();
      await visit.goto(service.url + authorizePath(id, { redirect_uri }));
      await signIn(visit, email);
      const refusals: string[] = [];
      visit.on('console', (message) => void (/form-action/.test(message.text()) && refusals.push(message.text())));
      const answered = visit.waitForResponse((response) => response.request().method() === 'POST');
      await visit.getByRole('button', { name: 'Allow' }).click();
      assert.match((await answered).headers().location ?? '', new RegExp(`^${RegExp.escape(redirect_uri)}\\?code=`));
      assert.deepEqual(refusals, []);
    });
  }

  it('refuses a foreign form, a foreign frame, and a form of another login', async () => {
    const { id } = await addApplication(service);
    const { email } = await addLogin(service);
    const visit = await (await open()).newPage();
    const request = Buffer.from(authorizePath(id).split('?')[1] as string).toString('base64url');
    await visit.goto(service.url + authorizePath(id));
    await signIn(visit, email);
    await visit.getByRole('button', { name: 'Allow' }).waitFor();
    // Another port is the same site, so the browser sends the cookies.
    page = `<form method="post" action="${service.url}/oauth/authorize/decision"><input name="request" value="${request}">
      <input name="decision" value="allow"></form><script>document.forms[0].submit()</script>`;
    const posted = visit.waitForResponse((response) => response.request().method() === 'POST');
    await visit.goto(origin);
    assert.equal((await posted).status(), 403);
    page = `<iframe src="${service.url}${authorizePath(id).replaceAll('&', '&amp;')}"></iframe>`;
    await visit.goto(origin);
    assert.match(visit.frames()[1]?.url() ?? '', /^chrome-error:/);
    page = '';

    // Two tabs, and another user signs in in one of them.
    const tab = await visit.context().newPage();
    await tab.goto(service.url + authorizePath(id));
    await visit.goto(`${service.url}/settings`);
    await visit.getByRole('button', { name: 'Sign out' }).click();
    await visit.waitForURL('**/login?*');
    await signIn(visit, (await addLogin(service)).email);
    await visit.waitForURL('**/settings');
    const refused = tab.waitForResponse((response) => response.request().method() === 'POST');
    await tab.getByRole('button', { name: 'Allow' }).click();
    assert.equal((await refused).status(), 403);
  });
});
