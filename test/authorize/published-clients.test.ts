import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { addApplication } from '../harness/applications.ts';
import { press, redirectUri, signedIn } from '../harness/authorizing.ts';
import { type Service, services } from '../harness/service.ts';
import type { Visitor } from '../harness/visitor.ts';

/** Published libraries send their default requests. A browser without scripts acts for the user. */
describe('Published clients', () => {
  const start = services('sqlite');
  let service: Service;
  before(async () => {
    service = await start();
  });
  const insecure = { [oauth.allowInsecureRequests]: true };
  const scopes = ['openid', 'email', 'offline_access', 'users:read'];

  /** The final URL of the browser after the user has allowed everything. */
  async function follow(visitor: Visitor, url: URL): Promise<URL> {
    const page = await visitor.get(url.href.slice(service.url.length));
    const last = page.status === 200 ? await press(visitor, page, 'allow') : page;
    return new URL(last.location as string);
  }

  it('sign users in: openid-client, with a secret', async () => {
    const app = await addApplication(service, { scopes });
    const { id, email, visitor } = await signedIn(service);
    const config = await openid.discovery(new URL(service.context.config.baseUrl), app.id, app.secret, undefined, {
      execute: [openid.allowInsecureRequests],
    });
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const expectedNonce = openid.randomNonce();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid email offline_access',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
    });
    const back = await follow(visitor, url);
    const checks = { pkceCodeVerifier, expectedState, expectedNonce };
    const tokens = await openid.authorizationCodeGrant(config, back, checks);
    assert.equal(tokens.claims()?.sub, id);
    const info = await openid.fetchUserInfo(config, tokens.access_token, id);
    assert.equal(info.email, email);
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token as string);
    assert.ok(refreshed.access_token);

    // The expected user is signed in, never another one.
    const hint = { id_token_hint: tokens.id_token as string, prompt: 'none' };
    const silently = new URL(`${url.href}&${new URLSearchParams(hint)}`);
    assert.ok((await follow(visitor, silently)).searchParams.get('code'));
    const another = await follow((await signedIn(service)).visitor, silently);
    assert.equal(another.searchParams.get('error'), 'login_required');

    // Mix-up attack (RFC 9207): iss identifies the response of another server.
    const mixed = new URL(back);
    mixed.searchParams.set('iss', 'https://evil.example');
    await assert.rejects(openid.authorizationCodeGrant(config, mixed, checks), ({ cause }: Error) =>
      /"iss"/.test(String(cause)),
    );
    const refusal = await follow(visitor, new URL(url.href.replace(/scope=[^&]*/, 'scope=users%3Awrite')));
    await assert.rejects(openid.authorizationCodeGrant(config, refusal, checks), { error: 'invalid_scope' });
    // Code injection: another user's code with the verifier of this browser.
    const victim = await signedIn(service);
    const stolen = await follow(victim.visitor, url);
    await assert.rejects(
      openid.authorizationCodeGrant(config, stolen, { ...checks, pkceCodeVerifier: openid.randomPKCECodeVerifier() }),
      { error: 'invalid_grant' },
    );
  });

  it('sign users in: oauth4webapi, without a secret, on a port that the system chose', async () => {
    const redirect_uri = 'http://127.0.0.1:51004/callback';
    const app = await addApplication(service, { scopes, public: true, redirect_uris: ['http://127.0.0.1/callback'] });
    const { id, visitor } = await signedIn(service);
    const issuer = new URL(service.context.config.baseUrl);
    const discovered = await oauth.discoveryRequest(issuer, insecure);
    const as = await oauth.processDiscoveryResponse(issuer, discovered);
    const client = { client_id: app.id };
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(as.authorization_endpoint as string);
    for (const [name, value] of Object.entries({
      ...{ client_id: app.id, redirect_uri, response_type: 'code', scope: 'openid users:read', state },
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })) {
      url.searchParams.set(name, value);
    }
    const parameters = oauth.validateAuthResponse(as, client, await follow(visitor, url), state);
    const response = () =>
      oauth.authorizationCodeGrantRequest(as, client, oauth.None(), parameters, redirect_uri, verifier, insecure);
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, await response(), { requireIdToken: true });
    assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.sub, id);
    assert.equal(tokens.refresh_token, undefined);
    await assert.rejects(oauth.processAuthorizationCodeResponse(as, client, await response()), {
      error: 'invalid_grant',
    });
    const info = await oauth.userInfoRequest(as, client, tokens.access_token, insecure);
    assert.equal(info.status, 401);
  });
});
