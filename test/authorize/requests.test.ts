import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import {
  authorizationResponseIn,
  authorizePath,
  challenge,
  codeFor,
  press,
  redeem,
  signedIn,
} from '../harness/authorizing.ts';
import { personalToken } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

describe('Authorization requests', () => {
  const start = services('sqlite');
  let service: Service;
  let app: { id: string; secret?: string };
  let visitor: Visitor;
  before(async () => {
    service = await start();
    app = await addApplication(service, { scopes: ['openid', 'users:read'] });
    ({ visitor } = await signedIn(service));
  });
  const errorOf = async (parameters: Record<string, string | undefined>, more = '') => {
    const visit = await visitor.get(authorizePath(app.id, parameters) + more);
    const { error, error_description, ...rest } = authorizationResponseIn(visit);
    assert.equal(visit.status, 302, visit.html);
    assert.ok(visit.location?.startsWith('https://app.example/callback?'), visit.location ?? '');
    assert.equal(rest.iss, service.context.config.baseUrl);
    assert.ok(error_description);
    return { error, state: rest.state };
  };

  it('show a page without a redirect for a wrong client or redirect URI', async () => {
    const personal = authorizePath('web-admin');
    const wrong = [
      personal,
      authorizePath('nobody'),
      authorizePath('no\0body'),
      authorizePath(app.id, { request_uri: 'urn:ietf:params:oauth:request_uri:\0' }),
      authorizePath(app.id, { client_id: undefined }),
      `${authorizePath(app.id)}&client_id=${app.id}`,
      authorizePath(app.id, { redirect_uri: undefined }),
      `${authorizePath(app.id)}&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback`,
      ...['https://evil.example/', 'https://app.example/callback/', 'https://app.example@evil.example/callback'].map(
        (redirect_uri) => authorizePath(app.id, { redirect_uri }),
      ),
      authorizePath(app.id, { redirect_uri: 'https://evil.example/', prompt: 'none' }),
      authorizePath(app.id, { redirect_uri: 'https://evil.example/', response_type: 'nonsense' }),
      '/oauth/authorize',
      '/oauth/authorize/continue',
      '/oauth/authorize/continue?request=bm9uc2Vuc2U',
    ];
    for (const path of wrong) {
      for (const who of [visitor, new Visitor(service)]) {
        const { status, location, html } = await who.get(path);
        assert.deepEqual([status, location], [400, null], path);
        assert.ok(!html.includes('evil.example'), path);
      }
    }
  });

  it('send all other errors to the application, with iss and state', async () => {
    const cases: [Record<string, string | undefined>, string][] = [
      [{ response_type: undefined }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ response_type: 'code id_token' }, 'unsupported_response_type'],
      [{ response_mode: 'web_message' }, 'invalid_request'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ code_challenge_method: undefined }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge: 'short' }, 'invalid_request'],
      [{ code_challenge: `${challenge}=` }, 'invalid_request'],
      [{ scope: 'nonsense' }, 'invalid_scope'],
      [{ scope: 'users:write' }, 'invalid_scope'],
      [{ claims: 'no JSON' }, 'invalid_request'],
      [{ claims: '{"userinfo":[]}' }, 'invalid_request'],
      [{ scope: '*' }, 'invalid_scope'],
      [{ scope: 'tokens:introspect' }, 'invalid_scope'],
      [{ prompt: 'create' }, 'invalid_request'],
      [{ prompt: 'none login' }, 'invalid_request'],
      [{ max_age: '-1' }, 'invalid_request'],
      [{ max_age: 'soon' }, 'invalid_request'],
      [{ resource: 'not absolute' }, 'invalid_target'],
      [{ resource: 'https://api.example/#part' }, 'invalid_target'],
      [{ resource: 'https://api.example/' }, 'invalid_target'],
      [{ request: 'e30.e30.' }, 'request_not_supported'],
      [{ request_uri: 'https://app.example/request' }, 'request_uri_not_supported'],
      [{ registration: '{}' }, 'registration_not_supported'],
      [{ nonce: 'n'.repeat(4000) }, 'invalid_request'],
      [{ nonce: 'a\0b' }, 'invalid_request'],
      [{ scope: 'openid \0' }, 'invalid_request'],
    ];
    for (const [parameters, error] of cases) {
      assert.deepEqual(await errorOf(parameters), { error, state: 'a state' }, JSON.stringify(parameters));
    }
    assert.deepEqual(await errorOf({}, '&nonce=1&nonce=2'), { error: 'invalid_request', state: 'a state' });
    assert.deepEqual(await errorOf({}, '&state=another'), { error: 'invalid_request', state: undefined });
    assert.deepEqual(await errorOf({ state: undefined, prompt: 'create' }), {
      error: 'invalid_request',
      state: undefined,
    });
  });

  it('redirect errors only after the sign-in, except with prompt=none', async () => {
    const stranger = new Visitor(service);
    const wrong = await stranger.get(authorizePath(app.id, { scope: 'nonsense' }));
    assert.match(wrong.location ?? '', /^\/login\?next=/);
    const silent = await stranger.get(authorizePath(app.id, { prompt: 'none' }));
    assert.equal(authorizationResponseIn(silent).error, 'login_required');
    const silentlyWrong = await stranger.get(authorizePath(app.id, { prompt: 'none', scope: 'nonsense' }));
    assert.equal(authorizationResponseIn(silentlyWrong).error, 'invalid_scope');
    const { location } = await stranger.get(authorizePath(app.id, { nonce: 'a\0b' }));
    assert.equal((await stranger.get(location as string)).status, 200);
    const next = new URLSearchParams(location?.split('?')[1]).get('next') as string;
    await stranger.send('/login', { login: (await addLogin(service)).email, password, next });
    assert.equal(authorizationResponseIn(await stranger.get(next)).error, 'invalid_request');
  });

  it('can be sent by a form, with several resources', async () => {
    const sent = await visitor.send(authorizePath(app.id).replace(/\?.*/, ''), {
      ...Object.fromEntries(new URLSearchParams(authorizePath(app.id).split('?')[1])),
    });
    assert.equal(sent.status, 303);
    assert.equal((await visitor.get(sent.location as string)).status, 200);
    const { baseUrl } = service.context.config;
    const form = `${authorizePath(app.id).split('?')[1]}&resource=${baseUrl}&resource=${baseUrl}/v1`;
    const { headers } = await request(service, '/oauth/authorize', { form });
    assert.equal(headers.get('location')?.match(/resource=/g)?.length, 2);
    assert.equal((await visitor.get(headers.get('location') as string)).status, 200);
    // A URL that is too long for browsers gets an error page instead of a redirect.
    const long = await request(service, '/oauth/authorize', { form: `${form}&login_hint=${'x'.repeat(100_000)}` });
    assert.deepEqual([long.status, long.headers.get('location')], [400, null]);
  });

  it('ask once for a new sign-in if the last one is older than max_age', async () => {
    const { visitor: person, email } = await signedIn(service);
    const trusted = await addApplication(service, { trusted: true });
    const signInAgain = async (parameters: Record<string, string | undefined>) => {
      const first = await person.get(authorizePath(trusted.id, parameters));
      assert.match(first.location ?? '', /^\/login\?next=/, JSON.stringify(parameters));
      const login = await person.get(first.location as string);
      assert.equal(login.status, 200);
      const next = new URLSearchParams(first.location?.split('?')[1]).get('next') as string;
      // Returning without a sign-in leads to the login page again.
      assert.match((await person.get(next)).location ?? '', /^\/login\?next=/);
      service.advance(1000);
      await person.send('/login', { login: email, password, next });
      return person.get(next);
    };
    for (const parameters of [{ prompt: 'login' }, { max_age: '0' }, { prompt: 'login consent', max_age: '10' }]) {
      const back = await signInAgain(parameters);
      assert.ok(authorizationResponseIn(back).code, `${back.status} ${back.location}`);
    }
    assert.ok(authorizationResponseIn(await person.get(authorizePath(trusted.id, { max_age: '600' }))).code);
    service.advance(601_000);
    assert.match((await person.get(authorizePath(trusted.id, { max_age: '600' }))).location ?? '', /^\/login/);
    const silent = await person.get(authorizePath(trusted.id, { max_age: '600', prompt: 'none' }));
    assert.equal(authorizationResponseIn(silent).error, 'login_required');
  });

  it('accept only the user that the application requests with the claim sub', async () => {
    const trusted = await addApplication(service, { trusted: true });
    const [own, other] = [await signedIn(service), await signedIn(service)];
    const claims = (sub: unknown) => JSON.stringify({ id_token: { sub } });
    const visit = async (parameters: Record<string, string>) =>
      own.visitor.get(authorizePath(trusted.id, { scope: 'openid', ...parameters }));
    const { body } = await redeem(service, trusted, await codeFor(own.visitor, trusted.id, { scope: 'openid' }));
    const id_token_hint = String(body.id_token);
    for (const sub of [{ value: own.id }, { values: [other.id, own.id] }, { essential: true }]) {
      const accepted = await visit({ claims: claims(sub), id_token_hint, prompt: 'none' });
      assert.ok(authorizationResponseIn(accepted).code, JSON.stringify(sub));
    }
    for (const sub of [
      { value: other.id },
      { values: [other.id] },
      { value: 7 },
      { value: other.id, values: [own.id, other.id] },
    ]) {
      const silent = await visit({ claims: claims(sub), prompt: 'none' });
      assert.equal(authorizationResponseIn(silent).error, 'login_required', JSON.stringify(sub));
      assert.match((await visit({ claims: claims(sub) })).location ?? '', /^\/login\?next=/);
      // No user can meet a request that contradicts its own ID token.
      const contradictory = await visit({ claims: claims(sub), id_token_hint });
      assert.equal(authorizationResponseIn(contradictory).error, 'login_required', JSON.stringify(sub));
    }
    const nobody = await visit({ claims: claims({ value: other.id, values: [own.id] }), prompt: 'none' });
    assert.equal(authorizationResponseIn(nobody).error, 'login_required');
    for (const sub of [other.id, [other.id], { values: own.id }, { value: own.id, values: {} }]) {
      const malformed = await visit({ claims: claims(sub), prompt: 'none' });
      assert.equal(authorizationResponseIn(malformed).error, 'invalid_request', JSON.stringify(sub));
    }
  });

  it('ignore a forged statement that the user has signed in again', async () => {
    const trusted = await addApplication(service, { trusted: true });
    const query = authorizePath(trusted.id, { prompt: 'login' }).split('?')[1] as string;
    const forged = new URLSearchParams({
      request: Buffer.from(query).toString('base64url'),
      since: '1',
      mac: 'x'.repeat(43),
    });
    const visit = await visitor.get(`/oauth/authorize/continue?${forged}`);
    assert.match(visit.location ?? '', /^\/login\?next=/);
  });

  it('let users choose the account', async () => {
    const trusted = await addApplication(service, { trusted: true });
    const { visitor: person } = await signedIn(service);
    const other = await addLogin(service);
    const page = await person.get(authorizePath(trusted.id, { prompt: 'select_account' }));
    assert.match(page.html, /Continue as/);
    const same = await press(person, page, 'this-account');
    assert.ok(authorizationResponseIn(await person.get(same.location as string)).code);
    const another = await press(person, page, 'other-account');
    const next = new URLSearchParams(another.location?.split('?')[1]).get('next') as string;
    assert.equal((await person.get(another.location as string)).status, 200);
    await person.send('/login', { login: other.email, password, next });
    const { code = '' } = authorizationResponseIn(await person.get(next));
    const tokens = await redeem(service, trusted, code);
    assert.equal(JSON.parse(atob(tokens.body.access_token.split('.')[1] as string)).sub, other.id);
  });

  it('accept only a login in the cookie, no other tokens', async () => {
    const trusted = await addApplication(service, { trusted: true, scopes: ['openid', '*'] });
    const { visitor: person, email } = await signedIn(service);
    const login = await logIn(service, email, password);
    const whole = await redeem(service, trusted, await codeFor(person, trusted.id, { scope: 'openid *' }));
    for (const token of [
      whole.body.access_token,
      await personalToken(service, login, ['users:read']),
      await personalToken(service, login),
    ]) {
      const thief = new Visitor(service);
      thief.cookies.set('session', token);
      const visit = await thief.get(authorizePath(trusted.id, { scope: 'openid *' }));
      assert.match(visit.location ?? '', /^\/login\?next=/);
      assert.equal((await thief.get(visit.location as string)).status, 200);
    }
  });
});
