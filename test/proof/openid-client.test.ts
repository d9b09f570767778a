import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, it } from 'node:test';
import * as openid from 'openid-client';
import { addApplication } from '../harness/applications.ts';
import { formOf, redirectUri } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type App, addApp } from '../harness/factors.ts';
import { password, registerUser } from '../harness/people.ts';
import { type Service, services } from '../harness/service.ts';
import { type Visit, Visitor } from '../harness/visitor.ts';

onBothEngines('A step-up challenge that openid-client reads', (engine) => {
  const start = services(engine);
  let service: Service;
  let config: openid.Configuration;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: join(import.meta.dirname, 'resources') } });
    const app = await addApplication(service, { trusted: true, scopes: ['openid', 'vaults:read', 'vaults:write'] });
    config = await openid.discovery(new URL(service.context.config.baseUrl), app.id, app.secret, undefined, {
      execute: [openid.allowInsecureRequests],
    });
  });

  const pathIn = (location: string | null): string => {
    const { pathname, search } = new URL(String(location), service.context.config.baseUrl);
    return pathname + search;
  };

  /** Types the password, and the code if the page asks for one. Returns the next URL of the browser. */
  async function signIn(visitor: Visitor, email: string, next: string, app?: App): Promise<Visit> {
    const first = await visitor.signIn(email, password, next);
    if (!app) return first;
    const { mfa_token = '', methods = '' } = formOf(first);
    return visitor.send('/login-step', { mfa_token, methods, next, code: app.next(), remember: 'on' });
  }

  /** Authorizes with these parameters. `signIn` is called when the service redirects the browser to its login page. */
  async function authorize(
    visitor: Visitor,
    asked: { acr_values?: string; max_age?: string },
    signIn: (next: string) => Promise<Visit> = () => assert.fail('the login page should not appear'),
  ) {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid vaults:read vaults:write',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      ...asked,
    });
    let visit = await visitor.get(url.pathname + url.search);
    if (!visit.location?.startsWith(redirectUri)) {
      const next = new URL(String(visit.location), url).searchParams.get('next') ?? '';
      visit = await visitor.get(pathIn((await signIn(next)).location));
    }
    const maxAge = asked.max_age === undefined ? undefined : Number(asked.max_age);
    const checks = { pkceCodeVerifier, expectedState, ...(maxAge === undefined ? {} : { maxAge }) };
    return openid.authorizationCodeGrant(config, new URL(String(visit.location)), checks);
  }

  const post = (token: string, path: string, body: object = {}) =>
    openid.fetchProtectedResource(
      config,
      token,
      new URL(path, service.url),
      'POST',
      JSON.stringify(body),
      new Headers({ 'content-type': 'application/json', accept: 'application/json' }),
    );

  /** The parameters of the challenge, as openid-client passes them to an application. */
  async function challengeOf(call: Promise<Response>): Promise<{ acr_values: string; max_age: string }> {
    const error = await call.then(
      ({ status }) => assert.fail(`no challenge: ${status}`),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof openid.WWWAuthenticateChallengeError, String(error));
    const [challenge] = error.cause;
    assert.equal(error.status, 401);
    assert.equal(challenge?.scheme, 'bearer');
    const { error: code, acr_values = '', max_age = '' } = challenge.parameters;
    assert.equal(code, 'insufficient_user_authentication');
    return { acr_values, max_age };
  }

  it('leads to a sign-in with the second factor, after which the request succeeds', async () => {
    const person = await registerUser(service);
    const visitor = new Visitor(service);
    await signIn(visitor, person.email, '/settings');
    const weak = await authorize(visitor, {});
    assert.equal(weak.claims()?.acr, 'urn:gatehouse:1');
    const made = (await (await post(weak.access_token, '/v1/vaults', { title: 'Gold' })).json()) as {
      data: { id: string };
    };
    const openings = `/v1/vaults/${made.data.id}/openings`;
    const challenge = await challengeOf(post(weak.access_token, openings));
    assert.deepEqual(challenge, { acr_values: 'urn:gatehouse:2', max_age: '300' });

    // A user without a second factor cannot meet it (RFC 9470 5).
    await assert.rejects(authorize(visitor, challenge), { error: 'unmet_authentication_requirements' });

    const { app } = await addApp(service, person);
    const strong = await authorize(visitor, challenge, (next) => signIn(visitor, person.email, next, app));
    assert.equal(strong.claims()?.acr, 'urn:gatehouse:2');
    assert.equal((await post(strong.access_token, openings)).status, 200);

    // This browser is remembered and skips the second factor, unless an application requires it.
    for (const name of ['session', 'renewal']) visitor.cookies.delete(name);
    await signIn(visitor, person.email, '/settings');
    const remembered = await authorize(visitor, {});
    assert.equal(remembered.claims()?.acr, 'urn:gatehouse:1');
    const again = await challengeOf(post(remembered.access_token, openings));
    const renewed = await authorize(visitor, again, (next) => signIn(visitor, person.email, next, app));
    assert.equal((await post(renewed.access_token, openings)).status, 200);

    service.advance(301_000);
    assert.deepEqual(await challengeOf(post(renewed.access_token, openings)), challenge);
  });
});
