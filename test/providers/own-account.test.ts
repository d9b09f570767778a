import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addApplication } from '../harness/applications.ts';
import { codeFor, redeem } from '../harness/authorizing.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { password, registerUser, type UserBody } from '../harness/people.ts';
import { newcomer } from '../harness/provider-visits.ts';
import { type JsonResponse, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { type Upstream, upstreams } from '../harness/upstream.ts';
import type { Visitor } from '../harness/visitor.ts';

onBothEngines('The account of a user without a password', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  const createUpstream = upstreams();
  let upstream: Upstream;
  let service: Service;
  let token: string;
  let old: { token: string };
  before(async () => {
    upstream = await createUpstream();
    const database = await createDatabase();
    const env = { PROVIDERS_DIR: upstream.declare(database.dir, 'acme', '') };
    const before = await start({ database, env });
    old = await registerUser(before);
    await before.close();
    service = await start({ database, env: { ...env, LOCAL_PASSWORDS: 'off' } });
  });

  let people = 0;
  async function arrive(): Promise<Visitor> {
    const n = people++;
    const auth_time = Math.floor(service.context.now() / 1000);
    upstream.person = { sub: `own-${n}`, email: `own${n}@example.com`, email_verified: true, auth_time };
    const { visitor } = await newcomer(service, upstream);
    token = visitor.cookies.get('session') ?? '';
    return visitor;
  }
  const change = (method: string, json: object, by = token): Promise<JsonResponse<UserBody>> =>
    request<UserBody>(service, '/v1/users/me', { method, json, token: by });

  it('does not accept a password as proof, not even an earlier one', async () => {
    service.advance(901_000);
    const json = { name: 'CI', current_password: password };
    const made = await request(service, '/v1/tokens', { json, token: old.token });
    const deleted = await change('DELETE', { current_password: password }, old.token);
    for (const { status, body } of [made, deleted]) assert.deepEqual([status, body.code], [401, 'proof_too_old']);
  });

  it('is changed and deleted only with a recent proof', async () => {
    const visitor = await arrive();
    const app = await addApplication(service, { scopes: ['openid', '*'] });
    const { body } = await redeem(service, app, await codeFor(visitor, app.id, { scope: 'openid *' }));
    for (const method of ['PATCH', 'DELETE']) {
      const json = method === 'PATCH' ? { email: 'attacker@example.com' } : {};
      assert.equal((await change(method, json, body.access_token)).status, 403, 'an application is not the user');
    }
    const email = await change('PATCH', { email: 'next@example.com' });
    assert.deepEqual([email.status, email.body.data?.pending_email], [200, 'next@example.com'], email.text);
    service.advance(901_000);
    for (const method of ['PATCH', 'DELETE']) {
      const refused = await change(method, method === 'PATCH' ? { email: 'other@example.com' } : {});
      assert.deepEqual([refused.status, refused.body.code], [401, 'proof_too_old'], refused.text);
    }
  });
});
