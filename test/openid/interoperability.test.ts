import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addApplication } from '../harness/applications.ts';
import {
  authorizationResponseIn,
  authorizePath,
  codeFor,
  press,
  redeem,
  redirectUri,
  signedIn,
} from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import type { Visitor } from '../harness/visitor.ts';

const noChallenge = { code_challenge: undefined, code_challenge_method: undefined };
const noVerifier = { code_verifier: undefined };

/** The requests and expectations of published clients with their default settings. */
onBothEngines('OpenID clients with their defaults', (engine) => {
  const start = services(engine);
  let service: Service;
  let visitor: Visitor;
  let email: string;
  before(async () => {
    service = await start();
    ({ visitor, email } = await signedIn(service));
  });
  const add = (options: Parameters<typeof addApplication>[1] = {}) =>
    addApplication(service, { trusted: true, scopes: identityScopes, ...options });

  describe('PKCE', () => {
    it('is optional for an application with a secret', async () => {
      const app = await add();
      const code = await codeFor(visitor, app.id, noChallenge);
      assert.equal((await redeem(service, app, code, noVerifier)).status, 200);
    });

    it('is required for a public application, and for an application that requires it', async () => {
      for (const options of [{ public: true }, { require_pkce: true }]) {
        const { id } = await add(options);
        const { error } = authorizationResponseIn(await visitor.get(authorizePath(id, noChallenge)));
        assert.equal(error, 'invalid_request', JSON.stringify(options));
      }
    });

    it('requires the verifier after a challenge, and refuses a verifier without a challenge', async () => {
      const app = await add();
      const withChallenge = await redeem(service, app, await codeFor(visitor, app.id), noVerifier);
      assert.deepEqual([withChallenge.status, withChallenge.body.error], [400, 'invalid_grant']);
      const without = await redeem(service, app, await codeFor(visitor, app.id, noChallenge));
      assert.deepEqual([without.status, without.body.error], [400, 'invalid_grant']);
    });
  });

  it('is required for all applications with REQUIRE_PKCE=all', async () => {
    const strict = await start({ env: { REQUIRE_PKCE: 'all' } });
    const app = await addApplication(strict, { trusted: true });
    const person = await signedIn(strict);
    assert.equal(
      authorizationResponseIn(await person.visitor.get(authorizePath(app.id, noChallenge))).error,
      'invalid_request',
    );
    assert.equal((await redeem(strict, app, await codeFor(person.visitor, app.id))).status, 200);
  });

  const idTokenOf = async (app: { id: string; secret?: string }, parameters: Record<string, string>) => {
    const { body, text } = await redeem(service, app, await codeFor(visitor, app.id, parameters));
    const { id_token, access_token } = body;
    assert.ok(id_token, text);
    const info = await request<Record<string, unknown>>(service, '/oauth/userinfo', { token: access_token });
    return { claims: decodeJwt(id_token), info: info.body, id_token, access_token, scope: body.scope };
  };

  it('ID tokens are signed with RS256 and contain the claims of the scopes; access tokens stay ES256', async () => {
    const { claims, id_token, access_token } = await idTokenOf(await add(), { scope: 'openid email profile' });
    assert.equal(decodeProtectedHeader(id_token).alg, 'RS256');
    assert.equal(decodeProtectedHeader(access_token).alg, 'ES256');
    assert.deepEqual([claims.email, claims.email_verified, typeof claims.updated_at], [email, true, 'number']);
  });

  it('id_token_claims: false returns the claims only from userinfo', async () => {
    const app = await add({ id_token_claims: false });
    const { claims, info } = await idTokenOf(app, { scope: 'openid email' });
    assert.deepEqual([claims.email, info.email], [undefined, email]);
  });

  it('the claims parameter returns a claim only in the requested place', async () => {
    const app = await add();
    const idTokenWith = (claims: object) => idTokenOf(app, { scope: 'openid', claims: JSON.stringify(claims) });
    const inToken = await idTokenWith({ id_token: { email: { essential: true }, 'made up': null } });
    assert.deepEqual([inToken.claims.email, inToken.info.email, inToken.scope], [email, undefined, undefined]);
    const inInfo = await idTokenWith({ userinfo: { email: null } });
    assert.deepEqual([inInfo.claims.email, inInfo.info.email], [undefined, email]);
    assert.equal(inInfo.info.email_verified, undefined);
  });

  it('the claims parameter requires the same consent as the scope', async () => {
    const app = await add({ trusted: false });
    const claims = JSON.stringify({ userinfo: { email: null } });
    const page = await visitor.get(authorizePath(app.id, { scope: 'openid', claims }));
    assert.ok(page.html.includes('scope:email'));
    const { code = '' } = authorizationResponseIn(await press(visitor, page, 'allow', { without: ['email'] }));
    const { body } = await redeem(service, app, code);
    const info = await request<Record<string, unknown>>(service, '/oauth/userinfo', { token: body.access_token });
    assert.equal(info.body.email, undefined);
  });

  it('unknown scopes, and scopes that the application may not have, are omitted', async () => {
    const app = await add({ scopes: ['openid', 'email'] });
    const { scope } = await idTokenOf(app, { scope: 'openid email phone address no:such users:write' });
    assert.equal(scope, 'openid email');
    const { claims } = await idTokenOf(app, { scope: 'openid,email' });
    assert.equal(claims.email, email, 'scopes that are separated by commas, as some libraries send them');
  });

  it('response_mode=fragment responds in the fragment, and form_post with a form', async () => {
    const app = await add();
    const { location } = await visitor.get(authorizePath(app.id, { response_mode: 'fragment' }));
    const fragment = new URLSearchParams(new URL(location ?? '').hash.slice(1));
    assert.deepEqual([...fragment.keys()], ['code', 'state', 'iss']);
    assert.equal((await redeem(service, app, fragment.get('code') ?? '')).status, 200);

    for (const parameters of [{}, { scope: 'nonsense' }]) {
      const page = await visitor.get(authorizePath(app.id, { response_mode: 'form_post', ...parameters }));
      assert.equal(page.status, 200);
      assert.ok(page.html.includes(`action="${redirectUri}"`));
      assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self' https:;/);
      const fields = Object.fromEntries(
        [...page.html.matchAll(/name="(code|error|state|iss)" value="([^"]*)"/g)].map(([, name, value]) => [
          name,
          value,
        ]),
      );
      assert.deepEqual([fields.state, fields.iss], ['a state', service.context.config.baseUrl]);
      if (fields.code) assert.equal((await redeem(service, app, fields.code as string)).status, 200);
      else assert.equal(fields.error, 'invalid_scope');
    }
  });

  it('pages of an application can call the token endpoint with cookies, pages of other origins cannot', async () => {
    const app = await add({ public: true, redirect_uris: ['https://spa.example/app', redirectUri] });
    const responses = async (origin: string) => {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const form = { grant_type: 'authorization_code', client_id: app.id, code: 'wrong', redirect_uri: redirectUri };
      const [preflight, response] = [
        await request(service, '/oauth/token', { method: 'OPTIONS', headers }),
        await request(service, '/oauth/token', { form, headers: { origin } }),
      ];
      assert.equal(response.body.error, 'invalid_grant');
      return [preflight, response].map((one) => [
        one.headers.get('access-control-allow-origin'),
        one.headers.get('access-control-allow-credentials'),
      ]);
    };
    assert.deepEqual(await responses('https://spa.example'), Array(2).fill(['https://spa.example', 'true']));
    assert.deepEqual(await responses('https://spa.example.evil'), Array(2).fill(['*', null]));
    assert.deepEqual(await responses('https://spa_example'), Array(2).fill(['*', null]));
  });
});
