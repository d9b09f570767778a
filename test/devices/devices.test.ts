import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import * as openid from 'openid-client';
import { addClient } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type Person, password, personalToken, registerUser } from '../harness/people.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

interface Codes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
  readonly error: string;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly error: string;
}

onBothEngines('The device flow', (engine) => {
  const start = services(engine);
  let service: Service;
  let ada: Person;
  let tv: { id: string };
  before(async () => {
    service = await start();
    ada = await registerUser(service);
    const scopes = ['openid', 'offline_access', 'users:read'];
    tv = await addApplication(service, { name: 'Television', public: true, scopes });
  });

  const begin = async (scope = 'openid offline_access users:read', client = tv.id) =>
    (await request<Codes>(service, '/oauth/device_authorization', { form: { client_id: client, scope } })).body;
  const poll = (device_code: string, client_id = tv.id) =>
    request<Tokens>(service, '/oauth/token', { form: { grant_type: grantType, device_code, client_id } });
  const signedIn = async (email = ada.email): Promise<Visitor> => {
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    return visitor;
  };
  /** The scopes that the page preselects. */
  const ticked = { 'scope:offline_access': 'on', 'scope:users:read': 'on' };
  const decide = async (visitor: Visitor, user_code: string, decision: string) => {
    await visitor.get('/device');
    return visitor.send('/device/decision', { user_code, decision, ...ticked });
  };

  it('gives tokens to a published client after the user has allowed it', async () => {
    const server = new URL(service.context.config.baseUrl);
    const options = { algorithm: 'oauth2' as const, execute: [openid.allowInsecureRequests] };
    const config = await openid.discovery(server, tv.id, undefined, openid.None(), options);
    const codes = await openid.initiateDeviceAuthorization(config, { scope: 'openid offline_access users:read' });
    assert.match(codes.user_code, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    assert.equal(codes.verification_uri, `${server.origin}/device`);

    const visitor = new Visitor(service);
    const link = new URL(codes.verification_uri_complete as string);
    const away = await visitor.get(link.pathname + link.search);
    assert.deepEqual([away.status, away.location?.startsWith('/login?next=')], [302, true]);
    const back = await visitor.signIn(ada.email, password, link.pathname + link.search);
    const page = await visitor.get(back.location as string);
    assert.match(page.html, new RegExp(`value="${codes.user_code}"`), 'the code is filled in');
    const confirm = await visitor.send('/device', { user_code: codes.user_code });
    assert.match(confirm.html, /Connect <span[^>]*>Television<\/span>\?/);
    assert.match(confirm.html, /<h1>A computer elsewhere gets access to your account<\/h1>/);
    assert.match(confirm.html, /Did you start this yourself/);
    assert.match(confirm.html, new RegExp(codes.user_code));
    assert.equal((await poll(codes.device_code)).body.error, 'authorization_pending', 'a visit is no decision');
    const done = await visitor.send('/device/decision', { user_code: codes.user_code, decision: 'allow', ...ticked });
    assert.deepEqual([done.status, done.location], [303, '/device/done?decision=allowed']);
    assert.match((await visitor.get(done.location as string)).html, /The device is connected/);

    const { body: tokens } = await poll(codes.device_code);
    const me = await request<{ data: { id: string } }>(service, `/v1/users/${ada.id}`, { token: tokens.access_token });
    assert.deepEqual([me.status, me.body.data.id], [200, ada.id]);
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token as string);
    assert.ok(refreshed.access_token);
    assert.equal((await poll(codes.device_code)).body.error, 'invalid_grant', 'the code works once');
    const later = service.context.config.refreshTokenTtl * 1000 - 60_000;
    const session = JSON.parse(Buffer.from(refreshed.access_token.split('.')[1] as string, 'base64url').toString()) as {
      sid: string;
    };
    const { body } = await request<{ data: { expires_at: string } }>(service, `/v1/tokens/${session.sid}`, {
      token: ada.token,
    });
    assert.ok(Date.parse(body.data.expires_at) - service.context.now() > later, 'the session begins now');
  });

  it('shows the user who registered the application', async () => {
    const mallory = await registerUser(service);
    const lure = await addApplication(service, { name: 'Gatehouse Setup', public: true, userId: mallory.id });
    const visitor = await signedIn();
    const shownFor = async (client: string) => {
      await visitor.get('/device');
      return (await visitor.send('/device', { user_code: (await begin('openid', client)).user_code })).html;
    };
    assert.match(await shownFor(lure.id), /has not verified this application[\s\S]*registered by/);
    assert.doesNotMatch(await shownFor(tv.id), /has not verified this application/);
  });

  it('accepts the code in any case, with or without its dash', async () => {
    const visitor = await signedIn();
    for (const write of [
      (code: string) => code.toLowerCase().replace('-', ''),
      (code: string) => ` ${code.replace('-', ' ')} `,
    ]) {
      const { user_code, device_code } = await begin();
      await visitor.get('/device');
      assert.match(
        (await visitor.send('/device', { user_code: write(user_code) })).html,
        /Connect <span[^>]*>Television/,
      );
      assert.equal((await decide(visitor, write(user_code), 'allow')).status, 303);
      assert.equal((await poll(device_code)).status, 200);
    }
  });

  it('responds slow_down to early polls, and adds five seconds each time', async () => {
    const { device_code, interval } = await begin();
    const next = async (seconds: number) => {
      service.advance(seconds * 1000);
      return (await poll(device_code)).body.error;
    };
    assert.equal(interval, 5);
    assert.equal(await next(0), 'authorization_pending');
    assert.equal(await next(5), 'authorization_pending');
    assert.equal(await next(1), 'slow_down');
    assert.equal(await next(6), 'slow_down', 'the interval is ten seconds');
    assert.equal(await next(15), 'authorization_pending', 'the interval is fifteen seconds');
  });

  it('reports that a code was refused, has expired, or belongs to another client', async () => {
    const visitor = await signedIn();
    const refused = await begin();
    assert.equal((await decide(visitor, refused.user_code, 'deny')).location, '/device/done?decision=refused');
    assert.equal((await poll(refused.device_code)).body.error, 'access_denied');
    const twice = await decide(visitor, refused.user_code, 'allow');
    assert.equal(twice.location, '/device/done?decision=refused', 'a second click shows the first decision');
    const both = await begin();
    await visitor.get('/device');
    const press = () => visitor.send('/device/decision', { user_code: both.user_code, decision: 'allow', ...ticked });
    const clicks = await Promise.all([press(), press()]);
    assert.deepEqual(
      clicks.map(({ location }) => location),
      ['/device/done?decision=allowed', '/device/done?decision=allowed'],
    );

    const other = await addApplication(service, { public: true });
    const foreign = await begin();
    assert.equal((await poll(foreign.device_code, other.id)).body.error, 'invalid_grant');
    assert.equal((await poll('made-up')).body.error, 'invalid_grant');

    const late = await begin();
    await decide(visitor, late.user_code, 'allow');
    const unseen = await begin();
    service.advance(late.expires_in * 1000);
    assert.equal((await poll(late.device_code)).body.error, 'expired_token', 'the code was allowed but not redeemed');
    assert.equal((await poll(unseen.device_code)).body.error, 'expired_token');
    const again = await signedIn();
    assert.equal((await decide(again, unseen.user_code, 'allow')).status, 422);
  });

  it('gives no tokens if the session, the user or the client ended before the device polled', async () => {
    const bob = await registerUser(service);
    const visitor = await signedIn(bob.email);
    const ended = await begin();
    await decide(visitor, ended.user_code, 'allow');
    await visitor.get('/settings/sessions');
    await visitor.send('/settings/sessions/end-others', {});
    assert.equal((await poll(ended.device_code)).body.error, 'access_denied');

    const left = await begin();
    await decide(visitor, left.user_code, 'allow');
    await visitor.send('/logout', {});
    assert.equal((await poll(left.device_code)).status, 200, 'a sign-out in the browser keeps the consent');

    const removed = await addApplication(service, { public: true });
    const gone = await begin('openid', removed.id);
    await service.context.database.db.deleteFrom('clients').where('id', '=', removed.id).execute();
    assert.equal((await poll(gone.device_code)).body.error, 'invalid_grant');
  });

  it('gives the ticked scopes, stores a consent, and ends when the consent is withdrawn', async () => {
    const cleo = await registerUser(service);
    const visitor = await signedIn(cleo.email);
    const { user_code, device_code } = await begin('users:read offline_access');
    await visitor.get('/device');
    const empty = await visitor.send('/device/decision', { user_code, decision: 'allow' });
    assert.deepEqual([empty.status, /Tick at least one/.test(empty.html)], [422, true]);
    await visitor.send('/device/decision', { user_code, decision: 'allow', 'scope:users:read': 'on' });
    const { body: tokens } = await poll(device_code);
    assert.deepEqual([(tokens as { scope?: string }).scope, tokens.refresh_token], ['users:read', undefined]);
    const consents = await request<{ data: { id: string; client_id: string; scopes: string[] }[] }>(
      service,
      '/v1/consents',
      {
        token: cleo.token,
      },
    );
    assert.deepEqual(
      consents.body.data.map(({ client_id, scopes }) => [client_id, scopes]),
      [[tv.id, ['users:read']]],
    );
    const path = `/v1/consents/${consents.body.data[0]?.id}`;
    assert.equal((await request(service, path, { method: 'DELETE', token: cleo.token })).status, 204);
    assert.equal((await request(service, `/v1/users/${cleo.id}`, { token: tokens.access_token })).status, 401);
  });

  it('accepts one of two concurrent decisions, and gives tokens to one of several polls', async () => {
    const { user_code, device_code } = await begin();
    const bob = await registerUser(service);
    const visitors = [await signedIn(), await signedIn(bob.email)];
    const decided = await Promise.all(visitors.map((visitor) => decide(visitor, user_code, 'allow')));
    assert.equal(decided.filter(({ status }) => status === 303).length, 1);
    const polls = await Promise.all([poll(device_code), poll(device_code), poll(device_code)]);
    assert.deepEqual(polls.map(({ status }) => status).sort(), [200, 400, 400]);
  });

  it('authenticates confidential clients, and refuses other client types and other scopes', async () => {
    const secret = await addApplication(service, { scopes: ['openid'] });
    const begunBy = (form: Record<string, string>) => request<Codes>(service, '/oauth/device_authorization', { form });
    assert.equal((await begunBy({ client_id: secret.id })).body.error, 'invalid_client');
    const good = { client_id: secret.id, client_secret: secret.secret as string };
    const { body: codes } = await begunBy(good);
    assert.equal((await poll(codes.device_code, secret.id)).body.error, 'invalid_client');
    await decide(await signedIn(), codes.user_code, 'allow');
    const tokens = await request<Tokens>(service, '/oauth/token', {
      form: { grant_type: grantType, device_code: codes.device_code, ...good },
    });
    assert.deepEqual([tokens.status, tokens.body.refresh_token], [200, undefined], 'without offline_access');
    assert.equal((await begunBy({ ...good, scope: 'users:read' })).body.error, 'invalid_scope');
    const personal = await addClient(service);
    const other = await begunBy({ client_id: personal.id, client_secret: personal.secret });
    assert.equal(other.body.error, 'unauthorized_client');
  });

  it('accepts no decision from a form of another site or with a token of fewer scopes', async () => {
    const { user_code, device_code } = await begin();
    const visitor = await signedIn();
    await visitor.get('/device');
    const forged = await visitor.send('/device/decision', { user_code, decision: 'allow', _csrf: 'made up' });
    assert.equal(forged.status, 403);
    const narrow = new Visitor(service);
    await narrow.signIn(ada.email, password);
    for (const [name, value] of narrow.cookies) {
      if (value.split('.').length === 3 && value.startsWith('ey'))
        narrow.cookies.set(name, await personalToken(service, ada.token, ['users:read'], password));
    }
    // A renewed session would open a second session of the sign-in itself.
    narrow.cookies.delete('renewal');
    assert.equal((await decide(narrow, user_code, 'allow')).status, 302, 'redirected to the login page');
    assert.equal((await poll(device_code)).body.error, 'authorization_pending');
  });

  describe('against guessing', () => {
    it('blocks a user after a few wrong codes, from any network', async () => {
      const eve = await registerUser(service);
      const visitor = await signedIn(eve.email);
      await visitor.get('/device');
      const guess = async (user_code: string) => (await visitor.send('/device', { user_code })).status;
      const { user_code } = await begin();
      for (let i = 0; i < 9; i++) assert.equal(await guess('BBBB-BBBB'), 422);
      assert.equal(await guess(user_code), 200, 'a right code is not counted');
      assert.equal(await guess('nonsense'), 422);
      assert.equal(await guess(user_code), 429);
      assert.equal((await visitor.send('/device/decision', { user_code, decision: 'allow' })).status, 429);
      service.advance(16 * 60_000);
      const fresh = await begin();
      const again = await signedIn(eve.email);
      await again.get('/device');
      assert.equal((await again.send('/device', { user_code: fresh.user_code })).status, 200);
    });

    it('stores no device code in clear text', async () => {
      const { device_code } = await begin();
      const rows = await service.context.database.db.selectFrom('device_authorizations').selectAll().execute();
      assert.ok(rows.length > 0);
      assert.doesNotMatch(JSON.stringify(rows), new RegExp(device_code));
    });

    it('limits the codes of one network, so that the table cannot be filled', async () => {
      service.advance(16 * 60_000);
      const statuses = new Set<number>();
      for (let i = 0; i < 70; i++) {
        statuses.add((await request(service, '/oauth/device_authorization', { form: { client_id: tv.id } })).status);
      }
      assert.deepEqual([...statuses], [200, 429]);
    });
  });
});
