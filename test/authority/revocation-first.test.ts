import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { changeRoles } from '../../extensions/admin-commands/change-roles.ts';
import { endAllSessions } from '../../extensions/admin-commands/revoke-everything.ts';
import { systemSource } from '../../src/http/request-source.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { password } from '../harness/accounts.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { env, type Person, signedIn } from './people.ts';
import { untilBlocked } from './request-during.ts';

/**
 * Simulates a stream of writers: one write is in progress when a revocation starts, and a second write starts while the
 * revocation waits. If the second write could overtake the revocation, so could a third, and the revocation would never
 * end.
 */
describe('A revocation that waits for a write (postgres)', () => {
  const start = services('postgres');
  let service: Service;
  let admin: Person;
  before(async () => {
    service = await start({ env });
    admin = await signedIn(service);
  });

  const callerOf = async ({ token }: Person): Promise<Caller> => service.verifier.verify(token, null);
  const write = ({ token }: Person) => request(service, '/v1/owners', { json: { name: 'Eve' }, token });
  const asAdmin = (method: string, path: string, json?: object) =>
    request(service, path, { method, token: admin.token, ...(json ? { json } : {}) });

  /** Returns the results of the revocation and of the later write. */
  async function betweenWrites<T>(person: Person, revoke: () => Promise<T>, next = () => write(person)) {
    const { oauth, context } = service;
    const { revoking, writing, queued } = await context.database.db.transaction().execute(async (tx) => {
      await oauth.lockAuthority(tx, { caller: await callerOf(person) });
      const revoking = revoke();
      await Promise.race([untilBlocked(service), revoking.then((early) => assert.fail(JSON.stringify(early)))]);
      const writing = next();
      const queued = await Promise.race([untilBlocked(service, 2).then(() => true), writing.then(() => false)]);
      // In an object, because the transaction would wait for returned promises.
      return { revoking, writing, queued };
    });
    return { revoked: await revoking, written: await writing, queued };
  }

  const revocations: readonly [string, (person: Person) => Promise<unknown>, [number, string]][] = [
    ['the user is disabled', ({ id }) => asAdmin('PATCH', `/v1/users/${id}`, { disabled: true }), [401, 'user_gone']],
    ['the user is deleted', ({ id }) => asAdmin('DELETE', `/v1/users/${id}`), [401, 'user_gone']],
    [
      'the password is changed',
      ({ id }) => asAdmin('PATCH', `/v1/users/${id}`, { password: 'quite another password' }),
      [401, 'token_revoked'],
    ],
    [
      'the operator removes a role',
      ({ id }) => changeRoles(service.context, { userId: id, give: [], take: ['admin'], source: systemSource }),
      [403, 'forbidden'],
    ],
    ['the client is deleted', ({ clientId }) => asAdmin('DELETE', `/v1/clients/${clientId}`), [401, 'client_revoked']],
    [
      'the client loses scopes',
      ({ clientId }) => asAdmin('PATCH', `/v1/clients/${clientId}`, { scopes: ['users:read'] }),
      [403, 'insufficient_scope'],
    ],
    [
      'the user logs out',
      ({ token }) => request(service, '/v1/logout', { method: 'DELETE', token }),
      [401, 'token_revoked'],
    ],
    [
      'all sessions end',
      async () => {
        const ended = await endAllSessions(service.context, systemSource, { keepPersonal: false });
        admin = await signedIn(service);
        return ended;
      },
      [401, 'token_revoked'],
    ],
  ];
  for (const [what, revoke, refused] of revocations) {
    it(`comes before the next write: ${what}`, async () => {
      const person = await signedIn(service);
      const { revoked, written } = await betweenWrites(person, () => revoke(person));
      const status = (revoked as { status?: number }).status ?? 200;
      assert.ok(status < 300, JSON.stringify(revoked));
      assert.deepEqual([written.status, written.body.code], refused);
    });
  }

  it('comes before the next login', async () => {
    const person = await signedIn(service);
    const form = { grant_type: 'password', username: person.email, password: password };
    const client = { client_id: person.clientId, client_secret: person.clientSecret };
    const { revoked, written } = await betweenWrites(
      person,
      () => asAdmin('DELETE', `/v1/clients/${person.clientId}`),
      () => request(service, '/v1/oauth/token', { form: { ...form, ...client } }),
    );
    assert.equal(revoked.status, 204);
    assert.deepEqual([written.status, written.body.error], [401, 'invalid_client']);
  });

  it('does not delay writes of other users', async () => {
    const person = await signedIn(service);
    const other = await signedIn(service);
    const { revoked, written } = await betweenWrites(
      person,
      () => asAdmin('PATCH', `/v1/users/${person.id}`, { disabled: true }),
      () => write(other),
    );
    assert.deepEqual([revoked.status, written.status], [200, 201]);
  });

  it('is not part of a start: a write through the console does not delay a starting instance', async () => {
    const person = await signedIn(service);
    await service.context.database.db.transaction().execute(async (tx) => {
      await service.oauth.lockAuthority(tx, { caller: { ...(await callerOf(person)), clientId: 'web-admin' } });
      const second = await start({ env, database: service.database });
      assert.equal((await request(second, '/health/ready')).status, 200);
    });
  });

  it('is not overtaken by the next write, and neither is a refresh', async () => {
    const person = await signedIn(service);
    const refresh_token = service.sessions.makeRefreshToken({ id: person.sessionId, generation: 0 });
    const client = { client_id: person.clientId, client_secret: person.clientSecret };
    const { revoked, written, queued } = await betweenWrites(person, () =>
      request(service, '/v1/oauth/token', { form: { grant_type: 'refresh_token', ...client, refresh_token } }),
    );
    assert.deepEqual([revoked.status, written.status, queued], [200, 201, true]);
  });
});
