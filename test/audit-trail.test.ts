import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addClient, addLogin, password } from './harness/accounts.ts';
import { onBothEngines } from './harness/engines.ts';
import { type JsonResponse, request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';

interface Event {
  readonly type: string;
  readonly user_id: string | null;
  readonly actor_id: string | null;
  readonly client_id: string | null;
  readonly data: Record<string, unknown> & { changes?: Record<string, unknown> };
}

const rowOf = ({ body }: JsonResponse) => body.data as Record<string, unknown> & { id: string };

onBothEngines('The audit trail', (engine) => {
  const start = services(engine);
  const signIn = async ({ url }: Service, email: string) =>
    String((await request({ url }, '/v1/clients/web/admin/login', { form: { email, password } })).body.access_token);
  const trail = async ({ url }: Service, token: string, search: string) =>
    (await request({ url }, `/v1/events?search=${search}&limit=100`, { token })).body.data as Event[];

  it('records the old and the new value of changes to users, clients and tokens, and no secret', async () => {
    const service = await start({ env: { ROLES: 'admin,editor' } });
    const { url } = service;
    const admin = await addLogin(service, { roles: ['admin'] });
    const token = await signIn(service, admin.email);
    const made = rowOf(
      await request({ url }, '/v1/users', {
        token,
        json: { email: 'ada@example.com', name: 'Ada', password: 'a password of hers' },
      }),
    );
    const { id } = made;
    const patch = (json: unknown) => request({ url }, `/v1/users/${id}`, { method: 'PATCH', token, json });
    for (const json of [
      { name: 'Ada Lovelace' },
      { email: 'ada@example.org' },
      { roles: ['editor'] },
      { password: 'another password of hers' },
      { disabled: true },
    ]) {
      assert.equal((await patch(json)).status, 200, JSON.stringify(json));
    }
    const events = await trail(service, token, `user_id:${id}`);
    const changes = Object.fromEntries(events.map(({ type, data }) => [type, data.changes]));
    assert.deepEqual(changes['user.created'], {
      email: { to: 'ada@example.com' },
      name: { to: 'Ada' },
      roles: { to: [] },
    });
    assert.deepEqual(changes['user.roles_changed'], { roles: { from: [], to: ['editor'] } });
    assert.deepEqual(changes['user.disabled'], { disabled: { from: false, to: true } });
    const updates = events.filter(({ type }) => type === 'user.updated').map(({ data }) => data.changes);
    assert.ok(updates.some((change) => JSON.stringify(change) === '{"name":{"from":"Ada","to":"Ada Lovelace"}}'));
    assert.ok(
      updates.some(
        (change) => JSON.stringify(change) === '{"email":{"from":"ada@example.com","to":"ada@example.org"}}',
      ),
    );
    assert.ok(events.every(({ actor_id }) => actor_id === admin.id));
    assert.doesNotMatch(JSON.stringify(events), /of hers|argon2/);

    const client = rowOf(
      await request({ url }, '/v1/clients', { token, json: { name: 'one', scopes: ['users:read'] } }),
    );
    await request({ url }, `/v1/clients/${client.id}`, {
      method: 'PATCH',
      token,
      json: { name: 'two', scopes: ['*'] },
    });
    await request({ url }, `/v1/clients/${client.id}/secrets`, { token, json: {} });
    await request({ url }, `/v1/clients/${client.id}`, { method: 'DELETE', token });
    const ofClient = await trail(service, token, `client_id:${client.id}`);
    const byType = Object.fromEntries(ofClient.map(({ type, data }) => [type, data.changes]));
    assert.deepEqual(byType['client.updated'], {
      name: { from: 'one', to: 'two' },
      scopes: { from: ['users:read'], to: ['*'] },
    });
    assert.deepEqual((byType['client.deleted'] as { name: unknown }).name, { from: 'two' });
    assert.ok(!JSON.stringify(ofClient).includes(String(client.client_secret)));

    const personal = rowOf(
      await request({ url }, '/v1/tokens', { token, json: { name: 'mine', scopes: ['users:read'] } }),
    );
    const [created] = (await trail(service, token, `session_id:${personal.id}`)) as [Event];
    assert.deepEqual((created.data.changes as { scopes: unknown }).scopes, { to: ['users:read'] });
  });

  it('records failed client authentications, but only a few of many', async () => {
    const service = await start();
    const { url } = service;
    const client = await addClient(service);
    const attempt = (form: Record<string, string>) =>
      request({ url }, '/v1/oauth/token', { form: { grant_type: 'client_credentials', ...form } });
    for (let i = 0; i < 3; i++) await attempt({ client_id: client.id, client_secret: 'a wrong secret' });
    await request({ url }, '/v1/oauth/introspect', {
      form: { token: 'x' },
      headers: { authorization: `Basic ${Buffer.from(`${client.id}:wrong`).toString('base64')}` },
    });
    for (let i = 0; i < 20; i++) await attempt({ client_id: `nobody-${i}`, client_secret: 'x' });
    await attempt({ client_id: 'x'.repeat(5000), client_secret: 'x' });
    const recorded = async () =>
      (await service.context.database.db.selectFrom('events').selectAll().orderBy('id').execute()).filter(
        ({ type }) => type === 'client.authentication_failed',
      );
    const events = await recorded();
    assert.deepEqual([events[0]?.client_id, events[0]?.address, events[0]?.data], [client.id, '127.0.0.1', '{}']);
    assert.deepEqual([events[1]?.client_id, events[1]?.data], [null, '{"client":"nobody-0"}']);
    assert.equal(events.length, 10);
    assert.doesNotMatch(JSON.stringify(events), /a wrong secret/);
    service.advance(15 * 60_000);
    await attempt({ client_id: client.id, client_secret: 'a wrong secret' });
    assert.equal((await recorded()).length, 11);
  });

  it('records which settings changed, and of secrets only whether they are set', async () => {
    const first = await start({ env: { ACCESS_TOKEN_TTL: '600', BASE_URL: 'http://auth.example.com' } });
    const env = {
      ACCESS_TOKEN_TTL: '900',
      BASE_URL: 'http://auth.example.com',
      SMTP_URL: 'smtp://someone:topsecret@127.0.0.1:1',
      CLIENT_MOBILE_USERS_ID: 'mobile',
      CLIENT_MOBILE_USERS_SECRET: 'a secret of the settings',
    };
    const recorded = async () =>
      (await first.context.database.db.selectFrom('events').selectAll().orderBy('id').execute()).filter(
        ({ type }) => type === 'settings.changed',
      );
    await start({ env: { ACCESS_TOKEN_TTL: '600', BASE_URL: 'http://auth.example.com' }, database: first.database });
    assert.deepEqual(await recorded(), []);
    await start({ env, database: first.database });
    const [event, ...others] = await recorded();
    assert.deepEqual(others, []);
    assert.deepEqual(JSON.parse(event?.data ?? '').changes, {
      ACCESS_TOKEN_TTL: { from: '600', to: '900' },
      SMTP_URL: { from: 'not set', to: 'set' },
      'CLIENT_…': { from: '', to: 'mobile/users=mobile' },
    });
  });

  it('hides values of rows that only their owners may read, even from administrators', async () => {
    const resources = new URL('./changes/private', import.meta.url).pathname;
    const service = await start({ env: { RESOURCES_DIR: resources } });
    const [admin, ada] = [await addLogin(service, { roles: ['admin'] }), await addLogin(service)];
    const [reader, token] = [await signIn(service, admin.email), await signIn(service, ada.email)];
    const { id } = rowOf(await request(service, '/v1/diaries', { token, json: { entry: 'my first thought' } }));
    await request(service, `/v1/diaries/${id}`, { token, method: 'PATCH', json: { entry: 'my second thought' } });
    assert.equal((await request(service, `/v1/diaries/${id}`, { token: reader })).status, 404);
    const events = await trail(service, reader, `row_id:${id}`);
    assert.deepEqual(events.map(({ type, user_id }) => [type, user_id]).toSorted(), [
      ['diaries.created', ada.id],
      ['diaries.updated', ada.id],
    ]);
    for (const { data } of events) assert.deepEqual(data.changes?.entry, { hidden: true });
    assert.doesNotMatch(JSON.stringify(events), /thought/);
  });

  it('deletes the personal data of a deleted user', async () => {
    const service = await start();
    const { url } = service;
    const admin = await addLogin(service, { roles: ['admin'] });
    const token = await signIn(service, admin.email);
    const json = { email: 'grace@example.com', password: 'a password of hers' };
    const { id } = rowOf(await request({ url }, '/v1/users', { token, json }));
    await request({ url }, `/v1/users/${id}`, { method: 'PATCH', token, json: { name: 'Grace Hopper' } });
    assert.match(
      JSON.stringify(await trail(service, token, `user_id:${id}`)),
      /grace@example.*Grace|Grace.*grace@example/,
    );
    assert.equal((await request({ url }, `/v1/users/${id}`, { method: 'DELETE', token })).status, 204);
    const left = await service.context.database.db.selectFrom('events').selectAll().execute();
    assert.ok(left.some(({ type, user_id }) => type === 'user.deleted' && user_id === id));
    assert.doesNotMatch(JSON.stringify(left), /grace@example|Hopper/);
  });
});
