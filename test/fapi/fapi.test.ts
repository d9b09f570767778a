import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { calculateJwkThumbprint, decodeJwt, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import * as openid from 'openid-client';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addApplication } from '../harness/applications.ts';
import {
  authorizationResponseIn,
  authorizePath,
  codeFor,
  redeem,
  redirectUri,
  signedIn,
  verifier,
} from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import type { Visitor } from '../harness/visitor.ts';

const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

onBothEngines('FAPI 2.0', (engine) => {
  const start = services(engine);
  let service: Service;
  let visitor: Visitor;
  let userId: string;
  let base: string;
  let privateKey: CryptoKey;
  let publicJwk: JWK;
  before(async () => {
    service = await start({ env: { RESOURCE_SERVERS: 'https://files.example' } });
    base = service.context.config.baseUrl;
    ({ visitor, id: userId } = await signedIn(service, { name: 'Ada Lovelace' }));
    const pair = await generateKeyPair('ES256', { extractable: true });
    privateKey = pair.privateKey;
    publicJwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
  });

  const addKeyed = (options: Parameters<typeof addApplication>[1] = {}) =>
    addApplication(service, {
      trusted: true,
      scopes: [...identityScopes, 'users:read'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [publicJwk] },
      ...options,
    });
  const configOf = (id: string) =>
    openid.discovery(new URL(base), id, undefined, openid.PrivateKeyJwt({ key: privateKey, kid: 'k1' }), {
      execute: [openid.allowInsecureRequests],
    });
  const follow = async (url: URL): Promise<URL> => {
    const { location, html } = await visitor.get(url.pathname + url.search);
    assert.ok(location, html);
    return new URL(location);
  };

  it('openid-client signs in with pushed requests, private_key_jwt, PKCE and DPoP, and refreshes', async () => {
    const { id } = await addKeyed({ fapi: true });
    const config = await configOf(id);
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const parameters = {
      redirect_uri: redirectUri,
      scope: 'openid profile email offline_access users:read',
      state: 'a state',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    };
    const url = await openid.buildAuthorizationUrlWithPAR(config, parameters, { DPoP });
    assert.deepEqual([...url.searchParams.keys()].toSorted(), ['client_id', 'request_uri']);
    const back = await follow(url);
    const checks = { pkceCodeVerifier, expectedState: 'a state' };
    const tokens = await openid.authorizationCodeGrant(config, back, checks, undefined, { DPoP });
    assert.equal(tokens.token_type, 'dpop');
    assert.equal(tokens.claims()?.sub, userId);
    const info = await openid.fetchUserInfo(config, tokens.access_token, userId, { DPoP });
    assert.deepEqual([info.sub, info.name, typeof info.email], [userId, 'Ada Lovelace', 'string']);
    const { status } = await openid.fetchProtectedResource(
      config,
      tokens.access_token,
      new URL(`${base}/v1/users/me`),
      'GET',
      null,
      new Headers({ accept: 'application/json' }),
      { DPoP },
    );
    assert.equal(status, 200);
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token as string, undefined, { DPoP });
    assert.ok((decodeJwt(refreshed.access_token).cnf as { jkt: string }).jkt);

    const stolen = await request(service, '/v1/users/me', { token: refreshed.access_token });
    assert.equal(stolen.status, 401, 'the token needs its key');
    assert.match(stolen.headers.get('www-authenticate') ?? '', /^DPoP /);
    const again = await visitor.get(url.pathname + url.search);
    assert.deepEqual([again.status, again.location], [400, null], 'a pushed request works once');
    const plain = authorizationResponseIn(await visitor.get(authorizePath(id)));
    assert.equal(plain.error, 'invalid_request', 'a request that was not pushed is refused');
  });

  const proofOf = async (claims: Record<string, unknown>, key: CryptoKey, jwk: JWK, alg = 'ES256') =>
    new SignJWT({ jti: crypto.randomUUID(), ...claims })
      .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(key);

  it('accepts a DPoP proof once across all instances, for one request, with a nonce of any instance', async () => {
    const other = await start({ env: { BASE_URL: base }, database: service.database });
    const app = await addApplication(service, { trusted: true, public: true, scopes: ['openid', 'users:read'] });
    const { privateKey: key, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(publicKey);
    const send = (on: Service, proof: string, code: string) => {
      const form = { grant_type: 'authorization_code', client_id: app.id, code, redirect_uri: redirectUri };
      return request<{ error: string; access_token: string; token_type: string }>(on, '/oauth/token', {
        form: { ...form, code_verifier: verifier },
        headers: { dpop: proof },
      });
    };
    const htu = `${base}/oauth/token`;
    const first = await send(other, await proofOf({ htm: 'POST', htu }, key, jwk), 'none');
    assert.deepEqual([first.status, first.body.error], [400, 'use_dpop_nonce']);
    const nonce = first.headers.get('dpop-nonce') ?? '';
    for (const wrong of [
      { htm: 'GET', htu },
      { htm: 'POST', htu: `${base}/oauth/revoke` },
    ]) {
      const refused = await send(service, await proofOf({ nonce, ...wrong }, key, jwk), 'none');
      assert.equal(refused.body.error, 'invalid_dpop_proof', JSON.stringify(wrong));
    }
    const proof = await proofOf({ htm: 'POST', htu, nonce }, key, jwk);
    const code = await codeFor(visitor, app.id, { scope: 'openid users:read' });
    const { body, text } = await send(service, proof, code);
    assert.equal(body.token_type, 'DPoP', text);
    assert.equal((decodeJwt(body.access_token).cnf as { jkt: string }).jkt, await calculateJwkThumbprint(jwk));
    assert.equal(
      (await send(other, proof, 'none')).body.error,
      'invalid_dpop_proof',
      'the proof was replayed on another instance',
    );
  });

  const assertionOf = (id: string, claims: Record<string, unknown> = {}, key = privateKey) =>
    new SignJWT({ jti: crypto.randomUUID(), ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(id)
      .setSubject(id)
      .setAudience((claims.aud as string) ?? base)
      .setExpirationTime('1m')
      .sign(key);

  it('accepts no DPoP proof with RS256 from an application with fapi', async () => {
    const errorFor = async (fapi: boolean, alg: string) => {
      const { id } = await addKeyed({ fapi });
      const pair = await generateKeyPair(alg, { extractable: true });
      const htu = `${base}/oauth/token`;
      const dpop = await proofOf({ htm: 'POST', htu }, pair.privateKey, await exportJWK(pair.publicKey), alg);
      const { body } = await request(service, '/oauth/token', {
        form: {
          grant_type: 'client_credentials',
          client_assertion: await assertionOf(id),
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        },
        headers: { dpop },
      });
      return body.error;
    };
    assert.equal(await errorFor(true, 'RS256'), 'invalid_dpop_proof');
    // The signature is accepted, and the proof lacks only the nonce.
    assert.equal(await errorFor(true, 'PS256'), 'use_dpop_nonce');
    assert.equal(await errorFor(false, 'RS256'), 'use_dpop_nonce');
  });

  it('accepts a client assertion once, signed by a key of the client, for this server', async () => {
    const { id } = await addKeyed();
    const send = (client_assertion: string) =>
      request(service, '/oauth/token', {
        form: {
          grant_type: 'client_credentials',
          client_assertion,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        },
      });
    const good = await assertionOf(id);
    assert.equal((await send(good)).status, 200);
    const stranger = (await generateKeyPair('ES256')).privateKey;
    for (const wrong of [
      good,
      await assertionOf(id, {}, stranger),
      await assertionOf(id, { aud: 'https://other.example' }),
    ]) {
      const refused = await send(wrong);
      assert.deepEqual([refused.status, refused.body.error], [401, 'invalid_client']);
    }
    const bySecret = await request(service, '/oauth/token', {
      form: { grant_type: 'client_credentials', client_id: id, client_secret: 'guessed' },
    });
    assert.equal(bySecret.status, 401);
  });

  it('accepts signed requests (RFC 9101), and ignores parameters outside of them', async () => {
    const { id } = await addKeyed({ require_signed_request_object: true });
    const config = await configOf(id);
    const parameters = { redirect_uri: redirectUri, scope: 'openid', state: 's', response_type: 'code' };
    const url = await openid.buildAuthorizationUrlWithJAR(config, parameters, { key: privateKey, kid: 'k1' });
    url.searchParams.set('scope', 'openid users:read');
    const back = await follow(url);
    assert.equal(back.searchParams.get('state'), 's');
    assert.ok(back.searchParams.get('code'));
    const unsigned = authorizationResponseIn(await visitor.get(authorizePath(id)));
    assert.equal(unsigned.error, 'invalid_request');
    const { privateKey: stranger } = await generateKeyPair('ES256');
    const forged = await openid.buildAuthorizationUrlWithJAR(config, parameters, { key: stranger, kid: 'k1' });
    const page = await visitor.get(forged.pathname + forged.search);
    assert.deepEqual([page.status, page.location], [400, null]);
  });

  const pass = (client: { id: string; secret?: string }, subject_token: string, more: Record<string, string> = {}) =>
    request<Record<string, string>>(service, '/oauth/token', {
      form: {
        grant_type: exchange,
        subject_token,
        subject_token_type: accessTokenType,
        client_id: client.id,
        client_secret: client.secret ?? '',
        ...more,
      },
    });

  it('exchanges a token for a narrower one, names the actors, and ends it with the session', async () => {
    const app = await addApplication(service, { trusted: true, scopes: ['openid', 'users:read', 'users:write'] });
    const code = await codeFor(visitor, app.id, { scope: 'openid users:read users:write' });
    const { body } = await redeem(service, app, code);
    const narrowed = await pass(app, body.access_token, { scope: 'users:read', resource: 'https://files.example' });
    assert.equal(narrowed.status, 200, narrowed.text);
    assert.deepEqual(
      [narrowed.body.issued_token_type, narrowed.body.refresh_token, narrowed.body.id_token],
      [accessTokenType, undefined, undefined],
    );
    const claims = decodeJwt(narrowed.body.access_token as string);
    assert.deepEqual([claims.sub, claims.scope, claims.aud], [userId, 'users:read', 'https://files.example']);
    assert.deepEqual(claims.act, { sub: app.id });
    assert.ok(Number(claims.exp) - Number(claims.iat) <= 300);

    const watcher = await addApplication(service, { scopes: ['openid', 'tokens:introspect'] });
    assert.equal(
      (await pass(watcher, body.access_token)).body.error,
      'invalid_request',
      'tokens:introspect does not allow an exchange',
    );
    const next = await addApplication(service, { scopes: ['openid', 'tokens:exchange'] });
    const further = await pass(next, narrowed.body.access_token as string);
    assert.deepEqual(decodeJwt(further.body.access_token as string).act, { sub: next.id, act: { sub: app.id } });

    const stranger = await addApplication(service, { scopes: ['openid'] });
    assert.equal((await pass(stranger, body.access_token)).body.error, 'invalid_request');
    assert.equal((await pass(app, narrowed.body.access_token as string, { scope: 'users:write' })).status, 400);
    const forApi = await pass(app, body.access_token, { scope: 'users:read' });
    const open = () => request(service, '/v1/users/me', { token: forApi.body.access_token as string });
    assert.equal((await open()).status, 200);
    const scheme = { authorization: `DPoP ${forApi.body.access_token}` };
    const unbound = await request(service, '/v1/users/me', { headers: scheme });
    assert.equal(unbound.status, 401, 'RFC 9449 7.1: an unbound token with the scheme DPoP');
    await request(service, '/oauth/revoke', {
      form: { token: body.access_token, client_id: app.id, client_secret: app.secret ?? '' },
    });
    assert.equal((await open()).status, 401);
  });

  it('exchanges a token only for scopes that its client still has', async () => {
    const app = await addApplication(service, { trusted: true, scopes: ['openid', 'users:read', 'users:write'] });
    const code = await codeFor(visitor, app.id, { scope: 'openid users:read users:write' });
    const { body } = await redeem(service, app, code);
    const token = await logIn(service, 'admin@example.com', 'correct horse battery');
    const path = `/v1/clients/${app.id}`;
    const changed = await request(service, path, { method: 'PATCH', json: { scopes: ['users:read'] }, token });
    assert.equal(changed.status, 200, changed.text);
    const lost = await pass(app, body.access_token, { scope: 'users:write' });
    assert.deepEqual([lost.status, lost.body.error], [400, 'invalid_scope']);
    const rest = await pass(app, body.access_token);
    assert.equal(decodeJwt(rest.body.access_token as string).scope, 'users:read');
  });
});
