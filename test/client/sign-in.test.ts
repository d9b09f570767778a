import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createGatehouse } from 'gatehouse-server/client';
import { OAuthError, SignedOutError } from 'gatehouse-server/client/errors';
import { signInByLoopback } from 'gatehouse-server/client/loopback';
import { addApplication } from '../harness/applications.ts';
import { press, signedIn } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type Service, services } from '../harness/service.ts';
import type { Visitor } from '../harness/visitor.ts';

onBothEngines('Signing in with the client', (engine) => {
  const start = services(engine);
  let service: Service;
  let visitor: Visitor;
  let email: string;
  let clientId: string;
  before(async () => {
    service = await start();
    ({ visitor, email } = await signedIn(service));
    const scopes = ['openid', 'email', 'offline_access', 'users:read'];
    const redirect_uris = ['http://127.0.0.1/callback'];
    clientId = (await addApplication(service, { name: 'a command line', public: true, redirect_uris, scopes })).id;
  });

  const program = (scope: string) =>
    createGatehouse({
      baseUrl: service.url,
      application: { clientId, redirectUri: 'http://127.0.0.1/callback', scope },
    });
  /** The user's browser: decides, and follows the redirect to the program. */
  const browse = (decision: string) => async (url: string) => {
    const page = await visitor.get(url.slice(service.url.length));
    const answered = page.status === 200 ? await press(visitor, page, decision) : page;
    browsed = fetch(answered.location ?? '');
  };
  let browsed: Promise<Response> | undefined;
  const who = async (gatehouse: ReturnType<typeof program>) =>
    ((await gatehouse.call({ method: 'GET', path: '/oauth/userinfo' })).body as { email: string }).email;

  test("works for a program on the user's machine by a loopback port, and the session continues", async () => {
    const gatehouse = program('openid email offline_access');
    await signInByLoopback(gatehouse, { open: browse('allow') });
    assert.match((await (await browsed)?.text()) ?? '', /You are signed in/);
    assert.equal(await who(gatehouse), email);
    service.advance(3601_000);
    assert.equal(await who(gatehouse), email);
    await gatehouse.logout();
    await assert.rejects(who(gatehouse), SignedOutError);
  });

  test('throws an OAuth error after a refusal, and informs the browser', async () => {
    const gatehouse = program('openid users:read');
    await assert.rejects(signInByLoopback(gatehouse, { open: browse('deny') }), (error) => {
      assert.ok(error instanceof OAuthError);
      assert.equal(error.code, 'access_denied');
      return true;
    });
    assert.equal((await browsed)?.status, 400);
  });

  test('refuses a response of another server or to another request', async () => {
    const gatehouse = program('openid');
    const asked = await gatehouse.authorize();
    for (const response of [
      `/callback?code=x&state=${asked.state}&iss=https://other.example`,
      `/callback?code=x&state=${asked.state}`,
      `/callback?code=x&state=another&iss=${service.url}`,
      `/callback?error=access_denied&iss=${service.url}`,
    ]) {
      await assert.rejects(gatehouse.redeem(asked, response), { code: 'invalid_state' });
    }
  });

  test('leaves no port open after it is aborted', async () => {
    const leaving = new AbortController();
    const port = Promise.withResolvers<string>();
    const waiting = signInByLoopback(program('openid'), {
      signal: leaving.signal,
      open: (url) => port.resolve(new URL(url).searchParams.get('redirect_uri') ?? ''),
    });
    const address = await port.promise;
    assert.equal((await fetch(new URL('/favicon.ico', address))).status, 404);
    leaving.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    await assert.rejects(fetch(address));
  });

  test('names the missing settings if the client has no application', async () => {
    await assert.rejects(createGatehouse({ baseUrl: service.url }).authorize(), /createGatehouse\(\{ application/);
    await assert.rejects(program('openid').signIn(), /signInByLoopback/);
  });
});
