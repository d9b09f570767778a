import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addApplication } from '../harness/applications.ts';
import { challenge, verifier } from '../harness/authorizing.ts';
import { Conformance } from '../harness/conformance.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

type Run = (suite: Conformance) => Promise<unknown>;

/** Two sign-ins in one browser: the second must not show a login page, and must return the same auth_time. */
async function silentlyAgain(suite: Conformance, first: Record<string, string>, second: (token: string) => object) {
  const one = await suite.signIn(first);
  const two = await suite.signIn(second(one.tokens.id_token) as Record<string, string>);
  assert.deepEqual(two.pages, []);
  assert.deepEqual([two.claims.sub, two.claims.auth_time], [one.claims.sub, one.claims.auth_time]);
  assert.equal(typeof two.claims.auth_time, 'number');
}

/** Two sign-ins in one browser: the second must show a login page. */
async function signsInAgain(suite: Conformance, parameters: Record<string, string>): Promise<void> {
  const one = await suite.signIn();
  suite.service.advance(2000);
  const two = await suite.signIn(parameters);
  assert.deepEqual(two.pages, ['login']);
  assert.ok((two.claims.auth_time as number) > (one.claims.auth_time as number));
}

const accepts =
  (parameters: Record<string, string>): Run =>
  async (suite) => {
    const { pages } = await suite.signIn(parameters);
    assert.ok(pages.includes('login'));
  };

const ofScope: Record<string, readonly string[]> = {
  profile: ['name', 'preferred_username', 'updated_at'],
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
  address: [],
};

/** The claims of a scope for which a user can have values. The suite only warns about a user without values. */
const tellsScopes =
  (...scopes: readonly string[]): Run =>
  async (suite) => {
    const { tokens } = await suite.signIn({ scope: ['openid', ...scopes].join(' ') });
    const claimNames = Object.keys(await suite.userinfo(tokens.access_token));
    assert.deepEqual(claimNames.sort(), ['sub', ...scopes.flatMap((scope) => ofScope[scope] ?? [])].sort());
  };

const refusesCodeAfter =
  (ms: number): Run =>
  async (suite) => {
    const { code, tokens } = await suite.signIn();
    suite.service.advance(ms);
    const again = await suite.redeem(code);
    assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant']);
    assert.equal((await request(suite.service, '/oauth/userinfo', { token: tokens.access_token })).status, 401);
  };

/** The suite skips these if the metadata does not list `none`. The responses of the service are tested anyway. */
const skippedObject =
  (parameters: Record<string, string>, error: string): Run =>
  async (suite) => {
    const algorithms = (await suite.metadata()).request_object_signing_alg_values_supported as string[];
    assert.ok(!algorithms.includes('none'));
    assert.equal((await suite.authorize(parameters)).parameters.error, error);
  };

const unsigned = `${btoa('{"alg":"none"}').replace(/=+$/, '')}.e30.`;

/** `oidcc-basic-certification-test-plan`: the modules in the order of the suite. */
const modules: Record<string, Run> = {
  'oidcc-server': (suite) => suite.signIn(),
  'oidcc-response-type-missing': async (suite) => {
    assert.equal((await suite.authorize({ response_type: undefined })).parameters.error, 'invalid_request');
  },
  'oidcc-idtoken-signature': async (suite) => assert.equal((await suite.signIn()).alg, 'RS256'),
  // Skipped by the suite: the metadata does not list `none`.
  'oidcc-idtoken-unsigned': async (suite) =>
    assert.ok(!((await suite.metadata()).id_token_signing_alg_values_supported as string[]).includes('none')),
  'oidcc-userinfo-get': (suite) => suite.signIn(),
  'oidcc-userinfo-post-header': async (suite) => {
    const { tokens } = await suite.signIn();
    const { body } = await request(suite.service, '/oauth/userinfo', { method: 'POST', token: tokens.access_token });
    assert.equal(body.sub, suite.userId);
  },
  'oidcc-userinfo-post-body': async (suite) => {
    const { access_token } = (await suite.signIn()).tokens;
    assert.equal((await request(suite.service, '/oauth/userinfo', { form: { access_token } })).body.sub, suite.userId);
  },
  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': (suite) => suite.signIn({ nonce: undefined }),
  'oidcc-scope-profile': tellsScopes('profile'),
  'oidcc-scope-email': tellsScopes('email'),
  'oidcc-scope-address': tellsScopes('address'),
  'oidcc-scope-phone': tellsScopes('phone'),
  'oidcc-scope-all': tellsScopes('address', 'email', 'phone', 'profile'),
  'oidcc-alternate-happy-flow': (suite) => suite.signIn({ scope: 'email openid' }, { reversed: true }),
  'oidcc-display-page': accepts({ display: 'page' }),
  'oidcc-display-popup': accepts({ display: 'popup' }),
  'oidcc-prompt-login': (suite) => signsInAgain(suite, { prompt: 'login' }),
  'oidcc-prompt-none-not-logged-in': async (suite) => {
    const { pages, parameters } = await suite.authorize({ prompt: 'none' });
    assert.deepEqual([pages, parameters.error, parameters.code], [[], 'login_required', undefined]);
  },
  'oidcc-prompt-none-logged-in': (suite) => silentlyAgain(suite, {}, () => ({ prompt: 'none' })),
  'oidcc-max-age-1': (suite) => signsInAgain(suite, { max_age: '1' }),
  'oidcc-max-age-10000': (suite) => silentlyAgain(suite, { max_age: '15000' }, () => ({ max_age: '10000' })),
  'oidcc-ensure-request-with-unknown-parameter-succeeds': accepts({ extra: 'foobar' }),
  'oidcc-id-token-hint': (suite) => silentlyAgain(suite, {}, (id_token_hint) => ({ prompt: 'none', id_token_hint })),
  'oidcc-login-hint': async (suite) => {
    const { login } = await suite.signIn({ login_hint: suite.email });
    assert.ok(login.includes(`value="${suite.email}"`));
  },
  'oidcc-ui-locales': async (suite) => {
    await accepts({ ui_locales: 'se' })(suite);
  },
  'oidcc-claims-locales': accepts({ claims_locales: 'se' }),
  'oidcc-ensure-request-with-acr-values-succeeds': async (suite) => {
    const values = (await suite.metadata()).acr_values_supported as string[];
    assert.ok(values.includes((await suite.signIn({ acr_values: values.join(' ') })).claims.acr as string));
  },
  'oidcc-codereuse': refusesCodeAfter(0),
  'oidcc-codereuse-30seconds': refusesCodeAfter(30_000),
  'oidcc-ensure-registered-redirect-uri': (suite) => suite.seesErrorPage({ redirect_uri: 'https://app.example/other' }),
  'oidcc-ensure-post-request-succeeds': (suite) => suite.signIn({}, { byPost: true }),
  'oidcc-server-client-secret-post': (suite) => suite.signIn({}, { by: 'post' }),
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': skippedObject(
    { request_uri: 'https://app.example/request.jwt' },
    'request_uri_not_supported',
  ),
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': skippedObject(
    { request: unsigned },
    'request_not_supported',
  ),
  'oidcc-claims-essential': async (suite) => {
    const { tokens } = await suite.signIn({ claims: '{"userinfo":{"name":{"essential":true}}}' });
    assert.equal((await suite.userinfo(tokens.access_token)).name, 'Ada Lovelace');
  },
  'oidcc-ensure-request-object-with-redirect-uri': skippedObject({ request: unsigned }, 'request_not_supported'),
  'oidcc-refresh-token': async (suite) => {
    const { tokens, claims } = await suite.signIn({ scope: 'openid offline_access', prompt: 'consent' });
    suite.service.advance(1000);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    assert.match(tokens.refresh_token, /^[\x20-\x7e]+$/);
    const other = suite.with(await addApplication(suite.service, { scopes: ['openid', 'offline_access'] }));
    const stolen = await other.token(form);
    assert.deepEqual([stolen.status, stolen.body.error], [400, 'invalid_grant']);
    const { status, body, text } = await suite.token(form);
    assert.equal(status, 200, text);
    const { claims: later } = await suite.verify(body.id_token, body.access_token);
    for (const name of ['iss', 'sub', 'aud', 'auth_time'] as const) assert.deepEqual(later[name], claims[name], name);
    assert.ok((later.iat as number) > (claims.iat as number));
    assert.equal(later.nonce, undefined);
    assert.equal((await suite.userinfo(body.access_token)).sub, suite.userId);
  },
  'oidcc-ensure-request-with-valid-pkce-succeeds': (suite) =>
    suite.signIn({ code_challenge: challenge, code_challenge_method: 'S256' }, { more: { code_verifier: verifier } }),
};

for (const [plan, engine, mode] of [
  ['oidcc-basic-certification-test-plan', 'sqlite', 'query'],
  ['oidcc-formpost-basic-certification-test-plan', 'postgres', 'form_post'],
] as const) {
  describe(`${plan} (${engine})`, () => {
    const start = services(engine);
    let service: Service;
    let suite: Conformance;
    before(async () => {
      service = await start();
      const client = await addApplication(service, { scopes: identityScopes });
      suite = await Conformance.start(service, client, mode);
    });
    for (const [name, run] of Object.entries(modules)) {
      it(name, async () => {
        suite.removeCookies();
        await run(suite);
      });
    }
  });
}

it('docs/reference/openid-certification.md states the result of each module', () => {
  const page = readFileSync(new URL('../../docs/reference/openid-certification.md', import.meta.url), 'utf8');
  for (const name of Object.keys(modules)) assert.ok(page.includes(`\`${name}\``), name);
});
