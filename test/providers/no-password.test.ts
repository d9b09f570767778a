import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { databases, onBothEngines } from '../harness/engines.ts';
import type { UserBody } from '../harness/people.ts';
import { newcomer, pathIn } from '../harness/provider-visits.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { type Upstream, upstreams } from '../harness/upstream.ts';
import type { Visitor } from '../harness/visitor.ts';

let people = 0;
const tokenOf = (visitor: Visitor) => visitor.cookies.get('session') ?? '';

onBothEngines('A user without a password', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  const createUpstream = upstreams();
  let upstream: Upstream;
  let service: Service;
  before(async () => {
    upstream = await createUpstream();
    const database = await createDatabase();
    service = await start({ database, env: { PROVIDERS_DIR: upstream.declare(database.dir, 'acme') } });
  });
  /** A user who has just signed in with the provider. The provider does not report the time. */
  const somebody = async () => {
    const n = people++;
    upstream.person = { sub: `n${n}`, email: `n${n}@example.com`, email_verified: true, auth_time: undefined };
    return (await newcomer(service, upstream)).visitor;
  };
  const change = (token: string, json: object) =>
    request<UserBody>(service, '/v1/users/me', { method: 'PATCH', json, token });
  const proveAgain = async (visitor: Visitor) => {
    const { location } = await visitor.get('/login/with/acme/prove');
    assert.equal((await visitor.get(pathIn(await upstream.visit(location)))).status, 200);
  };

  it('changes email, username and phone with a recent proof', async () => {
    const visitor = await somebody();
    const changed = await change(tokenOf(visitor), { email: `new${people}@example.com`, username: `name${people}` });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.body.data.pending_email, `new${people}@example.com`);
    service.advance(901_000);
    const refused = await change(tokenOf(visitor), { phone: '+12133734253' });
    assert.deepEqual([refused.status, refused.body.code], [401, 'proof_too_old']);
    assert.match(refused.headers.get('www-authenticate') ?? '', /insufficient_user_authentication/);
    await proveAgain(visitor);
    assert.equal((await change(tokenOf(visitor), { phone: '+12133734253' })).status, 200);
  });

  it('gains nothing from a token that cannot be renewed, or from one with fewer scopes', async () => {
    const visitor = await somebody();
    const made = async (scopes: string[]) => {
      const json = { name: 'script', scopes };
      const { body } = await request<{ data: { access_token: string } }>(service, '/v1/tokens', {
        json,
        token: tokenOf(visitor),
      });
      return body.data.access_token;
    };
    assert.equal((await change(await made(['*']), { username: 'taken.over' })).status, 401);
    const narrow = await made(['users:read', 'users:write']);
    assert.equal((await change(narrow, { password: 'a password of mine' })).status, 401);
    assert.equal((await change(narrow, { username: 'taken.over' })).status, 403);
  });

  it('sets a first password with a recent proof, and needs the password from then on', async () => {
    const visitor = await somebody();
    const set = await change(tokenOf(visitor), { password: 'a password of mine' });
    assert.equal(set.status, 200, set.text);
    const token = await logIn(service, upstream.person.email as string, 'a password of mine');
    const refused = await change(token, { username: `other${people}` });
    assert.deepEqual([refused.status, refused.body.errors[0]?.field], [422, 'current_password']);
    const gone = await request(service, '/v1/users/me', { method: 'DELETE', token });
    assert.equal(gone.status, 422);
  });

  it('deletes their account on the settings page, which asks for a proof in place', async () => {
    const visitor = await somebody();
    const email = upstream.person.email as string;
    service.advance(901_000);
    for (const path of ['/settings', '/settings/account', '/settings/password'])
      assert.doesNotMatch((await visitor.get(path)).html, /name="current_password"/, path);
    const profile = await visitor.send('/settings', { name: '', email: `moved${people}@example.com` });
    assert.equal(profile.status, 401);
    assert.match(profile.html, /Confirm with Acme/);
    await proveAgain(visitor);
    await visitor.get('/settings/account');
    const done = await visitor.send('/settings/account/delete', {});
    assert.equal(done.location, '/account-deleted', done.html);
    const admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    const found = await request<{ data: unknown[] }>(service, `/v1/users?search=email:${email}`, { token: admin });
    assert.deepEqual(found.body.data, []);
  });
});
