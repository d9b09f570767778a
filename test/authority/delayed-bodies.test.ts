import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { commitAndInvalidate } from '../../src/database/bus.ts';
import { removeClient } from '../../src/oauth/clients/client-store.ts';
import { contentOf } from '../harness/content.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type HeldRequest, holdBack } from '../harness/raw-http.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { env, type Person, signedIn } from './people.ts';
import { type Write, writes } from './writes.ts';

const hold = (service: Service, { token }: Person, { method, path, json, headers }: Write): Promise<HeldRequest> =>
  holdBack(service.url, {
    method,
    path,
    body: JSON.stringify(json),
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      ...headers,
    },
  });

onBothEngines('A request whose body arrives later than its headers', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: Person;
  before(async () => {
    service = await start({ env });
    admin = await signedIn(service);
  });

  const everything = async () => {
    const tables = await Promise.all(
      ['owners', 'cars', 'drivers', 'assignments', 'idempotency_keys'].map((table) =>
        service.context.database.db
          .selectFrom(table as 'roles')
          .selectAll()
          .orderBy('id')
          .execute(),
      ),
    );
    return JSON.stringify([await contentOf(service), tables]);
  };
  const logOut = async ({ token }: Person) => {
    assert.equal((await request(service, '/v1/logout', { method: 'DELETE', token })).status, 200);
  };
  const change = async (person: Person, json: object) => {
    const { status } = await request(service, `/v1/users/${person.id}`, { method: 'PATCH', json, token: admin.token });
    assert.equal(status, 200);
  };

  for (const [what, prepare] of writes) {
    it(`changes nothing if its token was revoked in between: ${what}`, async () => {
      const person = await signedIn(service);
      const held = await hold(service, person, await prepare(service, person));
      await logOut(person);
      const left = await everything();
      const response = await held.finish({ byteByByte: what === 'create' });
      assert.deepEqual([response.status, response.json().code], [401, 'token_revoked']);
      assert.match(response.headers.get('www-authenticate') ?? '', /invalid_token/);
      assert.equal(await everything(), left);
    });

    it(`takes effect if its token is still valid: ${what}`, async () => {
      const person = await signedIn(service);
      const held = await hold(service, person, await prepare(service, person));
      const left = await everything();
      const { status, body } = await held.finish();
      assert.ok(status < 300, `${status} ${body}`);
      assert.notEqual(await everything(), left);
    });
  }

  /** The changes that end or reduce a caller's rights, and the response to its request afterwards. */
  const ends: readonly [string, (person: Person) => Promise<unknown>, [number, string]][] = [
    [
      'the user was deleted',
      async ({ id }) => request(service, `/v1/users/${id}`, { method: 'DELETE', token: admin.token }),
      [401, 'user_gone'],
    ],
    [
      'the password was changed',
      (person) => change(person, { password: 'quite another password' }),
      [401, 'token_revoked'],
    ],
    [
      'the client was deleted',
      ({ clientId }) =>
        commitAndInvalidate(service.context.database, (tx, invalidate) => removeClient(tx, invalidate, clientId)),
      [401, 'client_revoked'],
    ],
    ['the user was disabled', (person) => change(person, { disabled: true }), [401, 'user_gone']],
    ['the user lost the administrator role', (person) => change(person, { roles: [] }), [403, 'forbidden']],
    [
      'the client lost scopes',
      async ({ clientId }) =>
        request(service, `/v1/clients/${clientId}`, {
          method: 'PATCH',
          json: { scopes: ['users:read'] },
          token: admin.token,
        }),
      [403, 'insufficient_scope'],
    ],
  ];
  for (const [what, end, refused] of ends) {
    it(`changes nothing when ${what} in between`, async () => {
      const person = await signedIn(service);
      const held = await hold(service, person, { method: 'POST', path: '/v1/owners', json: { name: 'Eve' } });
      await end(person);
      const left = await everything();
      const response = await held.finish({ byteByByte: true });
      assert.deepEqual([response.status, response.json().code], refused);
      assert.equal(await everything(), left);
    });
  }

  it('changes nothing when its token expired in between', async () => {
    const person = await signedIn(service);
    const held = await hold(service, person, { method: 'POST', path: '/v1/owners', json: { name: 'Eve' } });
    service.advance(3_700_000);
    const response = await held.finish();
    assert.deepEqual([response.status, response.json().code], [401, 'token_expired']);
    admin = await signedIn(service);
  });

  it('is tested for every route that requires a token and writes', async () => {
    const { body } = await request<{ paths: Record<string, Record<string, { security?: unknown[] }>> }>(
      service,
      '/openapi.json',
    );
    const routes = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method, { security }]) => method !== 'get' && (security?.length ?? 0) > 0)
        .map(([method]) => ({ method: method.toUpperCase(), path: path.replace(/\{\w+\}/g, '0') })),
    );
    assert.ok(routes.length > 20, String(routes.length));
    for (const { method, path } of routes) {
      const person = await signedIn(service);
      const held = await hold(service, person, { method, path, json: {} });
      await logOut(person);
      const response = await held.finish();
      assert.deepEqual([method, path, response.json().code], [method, path, 'token_revoked']);
    }
  });
});
