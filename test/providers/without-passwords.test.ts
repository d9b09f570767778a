import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { databases, onBothEngines } from '../harness/engines.ts';
import { tokenMailed } from '../harness/mailbox.ts';
import type { UserBody } from '../harness/people.ts';
import { isSignedIn, newcomer, signInWith } from '../harness/provider-visits.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { type Upstream, upstreams } from '../harness/upstream.ts';
import { Visitor } from '../harness/visitor.ts';

onBothEngines('A service without passwords', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  const createUpstream = upstreams();
  let upstream: Upstream;
  let service: Service;
  let token: string;
  const email = 'invited@example.com';
  before(async () => {
    upstream = await createUpstream();
    const database = await createDatabase();
    const PROVIDERS_DIR = upstream.declare(database.dir, 'acme');
    // The administrator invited a user when passwords were enabled.
    const before = await start({ database, env: { PROVIDERS_DIR } });
    const admin = await logIn(before, 'admin@example.com', 'correct horse battery');
    const invited = await request(before, '/v1/invitations', { json: { email }, token: admin });
    assert.equal(invited.status, 201, invited.text);
    token = await tokenMailed(before, 'invitation', email);
    await before.close();
    service = await start({ database, env: { PROVIDERS_DIR, LOCAL_PASSWORDS: 'off', REGISTRATION: 'open' } });
  });

  it('accepts no password, and shows no field for one', async () => {
    const credentials = { email: 'admin@example.com', password: 'correct horse battery' };
    const login = await request<{ error: string }>(service, '/v1/clients/web/admin/login', { json: credentials });
    assert.deepEqual([login.status, login.body.error], [400, 'unsupported_grant_type']);
    const path = '/.well-known/oauth-authorization-server';
    const { body } = await request<{ grant_types_supported: string[] }>(service, path);
    for (const type of ['password', 'urn:gatehouse:email-code']) assert.ok(!body.grant_types_supported.includes(type));
    assert.ok(body.grant_types_supported.includes('urn:gatehouse:passkey'));
    const register = await request<UserBody>(service, '/v1/register', {
      json: { ...credentials, email: 'new@example.com' },
    });
    assert.deepEqual([register.status, register.body.code], [403, 'local_passwords_off']);
    assert.equal((await request(service, '/v1/password/resets', { json: { email: credentials.email } })).status, 202);
    upstream.person = { sub: 'nobody-knows', email: 'nobody-knows@example.com', email_verified: true };
    const { visitor } = await newcomer(service, upstream);
    assert.equal(isSignedIn(visitor), true);
    const pages = ['/login', '/register', '/settings', '/settings/sign-in', '/settings/security', '/settings/account'];
    for (const path of pages) {
      const { html, status } = await (path.startsWith('/settings') ? visitor : new Visitor(service)).get(path);
      assert.equal(status, 200, path);
      assert.doesNotMatch(html, /type="password"/, path);
    }
    for (const path of ['/settings/password', '/password/forgot'])
      assert.equal((await visitor.get(path)).status, 404, path);
  });

  it('lets users accept an invitation with the invited address, verified by the provider', async () => {
    const { html } = await new Visitor(service).get(`/invitations/${token}`);
    assert.match(html, new RegExp(`href="/login/with/acme\\?invitation=${token}"`));
    const accept = async (claims: object) => {
      upstream.person = { sub: 'invited', email, email_verified: true, ...claims };
      const visitor = new Visitor(service);
      const visit = await signInWith(visitor, upstream, `/login/with/acme?invitation=${token}`);
      return { visit, visitor };
    };
    for (const claims of [{ email_verified: false }, { email: 'other@example.com' }]) {
      const { visit, visitor } = await accept(claims);
      assert.deepEqual([visit.status, isSignedIn(visitor)], [403, false]);
    }
    await new Visitor(service).get(`/login/with/acme?invitation=${token}`);
    const [attempt] = await service.context.database.db.selectFrom('provider_attempts').selectAll().execute();
    assert.ok(attempt && !JSON.stringify(attempt).includes(token), 'the invitation token is not stored');
    assert.equal((await new Visitor(service).get(`/login/with/acme?invitation=${attempt.invitation}`)).status, 404);
    const { visit, visitor } = await accept({});
    assert.deepEqual([visit.location, isSignedIn(visitor)], ['/settings', true]);
    const me = await request<UserBody>(service, '/v1/users/me', { token: visitor.cookies.get('session') ?? '' });
    assert.deepEqual([me.body.data.email, me.body.data.email_confirmed], [email, true]);
  });
});
