import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addClient } from './harness/accounts.ts';
import { onBothEngines } from './harness/engines.ts';
import { addOwner, addOwners, grantClient, type Owner, requestsTo, rowOf, rowsOf } from './harness/owners.ts';
import { type Service, services } from './harness/service.ts';

onBothEngines('Personal clients', (engine) => {
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

  it('are created by their owner, and show their secret once', async () => {
    const made = await requestAs('POST', '/v1/clients', ann.token, { name: 'My script' });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal(made.headers.get('cache-control'), 'no-store');
    const client = rowOf(made);
    assert.equal(client.client_id, client.id);
    assert.deepEqual(
      [client.type, client.name, client.scopes, client.user_id],
      ['personal', 'My script', ['*'], ann.id],
    );
    assert.match(String(client.client_secret), /^gh_sec_\w+$/);
    assert.match(String(client.created_at), /^\d{4}-.*Z$/);
    assert.equal((await grantClient(service, client, client.client_secret)).status, 200);
    const found = await requestAs('GET', `/v1/clients/${client.id}`, ann.token);
    const { client_secret: _shownOnce, ...rest } = client;
    assert.deepEqual(rowOf(found), rest);
    const list = await requestAs('GET', '/v1/clients', ann.token);
    assert.ok(!JSON.stringify(list.body).includes('client_secret'));
  });

  it('are visible to and changeable by only their owner and administrators', async () => {
    const client = rowOf(await requestAs('POST', '/v1/clients', ann.token, { name: 'Hers' }));
    const path = `/v1/clients/${client.id}`;
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { name: 'x' }],
      ['PUT', { name: 'x' }],
      ['DELETE', undefined],
    ] as const)
      assert.equal((await requestAs(method, path, bob.token, body)).status, 404, method);
    assert.equal((await requestAs('POST', `${path}/secrets`, bob.token, {})).status, 404);
    assert.equal((await requestAs('GET', path, undefined)).status, 401);
    assert.equal((await requestAs('GET', path, admin.token)).status, 200);
    const renamed = await requestAs('PATCH', path, ann.token, { name: 'Renamed' });
    assert.deepEqual([renamed.status, rowOf(renamed).name], [200, 'Renamed']);
    const replaced = await requestAs('PUT', path, ann.token, { name: 'Whole' });
    assert.deepEqual([replaced.status, rowOf(replaced).scopes], [200, ['*']]);
    assert.ok(!rowsOf(await requestAs('GET', '/v1/clients', bob.token)).some(({ id }) => id === client.id));
  });

  it('are listed below their owner too', async () => {
    const made = await requestAs('POST', `/v1/users/${ann.id}/clients`, ann.token, { name: 'Nested' });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const list = await requestAs('GET', `/v1/users/${ann.id}/clients`, ann.token);
    assert.ok(rowsOf(list).some(({ id }) => id === rowOf(made).id));
    assert.equal((await requestAs('GET', `/v1/users/${ann.id}/clients`, bob.token)).status, 404);
    assert.equal((await requestAs('POST', `/v1/users/${ann.id}/clients`, bob.token, { name: 'x' })).status, 404);
    const forAnn = await requestAs('POST', `/v1/users/${ann.id}/clients`, admin.token, {
      name: 'By the administrator',
    });
    assert.equal(rowOf(forAnn).user_id, ann.id);
  });

  it('cannot get another owner, first-party status or unknown scopes', async () => {
    const refused = async (token: string, body: object) => (await requestAs('POST', '/v1/clients', token, body)).status;
    assert.ok([403, 422].includes(await refused(bob.token, { name: 'x', user_id: ann.id })));
    assert.equal(await refused(bob.token, { name: 'x', type: 'password' }), 422);
    assert.equal(await refused(bob.token, { name: 'x', scopes: ['nothing:read'] }), 422);
    assert.equal(await refused(bob.token, { name: 'x', scopes: [] }), 422);
    assert.equal(await refused(bob.token, { name: 'x', scopes: ['tokens:introspect'] }), 422);
    assert.equal(await refused(bob.token, {}), 422);
    assert.equal(await refused(bob.token, { name: 'x', id: 'mine' }), 422);
    const watcher = await requestAs('POST', '/v1/clients', admin.token, { name: 'API', scopes: ['tokens:introspect'] });
    assert.equal(watcher.status, 201);
    const firstParty = await requestAs('POST', '/v1/clients', admin.token, { name: 'App', type: 'password' });
    assert.deepEqual([firstParty.status, rowOf(firstParty).user_id], [201, null]);
  });

  it('get new secrets, and the old one stays valid for some hours', async () => {
    const client = rowOf(await requestAs('POST', '/v1/clients', ann.token, { name: 'Rotating' }));
    const renew = (body?: object) => requestAs('POST', `/v1/clients/${client.id}/secrets`, ann.token, body);
    const second = await renew({ keep_old_hours: 1 });
    assert.equal(second.status, 201, JSON.stringify(second.body));
    assert.equal(second.headers.get('cache-control'), 'no-store');
    const statuses = async (...secrets: unknown[]) =>
      Promise.all(secrets.map(async (secret) => (await grantClient(service, client, secret)).status));
    assert.deepEqual(await statuses(client.client_secret, rowOf(second).client_secret), [200, 200]);
    const third = await renew();
    assert.equal(third.status, 201, JSON.stringify(third.body));
    assert.deepEqual(
      await statuses(client.client_secret, rowOf(second).client_secret, rowOf(third).client_secret),
      [401, 401, 200],
    );
    for (const keep_old_hours of [-1, 721, 1.5, 'many', '999', {}])
      assert.equal((await renew({ keep_old_hours })).status, 422, JSON.stringify(keep_old_hours));
    for (let active = 1; active < 10; active++) assert.equal((await renew({ keep_old_hours: 1 })).status, 201);
    const { status, body } = await renew({ keep_old_hours: 1 });
    // The command line shows the same sentence, and its option has another name.
    assert.deepEqual(
      [status, (body as unknown as { detail: string }).detail],
      [409, 'The client has 10 active secrets. Create one that does not keep the old secrets.'],
    );
    assert.equal((await renew()).status, 201);
  });

  it('lose scopes and end immediately, with their tokens', async () => {
    const client = rowOf(await requestAs('POST', '/v1/clients', ann.token, { name: 'Shrinking' }));
    const token = String((await grantClient(service, client, client.client_secret)).body.access_token);
    assert.equal((await requestAs('GET', '/v1/clients', token)).status, 200);
    await requestAs('PATCH', `/v1/clients/${client.id}`, ann.token, { scopes: ['tokens:read'] });
    const lesser = await requestAs('GET', '/v1/clients', token);
    assert.deepEqual([lesser.status, lesser.body.code], [403, 'insufficient_scope']);
    assert.equal((await requestAs('DELETE', `/v1/clients/${client.id}`, ann.token)).status, 204);
    const gone = await requestAs('GET', '/v1/tokens', token);
    assert.deepEqual([gone.status, gone.body.code], [401, 'client_revoked']);
    assert.equal((await grantClient(service, client, client.client_secret)).body.error, 'invalid_client');
  });

  it('act for themselves: they see themselves, and create nothing for their owner', async () => {
    const owner = await addOwner(service, ['admin']);
    const client = rowOf(await requestAs('POST', '/v1/clients', owner.token, { name: 'Ambitious' }));
    const token = String((await grantClient(service, client, client.client_secret)).body.access_token);
    assert.deepEqual(
      rowsOf(await requestAs('GET', '/v1/clients', token)).map(({ id }) => id),
      [client.id],
    );
    assert.equal((await requestAs('POST', '/v1/clients', token, { name: 'Child' })).status, 403);
    assert.equal((await requestAs('POST', '/v1/tokens', token, { name: 'Child' })).status, 403);
    assert.equal((await requestAs('GET', '/v1/events', token)).status, 403);
  });

  it('cannot be disconnected from their proxy if they are in the settings', async () => {
    assert.equal((await requestAs('DELETE', '/v1/clients/web-admin', admin.token)).status, 409);
    assert.equal((await requestAs('POST', '/v1/clients/web-admin/secrets', admin.token, {})).status, 409);
    assert.equal((await requestAs('GET', '/v1/clients/web-admin', admin.token)).status, 200);
    // The login path is another path.
    assert.equal((await requestAs('GET', '/v1/clients/web/admin/login', admin.token)).status, 405);
  });

  it('are recorded in the audit trail for administrators', async () => {
    const client = await addClient(service, { userId: ann.id });
    await requestAs('DELETE', `/v1/clients/${client.id}`, admin.token, undefined, {
      'x-request-id': `trail-${engine}`,
    });
    const list = await requestAs('GET', `/v1/events?search=type:client.deleted;client_id:${client.id}`, admin.token);
    const [event] = rowsOf(list);
    assert.deepEqual(
      [event?.user_id, event?.actor_id, event?.address, event?.request_id],
      [ann.id, admin.id, '127.0.0.1', `trail-${engine}`],
    );
    const own = await addClient(service, { userId: admin.id });
    await requestAs('DELETE', `/v1/clients/${own.id}`, admin.token);
    const [byOwner] = rowsOf(await requestAs('GET', `/v1/events?search=client_id:${own.id}`, admin.token));
    assert.deepEqual([byOwner?.user_id, byOwner?.actor_id], [admin.id, null]);
    const [newest] = rowsOf(await requestAs('GET', '/v1/events?limit=1', admin.token));
    assert.equal(newest?.id, byOwner?.id);
    assert.equal((await requestAs('GET', '/v1/events', ann.token)).status, 403);
    assert.equal((await requestAs('GET', `/v1/events/${event?.id}`, ann.token)).status, 403);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.equal((await requestAs(method, `/v1/events/${event?.id}`, admin.token)).status, 405);
  });
});
