import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { insertIdentity } from '../../extensions/providers/sign-in/identity-store.ts';
import { commitAndInvalidate } from '../../src/database/bus.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { issuePersonalToken } from '../../src/oauth/sessions/personal-tokens/personal-tokens.ts';
import { addClient, addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { addApp, addPasskey } from '../harness/factors.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { openSession } from '../harness/sessions.ts';
import { signToken } from '../harness/sign-token.ts';
import { Visitor } from '../harness/visitor.ts';

onBothEngines('The settings', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });

  async function signedIn(roles: string[] = []) {
    const user = await addLogin(service, { roles });
    const visitor = new Visitor(service);
    await visitor.signIn(user.email, password);
    await visitor.get('/settings');
    return { visitor, ...user };
  }
  const signIn = (userId: string) => openSession(service, { userId, scopes: ['*'], source: systemSource });
  const worksAt = async (token: string) => {
    const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
    return (await fetch(`${service.url}/v1/users/me`, { headers })).status === 200;
  };

  it('sign out all other sessions, and keep access tokens', async () => {
    const { visitor, id } = await signedIn();
    const { database } = service.context;
    const others = await Promise.all(Array.from({ length: 120 }, () => signIn(id)));
    const kept = await issuePersonalToken(database, service.sessions, { userId: id, name: 'kept', scopes: ['*'] });
    const response = await visitor.send('/settings/sessions/end-others', {});
    assert.equal(response.location, '/settings/sessions?done=others-ended');
    for (const other of others) assert.equal(await worksAt(signToken(service.sessions, other)), false);
    assert.equal(await worksAt(signToken(service.sessions, kept)), true);
    assert.match((await visitor.get('/settings/sessions')).html, /You are signed in nowhere else/);
  });

  it('list sessions by browser, and end those of one browser', async () => {
    const { visitor, id } = await signedIn();
    const from = (userAgent: string) =>
      openSession(service, { userId: id, scopes: ['*'], source: { ...systemSource, userAgent } });
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const safari =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
    const ofFirefox = [await from(firefox), await from(firefox), await from(firefox)];
    const phone = await from(safari);
    const { html } = await visitor.get('/settings/sessions');
    assert.equal([...html.matchAll(/<h2>/g)].length, 3, 'this browser, Firefox and the phone');
    assert.match(html, /3 sessions/);
    const group = /name="group" value="([^"]*Firefox[^"]*)"/.exec(html)?.[1]?.replaceAll('&#34;', '"') as string;
    const response = await visitor.send('/settings/sessions/end-group', { group: group.replaceAll('&quot;', '"') });
    assert.equal(response.location, '/settings/sessions?done=session-ended');
    for (const ended of ofFirefox) assert.equal(await worksAt(signToken(service.sessions, ended)), false);
    assert.equal(await worksAt(signToken(service.sessions, phone)), true);
    assert.equal((await visitor.send('/settings/sessions/end-group', { group: 'none such' })).status, 303);
  });

  it('give a new access token no scopes by default', async () => {
    const { visitor } = await signedIn();
    const { html } = await visitor.get('/settings/tokens/new');
    assert.doesNotMatch(html, /id="access-all"[^>]*checked/);
    assert.doesNotMatch(html, /type="checkbox"[^>]*checked/);
    const refused = await visitor.send('/settings/tokens', { name: 'Script', days: '7', access: 'some' });
    assert.equal(refused.status, 422);
    const fields = { name: 'Script', days: '7', access: 'some', 'scope:users:read': 'on' };
    const made = await visitor.send('/settings/tokens', fields);
    assert.equal(made.status, 200);
    assert.match(made.html, /curl [^<]*\/v1\/users\/me/);
  });

  it('change nothing of other users, not even for an administrator', async () => {
    const victim = await addLogin(service);
    const session = await signIn(victim.id);
    const client = await addClient(service, { userId: victim.id });
    const token = await logIn(service, victim.email, password);
    await addPasskey(service, { token });
    const { app } = await addApp(service, { token });
    const { visitor } = await signedIn();
    for (const path of [`/settings/sessions/${session.id}/end`, `/settings/tokens/${session.id}/revoke`]) {
      assert.equal((await visitor.send(path, {})).status, 303);
    }
    assert.equal(await worksAt(signToken(service.sessions, session)), true);
    assert.equal((await visitor.get(`/settings/applications/${client.id}`)).status, 404);
    assert.equal((await visitor.send(`/settings/applications/${client.id}/secret`, { hours: '0' })).status, 404);
    await visitor.send(`/settings/applications/${client.id}/remove`, {});
    assert.ok(await service.clients.find(client.id));

    const administrator = await signedIn(['admin']);
    const rowsOf = async (resource: string) => {
      const { body } = await request<{ data: { id: string }[] }>(service, `/v1/${resource}`, { token });
      return body.data.map(({ id }) => id);
    };
    const identity = { provider: 'acme', issuer: 'https://acme.example', subject: 'x', email: null };
    const link = { userId: victim.id, now: service.context.now() };
    await commitAndInvalidate(service.context.database, (tx) => insertIdentity(tx, identity, link));
    const [passkeys, identities] = [await rowsOf('passkeys'), await rowsOf('identities')];
    for (const path of ['sessions', 'applications', 'tokens', 'security', 'sign-in', 'connections']) {
      const { html } = await administrator.visitor.get(`/settings/${path}`);
      for (const id of [session.id, client.id, app.id, ...passkeys, ...identities]) assert.ok(!html.includes(id), path);
    }
    assert.equal((await administrator.visitor.get(`/settings/applications/${client.id}`)).status, 404);
    for (const path of [
      ...[`sessions/${session.id}/end`, `tokens/${session.id}/revoke`, `security/authenticators/${app.id}/remove`],
      ...passkeys.map((id) => `security/passkeys/${id}/remove`),
      ...identities.map((id) => `sign-in/${id}/remove`),
      ...['', '/sign-in', '/secret', '/remove'].map((end) => `applications/${client.id}${end}`),
    ]) {
      const form = { name: 'Mine', access: 'all', hours: '0' };
      const { status } = await administrator.visitor.send(`/settings/${path}`, form);
      assert.equal(status, 404, path);
    }
    assert.equal(await worksAt(signToken(service.sessions, session)), true);
    assert.equal((await service.clients.find(client.id))?.name, 'a client');
    const left = [await rowsOf('authenticators'), await rowsOf('passkeys'), await rowsOf('identities')];
    assert.deepEqual(left, [[app.id], passkeys, identities]);
  });

  it('show a token once, and explain that the second time', async () => {
    const { visitor, id } = await signedIn();
    const { database } = service.context;
    const token = await issuePersonalToken(database, service.sessions, {
      userId: id,
      name: 'First token',
      scopes: ['*'],
    });
    const shown = await visitor.send(`/settings/tokens/${token.id}/reveal`, {});
    assert.equal(shown.status, 200);
    assert.equal(shown.headers.get('cache-control'), 'no-store');
    const value = /id="access-token"[^>]*>([^<]+)</.exec(shown.html)?.[1] as string;
    assert.equal(await worksAt(value), true);
    const again = await visitor.send(`/settings/tokens/${token.id}/reveal`, {});
    assert.equal(again.location, '/settings/tokens?done=token-collected');
    const { html } = await visitor.get(again.location);
    assert.match(html, /cannot be shown again/);
    assert.ok(!html.includes(value));
  });

  it('say how long to wait when the page or a request that it needs exceeds the limit', async () => {
    const limited = await start({ env: { RATE_LIMIT: '20' } });
    const visitor = new Visitor(limited);
    await visitor.signIn('admin@example.com', 'correct horse battery');
    // This page takes two requests. An odd number of earlier ones makes the second exceed the limit.
    for (const earlier of [0, 1]) {
      limited.advance(60_000);
      for (let i = 0; i < earlier; i++) await visitor.get('/settings');
      let page = await visitor.get('/settings/sessions');
      while (page.status === 200) page = await visitor.get('/settings/sessions');
      assert.equal(page.status, 429);
      assert.ok(Number(page.headers.get('retry-after')) > 0);
    }
  });

  it('show errors at the fields, and keep typed and ticked values', async () => {
    const { visitor } = await signedIn();
    const chosen = { access: 'some', 'scope:users:read': 'on' };
    const nameless = await visitor.send('/settings/applications', { name: ' ', ...chosen });
    assert.equal(nameless.status, 422);
    assert.match(nameless.html, /id="name-error"/);
    assert.match(nameless.html, /name="scope:users:read"[^>]* checked/);
    const none = await visitor.send('/settings/applications', { name: 'Importer', access: 'some' });
    assert.match(none.html, /id="scopes-error"/);
    assert.match(none.html, /value="Importer"/);
    const unknown = await visitor.send('/settings/tokens', {
      name: 'x',
      days: '7',
      access: 'some',
      'scope:ufos:read': 'on',
    });
    assert.equal(unknown.status, 422);
    assert.match(unknown.html, /id="scopes-error">/);
    const forever = await visitor.send('/settings/tokens', { name: 'x', days: '99999999', access: 'all' });
    assert.match(forever.html, /id="days-error"/);
    const long = await visitor.send('/settings/tokens', { name: 'x'.repeat(101), days: '7', access: 'all' });
    assert.match(long.html, /id="name-error"/);
    const other = await addLogin(service);
    const taken = await visitor.send('/settings', {
      name: 'Me',
      email: other.email,
      current_password: password,
    });
    assert.equal(taken.status, 422);
    assert.match(taken.html, /id="email-error"/);
    assert.match(taken.html, /value="Me"/);
    const strange = await visitor.send('/settings/applications/none/secret', { hours: '-1' });
    assert.equal(strange.status, 404);
  });

  it('change the password only with the old password, and keep only this session', async () => {
    const { visitor, id, email } = await signedIn();
    const other = signToken(service.sessions, await signIn(id));
    const wrong = await visitor.send('/settings/password', {
      current_password: 'x',
      password: 'quite another password',
    });
    assert.match(wrong.html, /id="current_password-error"/);
    assert.doesNotMatch(wrong.html, /quite another/);
    const weak = await visitor.send('/settings/password', { current_password: password, password: 'short' });
    assert.match(weak.html, /id="password-error"/);
    assert.equal(await worksAt(other), true);
    const done = await visitor.send('/settings/password', {
      current_password: password,
      password: 'quite another password',
    });
    assert.equal(done.location, '/settings/password?done=password-changed');
    assert.equal((await visitor.get('/settings')).status, 200);
    assert.equal(await worksAt(other), false);
    assert.equal((await new Visitor(service).signIn(email, 'quite another password')).status, 303);
  });
});
