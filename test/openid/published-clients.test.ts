import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addApplication } from '../harness/applications.ts';
import { redirectUri, signedIn } from '../harness/authorizing.ts';
import { type Service, services } from '../harness/service.ts';
import type { Visitor } from '../harness/visitor.ts';

const home = 'https://app.example/signed-out';
const insecure = { [oauth.allowInsecureRequests]: true };

describe('Published OpenID clients', () => {
  const start = services('sqlite');
  let service: Service;
  let app: { id: string; secret?: string };
  let issuer: URL;
  before(async () => {
    service = await start();
    app = await addApplication(service, { trusted: true, scopes: identityScopes, post_logout_redirect_uris: [home] });
    issuer = new URL(service.context.config.baseUrl);
  });

  /** The final URL of the browser of a signed-in user. */
  const follow = async (visitor: Visitor, url: URL): Promise<URL> => {
    const { location, html } = await visitor.get(url.pathname + url.search);
    assert.ok(location, html);
    return new URL(location);
  };

  it('sign in, read userinfo, refresh and sign out: openid-client', async () => {
    const options = { execute: [openid.allowInsecureRequests] };
    const config = await openid.discovery(issuer, app.id, app.secret, undefined, options);
    const { id, email, visitor } = await signedIn(service, { name: 'Ada Lovelace' });
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const [state, nonce] = [openid.randomState(), openid.randomNonce()];
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid profile email offline_access',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      max_age: '3600',
      state,
      nonce,
    });
    const checks = {
      pkceCodeVerifier,
      expectedNonce: nonce,
      expectedState: state,
      idTokenExpected: true,
      maxAge: 3600,
    };
    const tokens = await openid.authorizationCodeGrant(config, await follow(visitor, url), checks);
    const claims = tokens.claims();
    assert.deepEqual([claims?.sub, claims?.acr, claims?.amr], [id, 'urn:gatehouse:1', ['pwd']]);
    const user = await openid.fetchUserInfo(config, tokens.access_token, id);
    assert.deepEqual([user.sub, user.name, user.email], [id, 'Ada Lovelace', email]);
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token as string);
    const again = refreshed.claims();
    assert.deepEqual([again?.sub, again?.auth_time, again?.nonce], [id, claims?.auth_time, undefined]);
    assert.equal(again?.sid, claims?.sid);

    const logout = openid.buildEndSessionUrl(config, {
      id_token_hint: refreshed.id_token as string,
      post_logout_redirect_uri: home,
      state: 'out',
    });
    assert.equal((await follow(visitor, logout)).href, `${home}?state=out`);
    await assert.rejects(openid.refreshTokenGrant(config, refreshed.refresh_token as string), {
      error: 'invalid_grant',
    });
    const silent = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid',
      prompt: 'none',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    assert.equal((await follow(visitor, silent)).searchParams.get('error'), 'login_required');
  });

  it('sign in a public application by discovery, refresh and sign out: oauth4webapi', async () => {
    const { id: client_id } = await addApplication(service, {
      ...{ public: true, trusted: true, scopes: identityScopes, post_logout_redirect_uris: [home] },
    });
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client = { client_id };
    const { id, email, visitor } = await signedIn(service, { name: 'Ada Lovelace' });
    const verifier = oauth.generateRandomCodeVerifier();
    const nonce = oauth.generateRandomNonce();
    const url = new URL(as.authorization_endpoint as string);
    url.search = new URLSearchParams({
      client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid profile email offline_access',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      nonce,
    }).toString();
    const parameters = oauth.validateAuthResponse(as, client, await follow(visitor, url), oauth.expectNoState);
    const none = oauth.None();
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      none,
      parameters,
      redirectUri,
      verifier,
      insecure,
    );
    const options = { expectedNonce: nonce, requireIdToken: true };
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, options);
    await oauth.validateApplicationLevelSignature(as, response, insecure);
    const refresh = (token = '') => oauth.refreshTokenGrantRequest(as, client, none, token, insecure);
    const refreshed = await oauth.processRefreshTokenResponse(as, client, await refresh(tokens.refresh_token));
    const userInfo = await oauth.userInfoRequest(as, client, refreshed.access_token, insecure);
    const user = await oauth.processUserInfoResponse(as, client, id, userInfo);
    assert.deepEqual([user.name, user.email], ['Ada Lovelace', email]);
    const logout = new URL(as.end_session_endpoint as string);
    const hint = { id_token_hint: refreshed.id_token as string, post_logout_redirect_uri: home };
    logout.search = new URLSearchParams(hint).toString();
    assert.equal((await follow(visitor, logout)).href, home);
    assert.equal((await refresh(refreshed.refresh_token)).status, 400, 'the session has ended');
  });

  it('support everything that the metadata lists', async () => {
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const required = ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri', 'response_types_supported'];
    const recommended = ['userinfo_endpoint', 'scopes_supported', 'claims_supported'];
    const ofOpenId = ['subject_types_supported', 'id_token_signing_alg_values_supported'];
    for (const name of [...required, ...recommended, ...ofOpenId]) assert.ok(as[name], name);
    for (const scope of identityScopes) assert.ok(as.scopes_supported?.includes(scope), scope);
    const endpoints = Object.entries(as).filter(([name]) => /_(endpoint|uri)$/.test(name));
    for (const [name, url] of endpoints) {
      const { status } = await fetch(url as string, { method: 'OPTIONS' });
      assert.equal(status, 204, `${name} ${url}`);
    }
    assert.deepEqual(
      await (await fetch(`${issuer.origin}/.well-known/oauth-authorization-server`)).json(),
      JSON.parse(JSON.stringify(as)),
    );
  });
});
