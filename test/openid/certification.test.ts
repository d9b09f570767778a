import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { addApplication } from '../harness/applications.ts';
import { ask } from '../harness/ask.ts';
import { codeFor, redeem, signedIn } from '../harness/authorizing.ts';
import { type Service, services } from '../harness/service.ts';
import type { Visitor } from '../harness/visitor.ts';

/** Points of the OpenID certification that nothing else here holds, by the names of its tests (docs/openid.md). */
describe('OpenID certification', () => {
  const start = services('sqlite');
  let service: Service;
  let app: { id: string; secret?: string };
  let visitor: Visitor;
  let userId: string;
  before(async () => {
    service = await start();
    app = await addApplication(service, { trusted: true, scopes: ['openid', 'email'] });
    ({ visitor, id: userId } = await signedIn(service));
  });

  const signIn = async (parameters: Record<string, string>) => {
    const { status, body, text } = await redeem(service, app, await codeFor(visitor, app.id, parameters));
    assert.equal(status, 200, text);
    return { ...body, claims: decodeJwt((body as unknown as { id_token: string }).id_token) };
  };

  for (const [name, parameters] of [
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-ui-locales', { ui_locales: 'se' }],
    ['oidcc-claims-locales', { claims_locales: 'se' }],
    ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-claims-essential', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
    ['oidcc-max-age-10000', { max_age: '10000' }],
    ['oidcc-alternate-happy-flow', { scope: 'email openid' }],
  ] as const) {
    it(name, async () => {
      const { claims } = await signIn({ scope: 'openid', nonce: 'n', ...parameters });
      assert.deepEqual([claims.sub, claims.nonce, claims.acr], [userId, 'n', 'urn:gatehouse:1']);
      assert.equal(typeof claims.auth_time, 'number');
    });
  }

  it('oidcc-prompt-none-logged-in', async () => {
    const first = await signIn({ scope: 'openid' });
    const silent = await signIn({ scope: 'openid', prompt: 'none', max_age: '10000' });
    assert.deepEqual([silent.claims.sub, silent.claims.auth_time], [userId, first.claims.auth_time]);
    assert.notEqual(silent.claims.sid, first.claims.sid);
  });

  it('oidcc-codereuse-30seconds', async () => {
    const code = await codeFor(visitor, app.id);
    const first = await redeem(service, app, code);
    service.advance(30_000);
    const second = await redeem(service, app, code);
    assert.deepEqual([second.status, second.body.error], [400, 'invalid_grant']);
    assert.equal((await ask(service, '/oauth/userinfo', { token: first.body.access_token })).status, 401);
  });

  it('oidcc-server-client-secret-post and client_secret_basic', async () => {
    const basic = `Basic ${btoa(`${app.id}:${app.secret}`)}`;
    const code = await codeFor(visitor, app.id);
    const posted = await redeem(service, app, code);
    assert.equal(posted.status, 200);
    const metadata = await ask<Record<string, unknown>>(service, '/.well-known/openid-configuration');
    assert.deepEqual(metadata.body.token_endpoint_auth_methods_supported, [
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
      'none',
    ]);
    const question = { form: { token: posted.body.access_token }, headers: { authorization: basic } };
    assert.equal((await ask(service, '/oauth/introspect', question)).body.active, true);
  });

  it('oidcc-discovery-endpoint-verification, and those of logout', async () => {
    const { baseUrl } = service.context.config;
    const { body } = await ask<Record<string, unknown>>(service, '/.well-known/openid-configuration');
    assert.equal(body.issuer, baseUrl);
    for (const [name, value] of Object.entries({
      end_session_endpoint: `${baseUrl}/oauth/logout`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      frontchannel_logout_supported: false,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      claims_parameter_supported: true,
      request_parameter_supported: true,
      request_uri_parameter_supported: false,
      authorization_response_iss_parameter_supported: true,
    })) {
      assert.deepEqual(body[name], value, name);
    }
    const claims = body.claims_supported as string[];
    for (const claim of Object.keys((await signIn({ scope: 'openid', nonce: 'n' })).claims)) {
      assert.ok(claims.includes(claim), claim);
    }
    assert.ok((body.scopes_supported as string[]).includes('address'));
    assert.deepEqual(body.id_token_signing_alg_values_supported, ['RS256', 'ES256']);
  });
});
