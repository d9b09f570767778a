import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { ClientCredentials, ResourceOwnerPassword } from 'simple-oauth2';
import { addClient, addLogin, password } from './harness/accounts.ts';
import { onBothEngines } from './harness/engines.ts';
import { type Service, services } from './harness/service.ts';

const insecure = { [oauth.allowInsecureRequests]: true };

interface Credentials {
  readonly id: string;
  readonly secret: string;
}

onBothEngines('Published OAuth clients', (engine) => {
  const start = services(engine);
  let service: Service;
  let user: { id: string; email: string };
  let firstParty: Credentials;
  let thirdParty: Credentials;
  let resourceServer: Credentials;
  before(async () => {
    service = await start();
    user = await addLogin(service);
    firstParty = await addClient(service, { type: 'password' });
    thirdParty = await addClient(service, { userId: user.id });
    resourceServer = await addClient(service, { scopes: ['tokens:introspect'] });
  });

  const discover = async (): Promise<oauth.AuthorizationServer> => {
    const issuer = new URL(service.context.config.baseUrl);
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    return oauth.processDiscoveryResponse(issuer, response);
  };

  for (const [method, authenticate] of [
    ['client_secret_basic', oauth.ClientSecretBasic],
    ['client_secret_post', oauth.ClientSecretPost],
  ] as const) {
    describe(`oauth4webapi by ${method}`, () => {
      it('logs in, validates, introspects, refreshes and revokes', async () => {
        const as = await discover();
        const client = { client_id: firstParty.id };
        const auth = authenticate(firstParty.secret);
        const tokens = await oauth.processGenericTokenEndpointResponse(
          as,
          client,
          await oauth.genericTokenEndpointRequest(
            as,
            client,
            auth,
            'password',
            { username: user.email, password, scope: '' },
            insecure,
          ),
        );
        assert.deepEqual(Object.keys(tokens).sort(), ['access_token', 'expires_in', 'refresh_token', 'token_type']);
        assert.equal(tokens.expires_in, 3600);
        const validate = (token: string) =>
          oauth.validateJwtAccessToken(
            as,
            new Request('http://resource.example/', { headers: { authorization: `Bearer ${token}` } }),
            service.context.config.baseUrl,
            insecure,
          );
        const claims = await validate(tokens.access_token);
        assert.equal(claims.sub, user.id);
        assert.equal(claims.client_id, firstParty.id);
        assert.equal(claims.scope, '*');

        const refreshed = await oauth.processRefreshTokenResponse(
          as,
          client,
          await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token as string, insecure),
        );
        assert.notEqual(refreshed.refresh_token, tokens.refresh_token);
        await validate(refreshed.access_token);

        const introspect = async (token: string) =>
          oauth.processIntrospectionResponse(
            as,
            client,
            await oauth.introspectionRequest(as, client, auth, token, insecure),
          );
        const access = await introspect(refreshed.access_token);
        assert.deepEqual([access.active, access.sub, access.client_id], [true, user.id, firstParty.id]);
        const refresh = await introspect(refreshed.refresh_token as string);
        assert.deepEqual([refresh.active, refresh.token_type], [true, 'refresh_token']);

        await oauth.processRevocationResponse(
          await oauth.revocationRequest(as, client, auth, refreshed.refresh_token as string, insecure),
        );
        assert.deepEqual({ ...(await introspect(refreshed.access_token)) }, { active: false });
        assert.deepEqual({ ...(await introspect(refreshed.refresh_token as string)) }, { active: false });
        const again = await oauth.refreshTokenGrantRequest(
          as,
          client,
          auth,
          refreshed.refresh_token as string,
          insecure,
        );
        await assert.rejects(oauth.processRefreshTokenResponse(as, client, again), { error: 'invalid_grant' });
      });
    });
  }

  it('openid-client discovers, uses client credentials, introspects and revokes', async () => {
    const server = new URL(service.context.config.baseUrl);
    const options = { algorithm: 'oauth2' as const, execute: [openid.allowInsecureRequests] };
    const config = await openid.discovery(server, thirdParty.id, thirdParty.secret, undefined, options);
    const tokens = await openid.clientCredentialsGrant(config, { scope: '*' });
    assert.ok(tokens.refresh_token);
    assert.equal(tokens.expires_in, 3600);
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token);
    const { payload } = await jwtVerify(
      refreshed.access_token,
      createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`)),
      { issuer: service.context.config.baseUrl, audience: service.context.config.baseUrl, typ: 'at+jwt' },
    );
    assert.equal(payload.sub, thirdParty.id);
    assert.equal((await openid.tokenIntrospection(config, refreshed.access_token)).active, true);

    const watcher = await openid.discovery(server, resourceServer.id, resourceServer.secret, undefined, options);
    assert.equal((await openid.tokenIntrospection(watcher, refreshed.access_token)).client_id, thirdParty.id);
    const other = await openid.discovery(server, firstParty.id, firstParty.secret, undefined, options);
    assert.deepEqual({ ...(await openid.tokenIntrospection(other, refreshed.access_token)) }, { active: false });

    await openid.tokenRevocation(config, refreshed.access_token);
    assert.equal((await openid.tokenIntrospection(watcher, refreshed.access_token)).active, false);
  });

  for (const authorizationMethod of ['header', 'body'] as const) {
    it(`simple-oauth2 uses every grant and revokes, with credentials in the ${authorizationMethod}`, async () => {
      // With the default paths of the library.
      const auth = { tokenHost: service.url };
      const options = { authorizationMethod };
      const people = new ResourceOwnerPassword({ client: firstParty, auth, options });
      const login = await people.getToken({ username: user.email, password, scope: '' });
      const refreshed = await login.refresh();
      assert.notEqual(refreshed.token.refresh_token, login.token.refresh_token);
      await refreshed.revokeAll();
      await assert.rejects(refreshed.refresh(), /400/);

      const machines = new ClientCredentials({ client: thirdParty, auth, options });
      const token = await machines.getToken({ scope: '*' });
      assert.equal(token.token.token_type, 'Bearer');
      await token.revoke('access_token');
      await assert.rejects(machines.createToken(token.token).refresh(), /400/);
    });
  }
});
