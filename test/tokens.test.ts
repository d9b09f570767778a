import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addClient, password } from './harness/accounts.ts';
import { onBothEngines } from './harness/engines.ts';
import { addOwner, addOwners, grantClient, type Owner, type Row, requestsTo, rowOf, rowsOf } from './harness/owners.ts';
import { request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';

onBothEngines('Tokens', (engine) => {
  const start = services(engine);
  let service: Service;
  let ann: Owner;
  let bob: Owner;
  let admin: Owner;
  before(async () => {
    service = await start();
    ({ ann, bob, admin } = await addOwners(service));
  });

  const requestAs = requestsTo(() => service);

  it('are listed for the caller as sessions and personal access tokens, with their last use', async () => {
    const someone = await addOwner(service);
    await requestAs('GET', '/v1/tokens', someone.token);
    await service.verifier.flush();
    const [session, ...others] = rowsOf(await requestAs('GET', '/v1/tokens?include=client', someone.token));
    assert.deepEqual(others, []);
    assert.deepEqual([session?.type, session?.client_id, session?.scopes], ['session', 'web-admin', ['*']]);
    assert.equal(session?.address, '127.0.0.1');
    assert.match(String(session?.last_used_at), /Z$/);
    // The caller may not see the client.
    assert.deepEqual(session?.client, { data: null });
    assert.ok(!('revoked_at' in (session ?? {})));
  });

  it('need a name when they are created, also in the API description; sessions have none', async () => {
    for (const body of [{ scopes: ['*'] }, { name: null }]) {
      const { status, body: response } = await requestAs('POST', '/v1/tokens', ann.token, body);
      const [error] = (response as { errors?: { field: string; code: string }[] }).errors ?? [];
      assert.deepEqual([status, error?.field, error?.code], [422, 'name', 'required'], JSON.stringify(response));
    }
    type Schema = { required?: string[]; properties: { name: { type: unknown } } };
    const { body } = await request<{ components: { schemas: Record<string, Schema> } }>(service, '/openapi.json');
    const { TokenInput: input, Token: token } = body.components.schemas;
    assert.deepEqual([input?.required, input?.properties.name.type], [['name'], 'string']);
    assert.deepEqual(token?.properties.name.type, ['string', 'null']);
  });

  it('have their value only in the response that creates them', async () => {
    const made = await requestAs('POST', '/v1/tokens', ann.token, { name: 'CI', scopes: ['tokens:read'] });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal(made.headers.get('cache-control'), 'no-store');
    const { access_token, ...token } = rowOf(made);
    assert.deepEqual([token.type, token.name, token.client_id, token.revealed], ['personal', 'CI', null, true]);
    const days = (Date.parse(String(token.expires_at)) - service.context.now()) / 86_400_000;
    assert.ok(days > 364.9 && days <= 365);
    const list = await requestAs('GET', '/v1/tokens', String(access_token));
    assert.equal(list.status, 200);
    assert.ok(!JSON.stringify(list.body).includes(String(access_token)));
    assert.equal((await requestAs('POST', '/v1/tokens', String(access_token), { name: 'More' })).status, 403);
    assert.equal((await requestAs('POST', `/v1/tokens/${token.id}/values`, ann.token, {})).status, 409);
    assert.equal((await requestAs('DELETE', `/v1/tokens/${token.id}`, ann.token)).status, 204);
    const gone = await requestAs('GET', '/v1/tokens', String(access_token));
    assert.deepEqual([gone.status, gone.body.code], [401, 'token_revoked']);
    assert.equal((await requestAs('GET', `/v1/tokens/${token.id}`, ann.token)).status, 404);
  });

  it('include a first token, which is revealed once, to its owner', async () => {
    const email = `new-${engine}@example.com`;
    const registered = await request(service, '/v1/register', { json: { email, password } });
    assert.equal(registered.status, 201, JSON.stringify(registered.body));
    assert.ok(!JSON.stringify(registered.body).includes('access_token'));
    const login = await request(service, '/v1/clients/web/admin/login', { form: { email, password } });
    const token = String(login.body.access_token);
    const [first] = rowsOf(await requestAs('GET', '/v1/tokens?search=type:personal', token));
    assert.equal(first?.revealed, false);
    const path = `/v1/tokens/${first?.id}/values`;
    assert.equal((await requestAs('POST', path, bob.token)).status, 404);
    assert.equal((await requestAs('POST', path, admin.token)).status, 403);
    const scopes = ['tokens:read', 'tokens:write'];
    const narrow = rowOf(await requestAs('POST', '/v1/tokens', token, { name: 'narrow', scopes }));
    assert.equal((await requestAs('POST', path, String(narrow.access_token))).status, 403);
    const revealed = await requestAs('POST', path, token);
    assert.equal(revealed.status, 200, JSON.stringify(revealed.body));
    assert.equal(revealed.headers.get('cache-control'), 'no-store');
    const value = String(rowOf(revealed).access_token);
    assert.equal((await requestAs('GET', '/v1/tokens', value)).status, 200);
    assert.ok(!('revealed_at' in rowOf(revealed)));
    const again = await requestAs('POST', path, token);
    assert.deepEqual([again.status, again.body.code], [409, 'already_revealed']);
  });

  it('cannot be created with more scopes than the caller’s token', async () => {
    const form = { email: ann.email, password, scope: 'tokens:write tokens:read' };
    const token = String((await request(service, '/v1/clients/web/admin/login', { form })).body.access_token);
    assert.equal((await requestAs('POST', '/v1/tokens', token, { name: 'wide' })).status, 422);
    assert.equal(
      (await requestAs('POST', '/v1/tokens', token, { name: 'wide', scopes: ['clients:write'] })).status,
      422,
    );
    assert.equal((await requestAs('POST', '/v1/tokens', token, { name: 'same', scopes: ['tokens:read'] })).status, 201);
  });

  it('do not reveal the secret of a client with more scopes', async () => {
    const narrow = async (owner: Owner, scopes: string[]) => {
      const form = { email: owner.email, password, scope: scopes.join(' ') };
      return String((await request(service, '/v1/clients/web/admin/login', { form })).body.access_token);
    };
    const wide = rowOf(await requestAs('POST', '/v1/clients', ann.token, { name: 'wide' }));
    const readOnly = rowOf(
      await requestAs('POST', '/v1/clients', ann.token, { name: 'modest', scopes: ['users:read'] }),
    );
    const secretOf = async (client: Row, token: string) =>
      (await requestAs('POST', `/v1/clients/${client.id}/secrets`, token, {})).status;
    const clientsOnly = await narrow(ann, ['clients:write', 'clients:read']);
    assert.deepEqual([await secretOf(wide, clientsOnly), await secretOf(readOnly, clientsOnly)], [403, 403]);
    assert.equal((await grantClient(service, wide, wide.client_secret)).status, 200, 'the old secret still works');
    assert.equal(await secretOf(wide, await narrow(admin, ['clients:write'])), 403);
    assert.equal(await secretOf(readOnly, await narrow(ann, ['clients:write', 'users:read'])), 201);
    assert.equal(await secretOf(wide, ann.token), 201);
    const watching = await addClient(service, { userId: ann.id, scopes: ['tokens:introspect'] });
    assert.equal(
      await secretOf({ ...watching }, ann.token),
      201,
      'a client that an administrator allowed stays usable',
    );
  });

  it('are not shown to a token with fewer scopes, not even on a retry', async () => {
    const headers = { 'idempotency-key': 'first-client' };
    const make = (token: string) => requestAs('POST', '/v1/clients', token, { name: 'wide' }, headers);
    const made = await make(ann.token);
    const { client_secret: secret, ...shown } = rowOf(made);
    assert.equal(typeof secret, 'string');
    assert.deepEqual(rowOf(await make(ann.token)), shown, 'only one response contains the secret');
    const narrow = { name: 'n', scopes: ['clients:write'] };
    const token = String(rowOf(await requestAs('POST', '/v1/tokens', ann.token, narrow)).access_token);
    const other = await request(service, '/v1/clients/web/admin/login', {
      form: { email: ann.email, password, scope: 'clients:write' },
    });
    for (const lesser of [token, String(other.body.access_token)]) {
      const retry = await make(lesser);
      assert.equal(retry.status, 422);
      assert.ok(!JSON.stringify(retry.body).includes('client_secret'));
    }
  });

  it('are refused with invalid values', async () => {
    const status = async (body: object) => (await requestAs('POST', '/v1/tokens', ann.token, body)).status;
    assert.equal(await status({}), 422);
    assert.equal(await status({ name: 'x', expires_at: '2001-01-01T00:00:00Z' }), 422);
    assert.equal(await status({ name: 'x', expires_at: '2999-01-01T00:00:00Z' }), 422);
    assert.equal(await status({ name: 'x', expires_at: 'soon' }), 422);
    assert.equal(await status({ name: 'x', scopes: ['a:b'] }), 422);
    assert.equal(await status({ name: 'x', user_id: bob.id }), 422);
    assert.equal(await status({ name: 'x', type: 'session' }), 422);
    assert.equal((await requestAs('PATCH', `/v1/tokens/x`, ann.token, {})).status, 405);
  });

  it('are described by introspection as they are now, also if they were described before', async () => {
    const someone = await addOwner(service);
    const client = rowOf(await requestAs('POST', '/v1/clients', someone.token, { name: 'narrowed' }));
    const ofClient = String((await grantClient(service, client, client.client_secret)).body.access_token);
    const server = await addClient(service, { scopes: ['tokens:introspect'] });
    const introspect = async (token: string) => {
      const form = { client_id: server.id, client_secret: server.secret, token };
      return (await request(service, '/v1/oauth/introspect', { form })).body;
    };
    for (const token of [someone.token, ofClient]) {
      assert.deepEqual(await introspect(token), await introspect(token));
      assert.equal((await introspect(token)).scope, '*');
    }
    await requestAs('PATCH', `/v1/clients/${client.id}`, someone.token, { scopes: ['users:read'] });
    assert.equal((await introspect(ofClient)).scope, 'users:read');
    await requestAs('DELETE', `/v1/clients/${client.id}`, someone.token);
    assert.deepEqual(await introspect(ofClient), { active: false });
    await requestAs('DELETE', '/v1/logout', someone.token);
    assert.deepEqual(await introspect(someone.token), { active: false });
  });

  it('can be ended from another session', async () => {
    const someone = await addOwner(service);
    const second = await request(service, '/v1/clients/web/admin/login', {
      form: { email: someone.email, password },
    });
    const list = rowsOf(await requestAs('GET', '/v1/tokens?orderBy=created_at&sortedBy=asc', someone.token));
    assert.equal(list.length, 2);
    assert.equal((await requestAs('DELETE', `/v1/tokens/${list[1]?.id}`, bob.token)).status, 404);
    assert.equal((await requestAs('DELETE', `/v1/tokens/${list[1]?.id}`, someone.token)).status, 204);
    const gone = await requestAs('GET', '/v1/tokens', String(second.body.access_token));
    assert.deepEqual([gone.status, gone.body.code], [401, 'token_revoked']);
    assert.equal((await requestAs('GET', '/v1/tokens', someone.token)).status, 200);
    assert.equal((await requestAs('DELETE', `/v1/tokens/${list[0]?.id}`, admin.token)).status, 204);
    assert.equal((await requestAs('GET', '/v1/tokens', someone.token)).status, 401);
  });
});
