import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addClient, addLogin, password } from './harness/accounts.ts';
import { onBothEngines } from './harness/engines.ts';
import { type Answer, call } from './harness/http.ts';
import { type Service, services } from './harness/service.ts';

interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}
type Row = Record<string, unknown> & { id: string };

const rowOf = ({ body }: Answer): Row => body.data as Row;
const rowsOf = ({ body }: Answer): Row[] => body.data as unknown as Row[];

onBothEngines('clients and tokens', (engine) => {
  const start = services(engine);
  let service: Service;
  let ann: Person;
  let bob: Person;
  let admin: Person;
  before(async () => {
    service = await start();
    [ann, bob, admin] = await Promise.all([person(), person(), person(['admin'])]);
  });

  const ask = (method: string, path: string, token: string | undefined, json?: unknown, headers = {}) =>
    call(method, `${service.url}${path}`, {
      ...(token === undefined ? {} : { token }),
      ...(json === undefined ? {} : { json }),
      headers,
    });

  async function person(roles: string[] = []): Promise<Person> {
    const { id, email } = await addLogin(service, { roles });
    const form = { email, password };
    const answer = await call('POST', `${service.url}/v1/clients/web/admin/login`, { form });
    return { id, email, token: String(answer.body.access_token) };
  }

  const grant = async (client: Row, secret: unknown, scope = '') =>
    call('POST', `${service.url}/v1/oauth/token`, {
      form: { grant_type: 'client_credentials', client_id: client.id, client_secret: String(secret), scope },
    });

  describe('personal clients', () => {
    it('are made by their owner, and show their secret once', async () => {
      const made = await ask('POST', '/v1/clients', ann.token, { name: 'My script' });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      assert.equal(made.headers.get('cache-control'), 'no-store');
      const client = rowOf(made);
      assert.equal(client.client_id, client.id);
      assert.deepEqual(
        [client.type, client.name, client.scopes, client.user_id],
        ['personal', 'My script', ['*'], ann.id],
      );
      assert.match(String(client.client_secret), /^[\w-]{43}$/);
      assert.match(String(client.created_at), /^\d{4}-.*Z$/);
      assert.equal((await grant(client, client.client_secret)).status, 200);
      const found = await ask('GET', `/v1/clients/${client.id}`, ann.token);
      const { client_secret: _shownOnce, ...rest } = client;
      assert.deepEqual(rowOf(found), rest);
      const list = await ask('GET', '/v1/clients', ann.token);
      assert.ok(!JSON.stringify(list.body).includes('client_secret'));
    });

    it('are seen and changed by their owner and administrators only', async () => {
      const client = rowOf(await ask('POST', '/v1/clients', ann.token, { name: 'Hers' }));
      const path = `/v1/clients/${client.id}`;
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { name: 'x' }],
        ['PUT', { name: 'x' }],
        ['DELETE', undefined],
      ] as const)
        assert.equal((await ask(method, path, bob.token, body)).status, 404, method);
      assert.equal((await ask('POST', `${path}/secrets`, bob.token, {})).status, 404);
      assert.equal((await ask('GET', path, undefined)).status, 401);
      assert.equal((await ask('GET', path, admin.token)).status, 200);
      const renamed = await ask('PATCH', path, ann.token, { name: 'Renamed' });
      assert.deepEqual([renamed.status, rowOf(renamed).name], [200, 'Renamed']);
      const replaced = await ask('PUT', path, ann.token, { name: 'Whole' });
      assert.deepEqual([replaced.status, rowOf(replaced).scopes], [200, ['*']]);
      assert.ok(!rowsOf(await ask('GET', '/v1/clients', bob.token)).some(({ id }) => id === client.id));
    });

    it('stand under their owner as well', async () => {
      const made = await ask('POST', `/v1/users/${ann.id}/clients`, ann.token, { name: 'Nested' });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const list = await ask('GET', `/v1/users/${ann.id}/clients`, ann.token);
      assert.ok(rowsOf(list).some(({ id }) => id === rowOf(made).id));
      assert.equal((await ask('GET', `/v1/users/${ann.id}/clients`, bob.token)).status, 404);
      assert.equal((await ask('POST', `/v1/users/${ann.id}/clients`, bob.token, { name: 'x' })).status, 404);
      const forAnn = await ask('POST', `/v1/users/${ann.id}/clients`, admin.token, { name: 'By the administrator' });
      assert.equal(rowOf(forAnn).user_id, ann.id);
    });

    it('cannot be given to others, nor be first-party, nor hold scopes that there are not', async () => {
      const refused = async (token: string, body: object) => (await ask('POST', '/v1/clients', token, body)).status;
      assert.ok([403, 422].includes(await refused(bob.token, { name: 'x', user_id: ann.id })));
      assert.equal(await refused(bob.token, { name: 'x', type: 'password' }), 422);
      assert.equal(await refused(bob.token, { name: 'x', scopes: ['nothing:read'] }), 422);
      assert.equal(await refused(bob.token, { name: 'x', scopes: [] }), 422);
      assert.equal(await refused(bob.token, { name: 'x', scopes: ['tokens:introspect'] }), 422);
      assert.equal(await refused(bob.token, {}), 422);
      assert.equal(await refused(bob.token, { name: 'x', id: 'mine' }), 422);
      const watcher = await ask('POST', '/v1/clients', admin.token, { name: 'API', scopes: ['tokens:introspect'] });
      assert.equal(watcher.status, 201);
      const firstParty = await ask('POST', '/v1/clients', admin.token, { name: 'App', type: 'password' });
      assert.deepEqual([firstParty.status, rowOf(firstParty).user_id], [201, null]);
    });

    it('get new secrets, and the old one some hours more', async () => {
      const client = rowOf(await ask('POST', '/v1/clients', ann.token, { name: 'Rotating' }));
      const renew = (body?: object) => ask('POST', `/v1/clients/${client.id}/secrets`, ann.token, body);
      const second = await renew({ keep_old_hours: 1 });
      assert.equal(second.status, 201, JSON.stringify(second.body));
      assert.equal(second.headers.get('cache-control'), 'no-store');
      const statuses = async (...secrets: unknown[]) =>
        Promise.all(secrets.map(async (secret) => (await grant(client, secret)).status));
      assert.deepEqual(await statuses(client.client_secret, rowOf(second).client_secret), [200, 200]);
      const third = await renew();
      assert.equal(third.status, 201, JSON.stringify(third.body));
      assert.deepEqual(
        await statuses(client.client_secret, rowOf(second).client_secret, rowOf(third).client_secret),
        [401, 401, 200],
      );
      for (const keep_old_hours of [-1, 721, 1.5, 'many', '999', {}])
        assert.equal((await renew({ keep_old_hours })).status, 422, JSON.stringify(keep_old_hours));
    });

    it('lose scopes and life at once, with their tokens', async () => {
      const client = rowOf(await ask('POST', '/v1/clients', ann.token, { name: 'Shrinking' }));
      const token = String((await grant(client, client.client_secret)).body.access_token);
      assert.equal((await ask('GET', '/v1/clients', token)).status, 200);
      await ask('PATCH', `/v1/clients/${client.id}`, ann.token, { scopes: ['tokens:read'] });
      const lesser = await ask('GET', '/v1/clients', token);
      assert.deepEqual([lesser.status, lesser.body.code], [403, 'insufficient_scope']);
      assert.equal((await ask('DELETE', `/v1/clients/${client.id}`, ann.token)).status, 204);
      const gone = await ask('GET', '/v1/tokens', token);
      assert.deepEqual([gone.status, gone.body.code], [401, 'client_revoked']);
      assert.equal((await grant(client, client.client_secret)).body.error, 'invalid_client');
    });

    it('act for themselves: they see themselves, and make nothing for their owner', async () => {
      const owner = await person(['admin']);
      const client = rowOf(await ask('POST', '/v1/clients', owner.token, { name: 'Ambitious' }));
      const token = String((await grant(client, client.client_secret)).body.access_token);
      assert.deepEqual(
        rowsOf(await ask('GET', '/v1/clients', token)).map(({ id }) => id),
        [client.id],
      );
      assert.equal((await ask('POST', '/v1/clients', token, { name: 'Child' })).status, 403);
      assert.equal((await ask('POST', '/v1/tokens', token, { name: 'Child' })).status, 403);
      assert.equal((await ask('GET', '/v1/events', token)).status, 403);
    });

    it('of the settings cannot be taken away from their login', async () => {
      assert.equal((await ask('DELETE', '/v1/clients/web-admin', admin.token)).status, 409);
      assert.equal((await ask('POST', '/v1/clients/web-admin/secrets', admin.token, {})).status, 409);
      assert.equal((await ask('GET', '/v1/clients/web-admin', admin.token)).status, 200);
      // The login beside it is another path.
      assert.equal((await ask('GET', '/v1/clients/web/admin/login', admin.token)).status, 405);
    });
  });

  describe('tokens', () => {
    it('lists the sessions and personal access tokens of the caller, with where they were used', async () => {
      const someone = await person();
      await ask('GET', '/v1/tokens', someone.token);
      await service.verifier.flush();
      const [session, ...others] = rowsOf(await ask('GET', '/v1/tokens?include=client', someone.token));
      assert.deepEqual(others, []);
      assert.deepEqual([session?.type, session?.client_id, session?.scopes], ['session', 'web-admin', ['*']]);
      assert.equal(session?.address, '127.0.0.1');
      assert.match(String(session?.last_used_at), /Z$/);
      // The client is not the caller's to see.
      assert.deepEqual(session?.client, { data: null });
      assert.ok(!('revoked_at' in (session ?? {})));
    });

    it('makes a personal access token whose value is in that answer only', async () => {
      const made = await ask('POST', '/v1/tokens', ann.token, { name: 'CI', scopes: ['tokens:read'] });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      assert.equal(made.headers.get('cache-control'), 'no-store');
      const { access_token, ...token } = rowOf(made);
      assert.deepEqual([token.type, token.name, token.client_id, token.revealed], ['personal', 'CI', null, true]);
      const days = (Date.parse(String(token.expires_at)) - service.context.now()) / 86_400_000;
      assert.ok(days > 364.9 && days <= 365);
      const list = await ask('GET', '/v1/tokens', String(access_token));
      assert.equal(list.status, 200);
      assert.ok(!JSON.stringify(list.body).includes(String(access_token)));
      assert.equal((await ask('POST', '/v1/tokens', String(access_token), { name: 'More' })).status, 403);
      assert.equal((await ask('POST', `/v1/tokens/${token.id}/reveal`, ann.token, {})).status, 409);
      assert.equal((await ask('DELETE', `/v1/tokens/${token.id}`, ann.token)).status, 204);
      const gone = await ask('GET', '/v1/tokens', String(access_token));
      assert.deepEqual([gone.status, gone.body.code], [401, 'token_revoked']);
      assert.equal((await ask('GET', `/v1/tokens/${token.id}`, ann.token)).status, 404);
    });

    it('reveals the token of the registration once, to its owner', async () => {
      const email = `new-${engine}@example.com`;
      const registered = await call('POST', `${service.url}/v1/register`, { json: { email, password } });
      assert.equal(registered.status, 201, JSON.stringify(registered.body));
      assert.ok(!JSON.stringify(registered.body).includes('access_token'));
      const login = await call('POST', `${service.url}/v1/clients/web/admin/login`, { form: { email, password } });
      const token = String(login.body.access_token);
      const [first] = rowsOf(await ask('GET', '/v1/tokens?search=type:personal', token));
      assert.equal(first?.revealed, false);
      const path = `/v1/tokens/${first?.id}/reveal`;
      assert.equal((await ask('POST', path, bob.token)).status, 404);
      assert.equal((await ask('POST', path, admin.token)).status, 403);
      const scopes = ['tokens:read', 'tokens:write'];
      const narrow = rowOf(await ask('POST', '/v1/tokens', token, { name: 'narrow', scopes }));
      assert.equal((await ask('POST', path, String(narrow.access_token))).status, 403);
      const revealed = await ask('POST', path, token);
      assert.equal(revealed.status, 200, JSON.stringify(revealed.body));
      assert.equal(revealed.headers.get('cache-control'), 'no-store');
      const value = String(rowOf(revealed).access_token);
      assert.equal((await ask('GET', '/v1/tokens', value)).status, 200);
      assert.ok(!('revealed_at' in rowOf(revealed)));
      const again = await ask('POST', path, token);
      assert.deepEqual([again.status, again.body.code], [409, 'already_revealed']);
    });

    it('hands on no more than the token that asks', async () => {
      const narrow = rowOf(
        await ask('POST', '/v1/tokens', ann.token, { name: 'n', scopes: ['tokens:write', 'tokens:read'] }),
      );
      const token = String(narrow.access_token);
      assert.equal((await ask('POST', '/v1/tokens', token, { name: 'wide' })).status, 422);
      assert.equal((await ask('POST', '/v1/tokens', token, { name: 'wide', scopes: ['clients:write'] })).status, 422);
      assert.equal((await ask('POST', '/v1/tokens', token, { name: 'same', scopes: ['tokens:read'] })).status, 201);
    });

    it('gives out no secret of a client that may do more than the token that asks', async () => {
      const narrow = async (owner: Person, scopes: string[]) =>
        String(rowOf(await ask('POST', '/v1/tokens', owner.token, { name: 'n', scopes })).access_token);
      const wide = rowOf(await ask('POST', '/v1/clients', ann.token, { name: 'wide' }));
      const modest = rowOf(await ask('POST', '/v1/clients', ann.token, { name: 'modest', scopes: ['users:read'] }));
      const secretOf = async (client: Row, token: string) =>
        (await ask('POST', `/v1/clients/${client.id}/secrets`, token, {})).status;
      const clientsOnly = await narrow(ann, ['clients:write', 'clients:read']);
      assert.deepEqual([await secretOf(wide, clientsOnly), await secretOf(modest, clientsOnly)], [403, 403]);
      assert.equal((await grant(wide, wide.client_secret)).status, 200, 'the old secret goes on working');
      assert.equal(await secretOf(wide, await narrow(admin, ['clients:write'])), 403);
      assert.equal(await secretOf(modest, await narrow(ann, ['clients:write', 'users:read'])), 201);
      assert.equal(await secretOf(wide, ann.token), 201);
      const watching = await addClient(service, { userId: ann.id, scopes: ['tokens:introspect'] });
      assert.equal(await secretOf({ ...watching }, ann.token), 201, 'what an administrator allowed stays usable');
    });

    it('shows what a token made to no token that may do less, not even as a retry', async () => {
      const headers = { 'idempotency-key': 'first-client' };
      const make = (token: string) => ask('POST', '/v1/clients', token, { name: 'wide' }, headers);
      const made = await make(ann.token);
      const { client_secret: secret, ...shown } = rowOf(made);
      assert.equal(typeof secret, 'string');
      assert.deepEqual(rowOf(await make(ann.token)), shown, 'a secret is in one answer only');
      const narrow = { name: 'n', scopes: ['clients:write'] };
      const token = String(rowOf(await ask('POST', '/v1/tokens', ann.token, narrow)).access_token);
      const other = await call('POST', `${service.url}/v1/clients/web/admin/login`, {
        form: { email: ann.email, password, scope: 'clients:write' },
      });
      for (const lesser of [token, String(other.body.access_token)]) {
        const retry = await make(lesser);
        assert.equal(retry.status, 422);
        assert.ok(!JSON.stringify(retry.body).includes('client_secret'));
      }
    });

    it('refuses what makes no sense', async () => {
      const status = async (body: object) => (await ask('POST', '/v1/tokens', ann.token, body)).status;
      assert.equal(await status({}), 422);
      assert.equal(await status({ name: 'x', expires_at: '2001-01-01T00:00:00Z' }), 422);
      assert.equal(await status({ name: 'x', expires_at: '2999-01-01T00:00:00Z' }), 422);
      assert.equal(await status({ name: 'x', expires_at: 'soon' }), 422);
      assert.equal(await status({ name: 'x', scopes: ['a:b'] }), 422);
      assert.equal(await status({ name: 'x', user_id: bob.id }), 422);
      assert.equal(await status({ name: 'x', type: 'session' }), 422);
      assert.equal((await ask('PATCH', `/v1/tokens/x`, ann.token, {})).status, 405);
    });

    it('ends a session from another one', async () => {
      const someone = await person();
      const second = await call('POST', `${service.url}/v1/clients/web/admin/login`, {
        form: { email: someone.email, password },
      });
      const list = rowsOf(await ask('GET', '/v1/tokens?orderBy=created_at&sortedBy=asc', someone.token));
      assert.equal(list.length, 2);
      assert.equal((await ask('DELETE', `/v1/tokens/${list[1]?.id}`, bob.token)).status, 404);
      assert.equal((await ask('DELETE', `/v1/tokens/${list[1]?.id}`, someone.token)).status, 204);
      const gone = await ask('GET', '/v1/tokens', String(second.body.access_token));
      assert.deepEqual([gone.status, gone.body.code], [401, 'token_revoked']);
      assert.equal((await ask('GET', '/v1/tokens', someone.token)).status, 200);
      assert.equal((await ask('DELETE', `/v1/tokens/${list[0]?.id}`, admin.token)).status, 204);
      assert.equal((await ask('GET', '/v1/tokens', someone.token)).status, 401);
    });
  });

  it('keeps an audit trail for administrators', async () => {
    const client = await addClient(service, { userId: ann.id });
    await ask('DELETE', `/v1/clients/${client.id}`, admin.token, undefined, { 'x-request-id': `trail-${engine}` });
    const list = await ask('GET', `/v1/events?search=type:client.deleted;client_id:${client.id}`, admin.token);
    const [event] = rowsOf(list);
    assert.deepEqual(
      [event?.user_id, event?.actor_id, event?.address, event?.request_id],
      [ann.id, admin.id, '127.0.0.1', `trail-${engine}`],
    );
    const [newest] = rowsOf(await ask('GET', '/v1/events?limit=1', admin.token));
    assert.equal(newest?.id, event?.id);
    assert.equal((await ask('GET', '/v1/events', ann.token)).status, 403);
    assert.equal((await ask('GET', `/v1/events/${event?.id}`, ann.token)).status, 403);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.equal((await ask(method, `/v1/events/${event?.id}`, admin.token)).status, 405);
  });
});
