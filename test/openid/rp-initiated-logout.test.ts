import assert from 'node:assert/strict';
import { before, beforeEach, it } from 'node:test';
import { rotateKeys } from '../../extensions/admin-commands/revoke-everything.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { addApplication } from '../harness/applications.ts';
import { authorizePath, codeFor, redeem, signedIn } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type RelyingParty, relyingParties } from '../harness/relying-party.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const home = 'https://app.example/signed-out?from=gatehouse';

onBothEngines('RP-initiated logout', (engine) => {
  const start = services(engine);
  const startParty = relyingParties();
  let service: Service;
  let party: RelyingParty;
  let app: { id: string; secret?: string };
  let visitor: Visitor;
  let idToken: string;
  let accessToken: string;
  before(async () => {
    service = await start();
    party = await startParty();
    const backchannel_logout_uri = `${party.url}/logout`;
    app = await addApplication(service, { trusted: true, post_logout_redirect_uris: [home], backchannel_logout_uri });
  });
  beforeEach(async () => {
    await service.queue.runDueJobs();
    party.posts.length = 0;
    ({ visitor } = await signedIn(service));
    const { body } = await redeem(service, app, await codeFor(visitor, app.id));
    ({ id_token: idToken, access_token: accessToken } = body as Record<'id_token' | 'access_token', string>);
  });

  const path = (parameters: Record<string, string> = {}) => `/oauth/logout?${new URLSearchParams(parameters)}`;
  const isSignedIn = async () => {
    const response = await visitor.get(authorizePath(app.id, { prompt: 'none' }));
    return !response.location?.includes('error=login_required');
  };
  const countNotifications = async () => {
    await service.queue.runDueJobs();
    return party.posts.length;
  };
  const confirm = (html: string) => {
    const hidden = [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const fields = hidden.map(
      ([, name, value]) => [name as string, (value as string).replaceAll('&amp;', '&')] as const,
    );
    return visitor.send('/oauth/logout/confirm', Object.fromEntries(fields));
  };

  it('oidcc-rp-initiated-logout: signs out immediately and redirects with the state', async () => {
    const state = 'a state & more';
    const response = await visitor.get(path({ id_token_hint: idToken, post_logout_redirect_uri: home, state }));
    assert.equal(response.status, 302, response.html);
    assert.equal(response.location, `${home}&state=a%20state%20%26%20more`);
    assert.equal(await isSignedIn(), false);
    assert.equal((await request(service, '/oauth/userinfo', { token: accessToken })).status, 401);
    assert.equal(await countNotifications(), 1);
  });

  it('oidcc-rp-initiated-logout-no-state: redirects to the registered URI unchanged', async () => {
    const response = await visitor.get(path({ id_token_hint: idToken, post_logout_redirect_uri: home }));
    assert.equal(response.location, home);
  });

  it('oidcc-rp-initiated-logout-no-post-logout-redirect-uri: shows that the user is signed out', async () => {
    const response = await visitor.get(path({ id_token_hint: idToken }));
    assert.equal(response.status, 200);
    assert.match(response.html, /You are signed out/);
    assert.equal(await isSignedIn(), false);
  });

  for (const [name, parameters] of [
    ['no-params', {}],
    ['only-state', { state: 'x' }],
    ['no-id-token-hint', { post_logout_redirect_uri: home, state: 'x' }],
  ] as const) {
    it(`oidcc-rp-initiated-logout-${name}: asks first, and does not redirect`, async () => {
      const asked = await visitor.get(path(parameters));
      assert.equal(asked.status, 200);
      assert.match(asked.html, /Sign out\?/);
      assert.equal(await isSignedIn(), true);
      await visitor.get(path(parameters));
      const response = await confirm(asked.html);
      assert.equal(response.status, 200);
      assert.match(response.html, /You are signed out/);
      assert.equal(await isSignedIn(), false);
      assert.equal(await countNotifications(), 1);
    });
  }

  it('asks if only client_id is given, and links to its registered URI', async () => {
    const parameters = { client_id: app.id, post_logout_redirect_uri: home, state: 'x' };
    const asked = await visitor.get(path(parameters));
    assert.match(asked.html, /an application<\/strong> asks to sign you out/);
    const response = await confirm(asked.html);
    assert.deepEqual([response.status, response.location], [200, null]);
    assert.ok(response.html.includes(`href="${home.replaceAll('&', '&amp;')}&amp;state=x"`), response.html);
    assert.equal(await isSignedIn(), false);
  });

  for (const [name, hintOf] of [
    ['modified-id-token-hint', () => `${idToken.slice(0, -6)}AAAAAA`],
    ['bad-id-token-hint', () => 'e30.e30.AAAA'],
  ] as const) {
    it(`oidcc-rp-initiated-logout-${name}: ignores the ID token`, async () => {
      const parameters = { id_token_hint: hintOf(), client_id: app.id, post_logout_redirect_uri: home };
      const asked = await visitor.get(path(parameters));
      assert.equal(asked.status, 200);
      assert.equal(await isSignedIn(), true);
      const response = await confirm(asked.html);
      assert.deepEqual([response.status, response.location], [200, null]);
    });
  }

  for (const [name, uri] of [
    ['bad-post-logout-redirect-uri', 'https://evil.example/'],
    ['query-added-to-post-logout-redirect-uri', `${home}&more=1`],
  ] as const) {
    it(`oidcc-rp-initiated-logout-${name}: shows an error page`, async () => {
      for (const [whose, value] of [
        ['id_token_hint', idToken],
        ['client_id', app.id],
      ] as const) {
        const response = await visitor.get(path({ [whose]: value, post_logout_redirect_uri: uri }));
        assert.deepEqual([response.status, response.location], [400, null]);
        assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      }
      assert.equal(await isSignedIn(), true);
    });
  }

  it('accepts an expired ID token, signed with a retired key', async () => {
    await rotateKeys(service.context, service.keys, { source: systemSource });
    service.advance(400 * 86_400_000);
    const { body } = await request<{ keys: { kid: string }[] }>(service, '/.well-known/jwks.json');
    const { kid } = JSON.parse(Buffer.from(idToken.split('.')[0] as string, 'base64url').toString()) as { kid: string };
    assert.ok(!body.keys.some((key) => key.kid === kid), 'the key of the ID token is no longer published');
    const response = await visitor.get(path({ id_token_hint: idToken, post_logout_redirect_uri: home }));
    assert.equal(response.location, home);
  });

  it('accepts POST, and redirects to GET if the cookies are missing', async () => {
    const fields = { id_token_hint: idToken, post_logout_redirect_uri: home, state: 'x' };
    const stranger = await new Visitor(service).send('/oauth/logout', fields);
    assert.equal(stranger.status, 303);
    assert.match(stranger.location ?? '', /^\/oauth\/logout\?id_token_hint=/);
    const response = await visitor.send('/oauth/logout', fields);
    assert.deepEqual([response.status, response.location], [303, `${home}&state=x`]);
    assert.equal(await isSignedIn(), false);
  });

  it('ends the session of the application when the user is no longer signed in here', async () => {
    const response = await new Visitor(service).get(path({ id_token_hint: idToken, post_logout_redirect_uri: home }));
    assert.equal(response.location, home);
    assert.equal((await request(service, '/oauth/userinfo', { token: accessToken })).status, 401);
    assert.equal(await isSignedIn(), true, 'the user is signed in in another browser');
  });

  it('asks if the ID token belongs to another user, and refuses one for another application', async () => {
    const other = (await signedIn(service)).visitor;
    const asked = await other.get(path({ id_token_hint: idToken, post_logout_redirect_uri: home }));
    assert.match(asked.html, /Sign out\?/);
    const mixed = await visitor.get(path({ id_token_hint: idToken, client_id: 'another' }));
    assert.equal(mixed.status, 400);
    const unknown = await visitor.get(path({ client_id: 'another' }));
    assert.equal(unknown.status, 400);
    assert.equal(
      (await visitor.get(path({ id_token_hint: accessToken }))).status,
      200,
      'an access token is not an ID token',
    );
    assert.equal(await isSignedIn(), true);
  });

  it('cannot be confirmed by a form of another site', async () => {
    await visitor.get(path());
    const response = await visitor.send('/oauth/logout/confirm', { _csrf: 'x' }, { origin: 'https://evil.example' });
    assert.equal(response.status, 403);
    assert.equal(await isSignedIn(), true);
  });
});
