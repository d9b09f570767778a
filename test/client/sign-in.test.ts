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
    const redirectUris = ['http://127.0.0.1/callback'];
    clientId = (await addApplication(service, { name: 'a command line', public: true, redirectUris, scopes })).id;
  });

  const program = (scope: string) =>
    createGatehouse({
      baseUrl: service.url,
      application: { clientId, redirectUri: 'http://127.0.0.1/callback', scope },
    });
  /** The person's browser: decides, and follows the redirect to the program. */
  const browse = (decision: string) => async (url: string) => {
    const page = await visitor.get(url.slice(service.url.length));
    const answered = page.status === 200 ? await press(visitor, page, decision) : page;
    browsed = fetch(answered.location ?? '');
  };
  let browsed: Promise<Response> | undefined;
  const who = async (gatehouse: ReturnType<typeof program>) =>
    ((await gatehouse.call({ method: 'GET', path: '/oauth/userinfo' })).body as { email: string }).email;

  test('a program on a person’s machine signs in by a loopback port, and stays signed in', async () => {
    const gatehouse = program('openid email offline_access');
    await signInByLoopback(gatehouse, { open: browse('allow') });
    assert.match((await (await browsed)?.text()) ?? '', /You are signed in/);
    assert.equal(await who(gatehouse), email);
    service.advance(3601_000);
    assert.equal(await who(gatehouse), email);
    await gatehouse.logout();
    await assert.rejects(who(gatehouse), SignedOutError);
  });

  test('a refusal is an error of OAuth, and the browser is told', async () => {
    const gatehouse = program('openid users:read');
    await assert.rejects(signInByLoopback(gatehouse, { open: browse('deny') }), (error) => {
      assert.ok(error instanceof OAuthError);
      assert.equal(error.code, 'access_denied');
      return true;
    });
    assert.equal((await browsed)?.status, 400);
  });

  test('an answer of another server, or to another request, is not taken', async () => {
    const gatehouse = program('openid');
    const asked = await gatehouse.authorize();
    for (const answer of [
      `/callback?code=x&state=${asked.state}&iss=https://other.example`,
      `/callback?code=x&state=${asked.state}`,
      `/callback?code=x&state=another&iss=${service.url}`,
      `/callback?error=access_denied&iss=${service.url}`,
    ]) {
      await assert.rejects(gatehouse.redeem(asked, answer), { code: 'invalid_state' });
    }
  });

  test('one who gives up leaves no port open', async () => {
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

  test('without an application, the client says what is missing', async () => {
    await assert.rejects(createGatehouse({ baseUrl: service.url }).authorize(), /createGatehouse\(\{ application/);
    await assert.rejects(program('openid').signIn(), /signInByLoopback/);
  });
});
