import assert from 'node:assert/strict';
import crypto, { createSign, generateKeyPairSync, hash, randomBytes, sign as signBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { before, it } from 'node:test';
import { calculateJwkThumbprint, decodeJwt, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { checkJwks } from '../../src/oauth/clients/check-application.ts';
import { isSignedBy, type Jwk, readJws } from '../../src/oauth/proofs/client-jws.ts';
import { addApplication } from '../harness/applications.ts';
import { challenge, codeFor, redirectUri, signedIn, verifier } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type JsonResponse, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

/** Of a JWS. */
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

interface KeyPair {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function makeKey(): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { privateKey, jwk: await exportJWK(publicKey) };
}

/** The suite fails at its end if a request got a 500 response. */
onBothEngines('Signed requests and proofs of an attacker', (engine) => {
  const start = services(engine);
  let service: Service;
  let visitor: Visitor;
  let base: string;
  let own: KeyPair;
  before(async () => {
    service = await start();
    base = service.context.config.baseUrl;
    ({ visitor } = await signedIn(service));
    own = await makeKey();
  });

  const seconds = () => Math.floor(Date.now() / 1000);
  const sign = (claims: Record<string, unknown>) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(own.privateKey);
  const addKeyed = () =>
    addApplication(service, {
      trusted: true,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [own.jwk] },
    });
  const assertion = (client_assertion: string, on = service) =>
    request(on, '/oauth/token', {
      form: { grant_type: 'client_credentials', client_assertion, client_assertion_type: assertionType },
    });

  it('are refused if they name a client id that no database can store', async () => {
    const names = { iss: 'a\0b', sub: 'a\0b', aud: base, exp: seconds() + 60, jti: 'once' };
    assert.equal((await assertion(`${part({ alg: 'ES256' })}.${part(names)}.AAAA`)).status, 401);
    for (const text of ['a\0b:secret', 'a%00b:secret']) {
      const authorization = `Basic ${Buffer.from(text).toString('base64')}`;
      const form = { grant_type: 'client_credentials' };
      const { status, body } = await request(service, '/oauth/token', { form, headers: { authorization } });
      assert.deepEqual([status, body.error], [401, 'invalid_client'], JSON.stringify(text));
    }
    const { id } = await addKeyed();
    const claims = { iss: id, client_id: id, aud: base, redirect_uri: redirectUri, response_type: 'code' };
    const visit = async (more: Record<string, unknown>) => {
      const request = await sign({ ...claims, scope: 'openid', ...more });
      return visitor.get(`/oauth/authorize?${new URLSearchParams({ client_id: id, request })}`);
    };
    const bad = await visit({ nonce: 'a\0b' });
    assert.deepEqual([bad.status, bad.location], [400, null]);
    const good = await visit({ nonce: 'a' });
    assert.match(good.location ?? '', /[?&]code=/);
  });

  it('are refused with a NUL character inside another encoding', async () => {
    for (const query of ['client_id=%00', 'client_id=\0']) {
      const path = `/oauth/authorize/continue?request=${Buffer.from(query).toString('base64url')}`;
      assert.equal((await visitor.get(path)).status, 400);
      assert.equal((await new Visitor(service).get(`/login?next=${encodeURIComponent(path)}`)).status, 200);
    }
    const form = { passkey: '{"id":"\\u0000"}' };
    const { status, body } = await request(service, '/v1/clients/web/admin/login', { form });
    assert.deepEqual([status, body.error], [400, 'invalid_grant']);
  });

  it('may expire at a fraction of a second', async () => {
    const { id } = await addKeyed();
    const once = await sign({ iss: id, sub: id, aud: base, exp: seconds() + 60.123456, jti: 'fraction' });
    const { status, text } = await assertion(once);
    assert.equal(status, 200, text);
    assert.equal((await assertion(once)).status, 401, 'the assertion works once');
  });

  it('are refused with an RSA key below 2048 bits, which cannot be registered either', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const jwks = { keys: [weak.publicKey.export({ format: 'jwk' })] };
    const { id } = await addApplication(service, { token_endpoint_auth_method: 'private_key_jwt', jwks });
    const claims = { iss: id, sub: id, aud: base, exp: seconds() + 60, jti: 'weak' };
    const data = `${part({ alg: 'RS256' })}.${part(claims)}`;
    const signature = createSign('sha256').update(data).sign(weak.privateKey, 'base64url');
    assert.equal((await assertion(`${data}.${signature}`)).status, 401);
    const strong = generateKeyPairSync('rsa', { modulusLength: 2048 });
    assert.equal(checkJwks({ keys: [strong.publicKey.export({ format: 'jwk' })] }), undefined);
    assert.match(checkJwks(jwks) ?? '', /2048 to 4096 bits/);
  });

  it('are refused with an RSA key that takes long to verify, which cannot be registered either', async (test) => {
    const odd = (bits: number) => {
      const bytes = randomBytes(bits / 8).fill(255, 0, 1);
      bytes[bytes.length - 1] = 1;
      return bytes.toString('base64url');
    };
    const slow = { kty: 'RSA', n: odd(3072), e: odd(3064) };
    const long = { kty: 'RSA', n: odd(8192), e: 'AQAB' };
    assert.match(checkJwks({ keys: [slow] }) ?? '', /exponent/);
    assert.match(checkJwks({ keys: [long] }) ?? '', /4096 bits/);
    const { n } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
    for (const key of [{ n: [n], e: 'AQAB' }, { n, e: 65_537 }, { n }])
      assert.match(checkJwks({ keys: [{ kty: 'RSA', ...key }] }) ?? '', /exponent/);
    const jws = readJws(
      `${part({ alg: 'PS256' })}.${part({})}.${randomBytes(384).fill(0, 0, 1).toString('base64url')}`,
    );
    assert.ok(jws);
    const verified = test.mock.method(crypto, 'verify');
    syncBuiltinESMExports();
    test.after(() => {
      test.mock.restoreAll();
      syncBuiltinESMExports();
    });
    assert.equal(isSignedBy(jws, slow), false);
    assert.equal(verified.mock.callCount(), 0, 'a verification would take 9 ms');
    assert.equal(isSignedBy(jws, { kty: 'RSA', n: odd(3072), e: 'AQAB' }), false);
    assert.equal(verified.mock.callCount(), 1);
  });

  it('are refused with ES256 and a key of a curve other than P-256', async () => {
    for (const [namedCurve, accepted] of [
      ['P-256', true],
      ['P-384', false],
      ['P-521', false],
    ] as const) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
      const data = `${part({ alg: 'ES256' })}.${part({})}`;
      const signature = signBytes('sha256', Buffer.from(data), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      const jws = readJws(`${data}.${signature.toString('base64url')}`);
      assert.ok(jws);
      assert.equal(isSignedBy(jws, publicKey.export({ format: 'jwk' }) as Jwk), accepted, namedCurve);
    }
  });

  it('make the service fetch the keys of a client once for all concurrent requests', async () => {
    let calls = 0;
    const server = createServer((_request, response) => {
      calls++;
      response.end(JSON.stringify({ keys: [own.jwk] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const jwks_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const { id } = await addApplication(service, { token_endpoint_auth_method: 'private_key_jwt', jwks_uri });
      const claims = { iss: id, sub: id, aud: base, exp: seconds() + 60 };
      const good = await sign({ ...claims, jti: 'good' });
      const forged = `${part({ alg: 'ES256' })}.${part({ ...claims, jti: 'x' })}.AAAA`;
      const responses = await Promise.all(
        [good, forged, forged, forged, forged, forged].map((each) => assertion(each)),
      );
      assert.deepEqual(
        responses.map(({ status }) => status),
        [200, 401, 401, 401, 401, 401],
      );
      // On a very busy machine, the keys may be fetched again after ten seconds.
      assert.ok(calls <= 2, `the keys were fetched ${calls} times`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('use the last keys of a client for an hour if its server fails', async () => {
    const other = await start();
    let status = 200;
    const server = createServer((_request, response) => {
      response.writeHead(status).end(JSON.stringify({ keys: [own.jwk] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const jwks_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const { id } = await addApplication(other, { token_endpoint_auth_method: 'private_key_jwt', jwks_uri });
      const send = async (jti: string) => {
        const exp = other.context.now() / 1000 + 60;
        const signed = await sign({ iss: id, sub: id, aud: other.context.config.baseUrl, exp, jti });
        return (await assertion(signed, other)).status;
      };
      assert.equal(await send('one'), 200);
      status = 502;
      other.advance(301_000);
      assert.equal(await send('two'), 200);
      assert.equal(await send('three'), 200);
      other.advance(3_600_000);
      assert.equal(await send('four'), 401);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  const proofOf = ({ privateKey, jwk }: KeyPair, claims: Record<string, unknown>) =>
    new SignJWT({ jti: crypto.randomUUID(), iat: seconds(), htm: 'POST', ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .sign(privateKey);

  const token = (form: Record<string, string>, dpop?: string) =>
    request<Record<string, string>>(service, '/oauth/token', { form, headers: dpop === undefined ? {} : { dpop } });

  /** A nonce of the service. */
  const requestNonce = async (clientId: string): Promise<string> => {
    const proof = await proofOf(own, { htu: `${base}/oauth/token` });
    const refused = await token({ grant_type: 'refresh_token', client_id: clientId, refresh_token: 'none' }, proof);
    assert.equal(refused.body.error, 'use_dpop_nonce', refused.text);
    return refused.headers.get('dpop-nonce') as string;
  };

  it('are refused with a malformed key', async () => {
    const app = await addApplication(service, { public: true });
    for (const kty of ['toString', '__proto__', 'constructor', { toString: 1 }, ['EC'], null, 7]) {
      const head = part({ alg: 'ES256', typ: 'dpop+jwt', jwk: { ...own.jwk, kty } });
      const form = { grant_type: 'refresh_token', client_id: app.id, refresh_token: 'none' };
      const { status, body } = await token(form, `${head}.${part({ htm: 'POST' })}.AAAA`);
      assert.deepEqual([status, body.error], [400, 'invalid_dpop_proof'], JSON.stringify(kty));
    }
  });

  it('push no request for another key than that of the proof (RFC 9449 10.1)', async () => {
    const app = await addApplication(service);
    const nonce = await requestNonce((await addApplication(service, { public: true })).id);
    const push = async (dpop_jkt: string): Promise<JsonResponse> => {
      const client = { client_id: app.id, client_secret: app.secret as string };
      const asked = { redirect_uri: redirectUri, response_type: 'code', scope: 'openid', dpop_jkt };
      const proof = await proofOf(own, { htu: `${base}/oauth/par`, nonce });
      return request(service, '/oauth/par', { form: { ...client, ...asked }, headers: { dpop: proof } });
    };
    assert.equal((await push(await calculateJwkThumbprint(own.jwk))).status, 201);
    const other = await push(await calculateJwkThumbprint((await makeKey()).jwk));
    assert.deepEqual([other.status, other.body.error], [400, 'invalid_dpop_proof']);
    const none = await push('x'.repeat(5000));
    assert.deepEqual([none.status, none.body.error], [400, 'invalid_request']);
  });

  it('do not turn a token that is bound to a key into an unbound one', async () => {
    const app = await addApplication(service, { trusted: true, public: true, scopes: ['openid', 'users:read'] });
    const nonce = await requestNonce(app.id);
    const htu = `${base}/oauth/token`;
    const code = await codeFor(visitor, app.id, { scope: 'openid users:read', code_challenge: challenge });
    const redemption = { grant_type: 'authorization_code', client_id: app.id, code, redirect_uri: redirectUri };
    const bound = await token({ ...redemption, code_verifier: verifier }, await proofOf(own, { htu, nonce }));
    assert.equal(bound.body.token_type, 'DPoP', bound.text);

    const server = await addApplication(service, { scopes: ['openid', 'tokens:exchange'] });
    const exchange = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: bound.body.access_token as string,
      subject_token_type: accessTokenType,
      client_id: server.id,
      client_secret: server.secret as string,
    };
    const refused = await token(exchange);
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_dpop_proof']);
    const next = await makeKey();
    const passed = await token(exchange, await proofOf(next, { htu, nonce }));
    assert.equal(passed.body.token_type, 'DPoP', passed.text);
    const accessToken = passed.body.access_token as string;
    assert.deepEqual(decodeJwt(accessToken).cnf, { jkt: await calculateJwkThumbprint(next.jwk) });

    const open = async (key: KeyPair) => {
      const claims = { htm: 'GET', htu: `${base}/v1/users/me`, nonce, ath: hash('sha256', accessToken, 'base64url') };
      const headers = { authorization: `DPoP ${accessToken}`, dpop: await proofOf(key, claims) };
      return (await request(service, '/v1/users/me', { headers })).status;
    };
    assert.deepEqual([await open(own), await open(next)], [401, 200]);
  });
});
