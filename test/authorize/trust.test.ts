import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import {
  authorizationResponseIn,
  authorizePath,
  codeFor,
  formOf,
  press,
  redeem,
  signedIn,
} from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { addOwner, rowOf, rowsOf } from '../harness/owners.ts';
import { type JsonResponse, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const stale = 901_000;

onBothEngines('An application that a user signed in to', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });

  const requestAs = (method: string, path: string, token: string, json?: unknown): Promise<JsonResponse> =>
    request(service, path, { method, token, ...(json === undefined ? {} : { json }) });

  async function tokenOf(person: Awaited<ReturnType<typeof signedIn>>, scope: string, of: object = {}) {
    const application = await addApplication(service, { scopes: ['*', 'admin', 'openid', 'offline_access'], ...of });
    const code = await codeFor(person.visitor, application.id, { scope });
    const { body } = await redeem(service, application, code);
    return { application, token: body.access_token, granted: body.scope ?? scope };
  }

  for (const trusted of [false, true]) {
    it(`never has the user's roles, not even with the scope *${trusted ? ', even if it is trusted' : ''}`, async () => {
      const admin = await signedIn(service, { roles: ['admin'] });
      const victim = await addOwner(service);
      const { token } = await tokenOf(admin, '*', { trusted });
      const seen = rowsOf(await requestAs('GET', '/v1/users', token));
      assert.deepEqual(
        seen.map(({ id }) => id),
        [admin.id],
        "only the user's own row",
      );
      assert.equal((await requestAs('DELETE', `/v1/users/${victim.id}`, token)).status, 404);
      const clients = rowsOf(await requestAs('GET', '/v1/clients', token));
      assert.deepEqual(clients, []);
    });
  }

  it('has the roles with the scope admin, which is shown separately and asked for each time', async () => {
    const admin = await signedIn(service, { roles: ['admin'] });
    const victim = await addOwner(service);
    const { application, token, granted } = await tokenOf(admin, 'openid * admin', { trusted: true });
    assert.ok(granted.split(' ').includes('admin'));
    assert.equal((await requestAs('GET', `/v1/users/${victim.id}`, token)).status, 200);
    const again = await admin.visitor.get(authorizePath(application.id, { scope: 'openid * admin' }));
    assert.equal(again.status, 200, 'the consent page appears');
    assert.match(again.html, /<fieldset[^>]*>\s*<legend>[^<]*administrator[\s\S]*everything of everybody/);
    const without = await press(admin.visitor, again, 'allow', { without: ['admin'] });
    const { body } = await redeem(service, application, authorizationResponseIn(without).code as string);
    assert.equal((await requestAs('GET', `/v1/users/${victim.id}`, body.access_token)).status, 404);
    const silent = await admin.visitor.get(authorizePath(application.id, { scope: 'openid admin', prompt: 'none' }));
    assert.match(String(authorizationResponseIn(silent).error), /_required$/);
    service.advance(stale);
    const later = await admin.visitor.get(authorizePath(application.id, { scope: 'openid * admin' }));
    assert.match(String(later.location), /\/login\?next=/, 'a recent sign-in is required');
  });

  for (const parameters of [{ scope: 'openid admin' }, { scope: 'openid', prompt: 'login' }]) {
    it(`does not get ${JSON.stringify(parameters)} by a request that is older than the last sign-in`, async () => {
      const trusted = !parameters.scope.includes('admin');
      const application = await addApplication(service, { scopes: ['openid', 'admin'], trusted });
      const anonymous = await new Visitor(service).get(authorizePath(application.id, parameters));
      const next = new URLSearchParams(anonymous.location?.split('?')[1]).get('next') as string;
      service.advance(1000);
      const { visitor } = await signedIn(service, { roles: ['admin'] });
      const isAllowed = async () => (await visitor.get(next)).location?.startsWith('/login') !== true;
      assert.ok(await isAllowed(), 'a user who has just signed in is not sent to the login page again');
      service.advance(stale);
      assert.ok(!(await isAllowed()), 'an earlier sign-in is too old');
    });
  }

  it('does not get the scope admin from a user without a role', async () => {
    const user = await signedIn(service);
    const application = await addApplication(service, { scopes: ['*', 'admin', 'openid'] });
    const page = await user.visitor.get(authorizePath(application.id, { scope: 'openid * admin' }));
    assert.equal(page.status, 200);
    assert.ok(!page.html.includes('scope:admin'));
    const { body } = await redeem(
      service,
      application,
      authorizationResponseIn(await press(user.visitor, page, 'allow')).code as string,
    );
    assert.equal(body.scope, 'openid *');
  });

  it('gets the scope admin in its registration only from administrators', async () => {
    const [user, admin] = [await addOwner(service), await addOwner(service, ['admin'])];
    const made = {
      name: 'Mine',
      type: 'application',
      redirect_uris: ['https://a.example/'],
      scopes: ['openid', 'admin'],
    };
    assert.equal((await requestAs('POST', '/v1/clients', user.token, made)).status, 422);
    assert.equal((await requestAs('POST', '/v1/clients', admin.token, made)).status, 201);
    assert.equal((await requestAs('POST', '/v1/tokens', admin.token, { name: 'T', scopes: ['admin'] })).status, 422);
  });

  it('does not get the scope admin without a user', async () => {
    const { id, secret } = await addApplication(service, { scopes: ['users:read', 'admin'] });
    const askFor = (more: Record<string, string>) => {
      const form = { grant_type: 'client_credentials', client_id: id, client_secret: String(secret), ...more };
      return request<{ access_token: string; error: string }>(service, '/oauth/token', { form });
    };
    for (const scope of ['admin', 'users:read admin']) {
      const { status, body } = await askFor({ scope });
      assert.deepEqual([status, body.error], [400, 'invalid_scope'], scope);
    }
    const { access_token } = (await askFor({})).body;
    const form = { token: access_token, client_id: id, client_secret: String(secret) };
    assert.equal((await request(service, '/oauth/introspect', { form })).body.scope, 'users:read');
  });

  it('cannot open pages with its token, and neither can a personal access token', async () => {
    const person = await signedIn(service);
    const { token } = await tokenOf(person, '*');
    const owner = await addOwner(service);
    const personal = rowOf(await requestAs('POST', '/v1/tokens', owner.token, { name: 'T' })).access_token;
    for (const session of [token, String(personal)]) {
      for (const path of ['/settings', '/settings/account', '/device', '/admin']) {
        const { status, headers } = await request(service, path, {
          headers: { cookie: `session=${session}`, accept: 'text/html' },
        });
        assert.deepEqual([status, headers.get('location')?.startsWith('/login')], [302, true], path);
      }
    }
    const own = await request(service, '/settings', {
      headers: { cookie: `session=${owner.token}`, accept: 'text/html' },
    });
    assert.equal(own.status, 200, 'the session of a sign-in can');
  });

  it('cannot create or change anything that would outlive the consent', async () => {
    const person = await signedIn(service);
    const mine = await addApplication(service, { userId: person.id, redirect_uris: ['https://mine.example/'] });
    for (const trusted of [false, true]) {
      const { token } = await tokenOf(person, '*', { trusted });
      const attempts: [string, string, object][] = [
        ['PATCH', `/v1/clients/${mine.id}`, { redirect_uris: ['https://mine.example/', 'https://evil.example/'] }],
        ['POST', '/v1/clients', { name: 'New' }],
        ['POST', `/v1/clients/${mine.id}/secrets`, {}],
        ['POST', '/v1/tokens', { name: 'New' }],
      ];
      for (const [method, path, body] of attempts) {
        const { status } = await requestAs(method, path, token, { ...body, current_password: password });
        assert.equal(status, 403, `${method} ${path}`);
      }
    }
  });

  for (const uri of ['http://127.0.0.1:9999/callback', 'com.example.app:/callback']) {
    it(`asks for consent each time if it is native: ${uri}`, async () => {
      const person = await signedIn(service);
      const native = { public: true, redirect_uris: [uri], trusted: true };
      const application = await addApplication(service, { scopes: ['openid'], ...native });
      const asked = { scope: 'openid', redirect_uri: uri };
      for (let i = 0; i < 2; i++) {
        const page = await person.visitor.get(authorizePath(application.id, asked));
        assert.equal(page.status, 200);
        assert.ok(formOf(page).request);
        assert.ok(authorizationResponseIn(await press(person.visitor, page, 'allow')).code);
      }
      const silent = await person.visitor.get(authorizePath(application.id, { ...asked, prompt: 'none' }));
      assert.equal(authorizationResponseIn(silent).error, 'interaction_required');
    });
  }

  it('gets no redirect after a logout without an ID token', async () => {
    const uri = 'https://app.example/bye';
    const { id } = await addApplication(service, { post_logout_redirect_uris: [uri] });
    const path = `/oauth/logout?${new URLSearchParams({ client_id: id, post_logout_redirect_uri: uri })}`;
    const nobody = await request(service, path, { headers: { accept: 'text/html' } });
    assert.deepEqual([nobody.status, nobody.headers.get('location')], [200, null]);
    assert.match(nobody.text, new RegExp(`href="${uri}"`));
    const { visitor } = await signedIn(service);
    const page = await visitor.get(path);
    const done = await visitor.send('/oauth/logout/confirm', formOf(page));
    assert.deepEqual([done.status, done.location], [200, null]);
    assert.match(done.html, new RegExp(`href="${uri}"`));
  });
});
