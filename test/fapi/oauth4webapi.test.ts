import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeJwt, exportJWK } from 'jose';
import * as oauth from 'oauth4webapi';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addApplication } from '../harness/applications.ts';
import { redirectUri, signedIn } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { services } from '../harness/service.ts';

const insecure = { [oauth.allowInsecureRequests]: true };
const home = 'https://app.example/signed-out';

onBothEngines('oauth4webapi', (engine) => {
  const start = services(engine);

  it('signs in by FAPI 2.0 with a signed request, refreshes, introspects, revokes and signs out', async () => {
    const service = await start();
    const issuer = new URL(service.context.config.baseUrl);
    const { id: userId, email, visitor } = await signedIn(service, { name: 'Ada Lovelace' });
    const { privateKey, publicKey } = await oauth.generateKeyPair('ES256', { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] };
    const { id: client_id } = await addApplication(service, {
      ...{ trusted: true, fapi: true, require_signed_request_object: true, scopes: [...identityScopes, 'users:read'] },
      ...{ token_endpoint_auth_method: 'private_key_jwt' as const, jwks, post_logout_redirect_uris: [home] },
    });
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client: oauth.Client = { client_id };
    const auth = oauth.PrivateKeyJwt({ key: privateKey, kid: 'k1' });
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    /** As in its documentation: a request without the server's nonce is repeated with it. */
    const withNonce = async <T>(send: () => Promise<T>): Promise<T> => {
      try {
        return await send();
      } catch (error) {
        if (!oauth.isDPoPNonceError(error)) throw error;
        return await send();
      }
    };

    const verifier = oauth.generateRandomCodeVerifier();
    const [nonce, state] = [oauth.generateRandomNonce(), oauth.generateRandomState()];
    const request = await oauth.issueRequestObject(
      as,
      client,
      {
        ...{
          redirect_uri: redirectUri,
          response_type: 'code',
          scope: 'openid profile email offline_access users:read',
        },
        ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
        ...{ nonce, state },
      },
      { key: privateKey, kid: 'k1' },
    );
    const { request_uri } = await withNonce(async () =>
      oauth.processPushedAuthorizationResponse(
        as,
        client,
        await oauth.pushedAuthorizationRequest(as, client, auth, { request }, { DPoP, ...insecure }),
      ),
    );
    const query = new URLSearchParams({ client_id, request_uri });
    const { location, html } = await visitor.get(`/oauth/authorize?${query}`);
    assert.ok(location, html);
    const back = oauth.validateAuthResponse(as, client, new URL(location), state);
    const tokens = await withNonce(async () => {
      const options = { DPoP, ...insecure };
      const sent = oauth.authorizationCodeGrantRequest(as, client, auth, back, redirectUri, verifier, options);
      const response = await sent;
      const checks = { expectedNonce: nonce, requireIdToken: true };
      const read = await oauth.processAuthorizationCodeResponse(as, client, response, checks);
      await oauth.validateApplicationLevelSignature(as, response, insecure);
      return read;
    });
    assert.equal(tokens.token_type, 'dpop');
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    assert.deepEqual([claims?.sub, claims?.name, claims?.email], [userId, 'Ada Lovelace', email]);
    const user = await withNonce(async () =>
      oauth.processUserInfoResponse(
        as,
        client,
        userId,
        await oauth.userInfoRequest(as, client, tokens.access_token, { DPoP, ...insecure }),
      ),
    );
    assert.deepEqual([user.name, user.email], ['Ada Lovelace', email]);

    const refreshed = await withNonce(async () =>
      oauth.processRefreshTokenResponse(
        as,
        client,
        await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token as string, { DPoP, ...insecure }),
      ),
    );
    assert.ok((decodeJwt(refreshed.access_token).cnf as { jkt: string }).jkt);
    const accept = new Headers({ accept: 'application/json' });
    const own = new URL(`${issuer.origin}/v1/users/me`);
    const read = () =>
      withNonce(() =>
        oauth.protectedResourceRequest(refreshed.access_token, 'GET', own, accept, null, { DPoP, ...insecure }),
      );
    assert.equal((await read()).status, 200);
    const introspect = async () =>
      oauth.processIntrospectionResponse(
        as,
        client,
        await oauth.introspectionRequest(as, client, auth, refreshed.access_token, insecure),
      );
    const found = await introspect();
    assert.deepEqual([found.active, found.token_type, found.sub], [true, 'DPoP', userId]);
    const revoked = await oauth.revocationRequest(as, client, auth, refreshed.refresh_token as string, insecure);
    await oauth.processRevocationResponse(revoked);
    assert.equal((await introspect()).active, false);

    const out = new URLSearchParams({ id_token_hint: tokens.id_token as string, post_logout_redirect_uri: home });
    assert.equal((await visitor.get(`/oauth/logout?${out}`)).location, home);
  });
});
