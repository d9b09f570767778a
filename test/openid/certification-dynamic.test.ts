import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { rotateKeys } from '../../extensions/admin-commands/revoke-everything.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { addApplication } from '../harness/applications.ts';
import { redirectUri } from '../harness/authorizing.ts';
import { Conformance } from '../harness/conformance.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type RelyingParty, relyingParties } from '../harness/relying-party.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

type Json = Record<string, unknown>;

/** The modules of the plans config and dynamic. Comments and docs/reference/openid-certification.md name the rest. */
onBothEngines('oidcc-dynamic-certification-test-plan', (engine) => {
  const start = services(engine);
  const startParty = relyingParties();
  let service: Service;
  let party: RelyingParty;
  let known: Conformance;
  before(async () => {
    service = await start({ env: { DYNAMIC_CLIENTS: 'open' } });
    party = await startParty();
    known = await Conformance.start(service, { id: 'none' });
  });

  const register = (metadata: Json = {}) =>
    request<Json>(service, '/oauth/register', { json: { redirect_uris: [redirectUri], ...metadata } });
  /** The suite as a newly registered client. */
  const registered = async (metadata: Json = {}): Promise<Conformance> => {
    const { status, body, text } = await register(metadata);
    assert.equal(status, 201, text);
    for (const [name, value] of Object.entries(metadata)) assert.deepEqual(body[name], value, name);
    return known.with({ id: body.client_id as string, secret: body.client_secret as string });
  };
  const keyPair = async (kid: string) => {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } };
  };
  const assertion = ({ kid, privateKey }: Awaited<ReturnType<typeof keyPair>>, id: string, aud: string) =>
    new SignJWT({ jti: crypto.randomUUID(), iss: id, sub: id, aud })
      .setProtectedHeader({ alg: 'RS256', kid })
      .setIssuedAt(Math.floor(service.context.now() / 1000))
      .setExpirationTime(Math.floor(service.context.now() / 1000) + 60)
      .sign(privateKey);
  const byKey = (client_assertion: string) => ({
    client_assertion,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  });
  /** A client with `private_key_jwt`, whose keys are at its `jwks_uri`. */
  const keyed = async () => {
    const jwks_uri = `${party.url}/${crypto.randomUUID()}/jwks`;
    const fields = { token_endpoint_auth_method: 'private_key_jwt' as const, jwks_uri };
    return addApplication(service, { scopes: ['openid', 'offline_access'], ...fields });
  };

  it('oidcc-idtoken-rs256', async () => {
    assert.equal((await (await registered({ id_token_signed_response_alg: 'RS256' })).signIn()).alg, 'RS256');
  });
  it('oidcc-idtoken-unsigned: skipped, since the metadata does not list none', async () => {
    assert.equal((await register({ id_token_signed_response_alg: 'none' })).body.error, 'invalid_client_metadata');
  });
  it('oidcc-userinfo-rs256: not met, since userinfo is not signed', async () => {
    assert.equal((await known.metadata()).userinfo_signing_alg_values_supported, undefined);
    const { body } = await register({ userinfo_signed_response_alg: 'RS256' });
    assert.equal(body.userinfo_signed_response_alg, undefined, 'the response omits the unsupported setting');
  });
  it('oidcc-ensure-redirect-uri-in-authorization-request', async () => {
    const suite = await registered({ redirect_uris: [redirectUri, `${redirectUri}/2`] });
    await suite.seesErrorPage({ redirect_uri: undefined });
  });
  it('oidcc-redirect-uri-query-OK', async () => {
    const uri = `${redirectUri}?foo=bar`;
    const suite = await registered({ redirect_uris: [uri] });
    const { parameters } = await suite.authorize({ redirect_uri: uri });
    assert.equal(parameters.foo, 'bar');
    assert.equal((await suite.redeem(parameters.code ?? '', { redirect_uri: uri })).status, 200);
  });
  it('oidcc-redirect-uri-query-mismatch', async () => {
    const suite = await registered({ redirect_uris: [`${redirectUri}?foo=bar`] });
    await suite.seesErrorPage({ redirect_uri: `${redirectUri}?bar=foo` });
  });
  it('oidcc-redirect-uri-query-added', async () => {
    await (await registered()).seesErrorPage({ redirect_uri: `${redirectUri}?foo=bar` });
  });
  it('oidcc-redirect-uri-regfrag', async () => {
    const { status, body } = await register({ redirect_uris: [`${redirectUri}#foobar`] });
    assert.deepEqual([status, body.error], [400, 'invalid_redirect_uri']);
  });
  it('oidcc-discovery-endpoint-verification, also of the plan config', async () => {
    const metadata = await known.metadata();
    const { baseUrl } = service.context.config;
    assert.equal(metadata.issuer, baseUrl);
    for (const [name, path] of Object.entries({
      ...{ authorization_endpoint: '/oauth/authorize', token_endpoint: '/oauth/token' },
      ...{ userinfo_endpoint: '/oauth/userinfo', registration_endpoint: '/oauth/register' },
      jwks_uri: '/.well-known/jwks.json',
    })) {
      assert.equal(metadata[name], baseUrl + path);
    }
    for (const [name, value] of Object.entries({
      subject_types_supported: 'public',
      response_types_supported: 'code',
      id_token_signing_alg_values_supported: 'RS256',
      grant_types_supported: 'authorization_code',
      scopes_supported: 'openid',
      claims_supported: 'sub',
      code_challenge_methods_supported: 'S256',
      token_endpoint_auth_methods_supported: 'client_secret_basic',
    })) {
      assert.ok((metadata[name] as string[]).includes(value), name);
    }
    assert.deepEqual([metadata.claims_parameter_supported, metadata.request_parameter_supported], [true, true]);
    const { body } = await request<{ keys: Json[] }>(service, '/.well-known/jwks.json');
    assert.equal(new Set(body.keys.map(({ kid }) => kid)).size, body.keys.length);
    assert.ok(body.keys.every((key) => key.kid && !('d' in key)));
    // Not met for the plan dynamic, which requires the implicit flow. RFC 9700 2.1.2 advises against it.
    assert.deepEqual(metadata.response_types_supported, ['code']);
    assert.equal((metadata.grant_types_supported as string[]).includes('implicit'), false);
  });
  it('oidcc-server', async () => {
    await (await registered()).signIn();
  });
  for (const [name, member] of [
    // The suite expects the logo as an image on the login page. Here it is a link, because the application is not
    // verified.
    ['oidcc-registration-logo-uri', 'logo_uri'],
    ['oidcc-registration-policy-uri', 'policy_uri'],
    ['oidcc-registration-tos-uri', 'tos_uri'],
  ] as const) {
    it(`${name}: a link on the consent page`, async () => {
      const uri = `https://app.example/${member}`;
      const { consent } = await (await registered({ [member]: uri })).signIn();
      assert.match(
        consent,
        new RegExp(`which Gatehouse has not checked:\\s+<a href="${uri}" [^>]+>[^<]+ \\(app.example\\)`),
      );
      assert.ok(!consent.includes(`src="${uri}`));
      const other = await (await registered({ [member]: `https://bank.example/${member}` })).signIn();
      assert.doesNotMatch(other.consent, /bank\.example/, 'a host that the client only claims');
    });
  }
  it('oidcc-registration-jwks-uri', async () => {
    await (await registered({ jwks_uri: 'https://app.example/jwks' })).signIn();
  });
  it('oidcc-registration-sector-uri: skipped, since there are no pairwise subjects', async () => {
    assert.deepEqual((await known.metadata()).subject_types_supported, ['public']);
    const { body } = await register({ subject_type: 'pairwise', sector_identifier_uri: 'https://app.example/uris' });
    assert.equal(body.error, 'invalid_client_metadata');
  });
  it('oidcc-registration-sector-bad: skipped, since there are no pairwise subjects', async () => {
    const { body } = await register({ subject_type: 'pairwise', sector_identifier_uri: 'https://app.example/none' });
    assert.equal(body.error, 'invalid_client_metadata');
  });
  it('oidcc-server-rotate-keys', async () => {
    const kids = async () =>
      (await request<{ keys: { kid: string }[] }>(service, '/.well-known/jwks.json')).body.keys.map(({ kid }) => kid);
    const before = await kids();
    await rotateKeys(service.context, service.keys, { source: systemSource });
    const after = await kids();
    assert.ok(before.every((kid) => after.includes(kid)));
    assert.ok(after.length > before.length);
    await (await registered()).signIn();
  });
  it('oidcc-refresh-token-rp-key-rotation', async () => {
    const { id } = await keyed();
    const suite = known.with({ id });
    const [first, second] = [await keyPair('one'), await keyPair('two')];
    const { baseUrl } = service.context.config;
    party.json = { keys: [first.jwk] };
    const { parameters } = await suite.authorize({ scope: 'openid offline_access', prompt: 'consent' });
    const signedBy = async (pair: typeof first) => byKey(await assertion(pair, id, `${baseUrl}/oauth/token`));
    const form = { grant_type: 'authorization_code', code: parameters.code ?? '', redirect_uri: redirectUri };
    const { status, body, text } = await request<Record<string, string>>(service, '/oauth/token', {
      form: { ...form, ...(await signedBy(first)) },
    });
    assert.equal(status, 200, text);
    party.json = { keys: [second.jwk] };
    service.advance(60_000);
    const refresh = async (pair: typeof first) =>
      request<Record<string, string>>(service, '/oauth/token', {
        form: {
          grant_type: 'refresh_token',
          refresh_token: body.refresh_token as string,
          ...(await signedBy(pair)),
        },
      });
    const refreshed = await refresh(second);
    assert.equal(refreshed.status, 200, refreshed.text);
    assert.equal((await refresh(first)).body.error, 'invalid_client', 'the removed key');
    party.status = 500;
    service.advance(3_700_000);
    assert.equal((await refresh(second)).body.error, 'invalid_client', 'keys that cannot be fetched');
    party.status = 200;
    service.advance(10_000);
  });
  for (const name of ['oidcc-request-uri-unsigned', 'oidcc-ensure-request-object-with-redirect-uri']) {
    it(`${name}: skipped, since the metadata does not list none`, async () => {
      const metadata = await known.metadata();
      assert.ok(!(metadata.request_object_signing_alg_values_supported as string[]).includes('none'));
    });
  }
  it('oidcc-request-uri-signed-rs256: not met, since a request is pushed instead (RFC 9126)', async () => {
    assert.equal((await known.metadata()).request_uri_parameter_supported, false);
    const { parameters } = await (await registered()).authorize({ request_uri: 'https://app.example/request.jwt' });
    assert.equal(parameters.error, 'request_uri_not_supported');
  });
  it('oidcc-refresh-token', async () => {
    const suite = await registered({ grant_types: ['authorization_code', 'refresh_token'] });
    const { tokens } = await suite.signIn({ scope: 'openid offline_access', prompt: 'consent' });
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    const { body, text } = await suite.token(form);
    assert.ok(body.id_token, text);
    assert.equal((await suite.verify(body.id_token, body.access_token)).claims.sub, suite.userId);
  });
  it('oidcc-ensure-client-assertion-with-iss-aud-succeeds', async () => {
    const { id } = await keyed();
    const pair = await keyPair('three');
    party.json = { keys: [pair.jwk] };
    const { parameters } = await known.with({ id }).authorize();
    const form = { grant_type: 'authorization_code', code: parameters.code ?? '', redirect_uri: redirectUri };
    const proof = byKey(await assertion(pair, id, service.context.config.baseUrl));
    assert.equal((await request(service, '/oauth/token', { form: { ...form, ...proof } })).status, 200);
  });
});
