import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addClient } from '../harness/accounts.ts';
import { refusalOf } from '../harness/content.ts';
import { onBothEngines } from '../harness/engines.ts';
import { password, patchUser, registerUser as register, type UserBody, type UsersBody } from '../harness/people.ts';
import { type JsonResponse, logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const newPassword = 'another fine secret';

onBothEngines('The users resource', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  before(async () => {
    service = await start({ env: { ROLES: 'admin,editor' } });
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
  });

  const registerUser = (on = service) => register(on);
  const get = <T = UserBody>(path: string, token: string) => request<T>(service, path, { token });
  const patch = (id: string, json: unknown, token: string, on = service) => patchUser(on, id, json, token);
  const refused = <T>(attempt: () => Promise<JsonResponse<T>>, status: number) => refusalOf(service, attempt, status);

  it('shows all users to an administrator, and only themselves to other users', async () => {
    const [ada, grace] = [await registerUser(), await registerUser()];
    const all = await get<UsersBody>('/v1/users?limit=100', admin);
    assert.ok(all.body.data.length >= 3);
    const own = await get<UsersBody>('/v1/users', ada.token);
    assert.deepEqual(
      own.body.data.map(({ id }) => id),
      [ada.id],
    );
    assert.equal(own.body.meta.pagination.total, 1);
    assert.equal((await get(`/v1/users/${ada.id}`, ada.token)).status, 200);
    assert.equal((await get(`/v1/users/${grace.id}`, ada.token)).status, 404);
    assert.equal((await get(`/v1/users/${grace.id}`, admin)).status, 200);
    assert.equal((await request(service, '/v1/users')).status, 401);
  });

  it('shows the fields of the contract, and never a password or its hash', async () => {
    const ada = await registerUser();
    const { body } = await get(`/v1/users/${ada.id}`, ada.token);
    assert.deepEqual(Object.keys(body.data).sort(), [
      'created_at',
      'disabled',
      'email',
      'email_confirmed',
      'id',
      'locale',
      'name',
      'phone',
      'realm',
      'roles',
      'updated_at',
      'username',
    ]);
    for (const path of [
      '?search=password_hash:x',
      '?filter=password_hash',
      '?orderBy=password_hash',
      '?filter=password',
    ]) {
      assert.equal((await get(`/v1/users${path}`, admin)).status, 400, path);
    }
  });

  it('accepts me as the id of the caller', async () => {
    const ada = await registerUser();
    const { status, body, headers } = await get('/v1/users/me', ada.token);
    assert.equal(status, 200);
    assert.equal(body.data.id, ada.id);
    assert.ok(headers.get('etag'));
    const narrow = await get('/v1/users/me?filter=email', ada.token);
    assert.deepEqual(narrow.body.data, { email: ada.email });
    const renamed = await patch('me', { name: 'Ada' }, ada.token);
    assert.equal(renamed.body.data.name, 'Ada');
    assert.equal((await get('/v1/users/me?filter=nothing', ada.token)).status, 400);
  });

  it('shows a personal client its owner, and lets it change nothing', async () => {
    const ada = await registerUser();
    const client = await addClient(service, { userId: ada.id });
    const grant = await request<{ access_token: string }>(service, '/v1/oauth/token', {
      form: { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret, scope: '' },
    });
    const token = grant.body.access_token;
    const seen = await get<UsersBody>('/v1/users', token);
    assert.deepEqual(
      seen.body.data.map(({ id }) => id),
      [ada.id],
    );
    assert.equal((await get('/v1/users/me', token)).body.data.id, ada.id);
    await refused(() => patch(ada.id, { name: 'Taken over' }, token), 403);
    await refused(() => patch(ada.id, { password: newPassword, current_password: password }, token), 403);
    await refused(() => request<UserBody>(service, '/v1/users/me', { method: 'DELETE', token }), 403);
    await refused(() => request<UserBody>(service, '/v1/email/confirmations', { method: 'POST', token }), 404);

    assert.equal((await request(service, `/v1/users/${ada.id}`, { method: 'DELETE', token: admin })).status, 204);
    const gone = await get('/v1/users/me', token);
    assert.equal(gone.status, 401, 'its tokens end with the owner, even if they were cached');
    assert.equal(gone.body.code, 'client_revoked');
  });

  it('lets only administrators create users', async () => {
    const ada = await registerUser();
    const json = { email: 'Made@Example.com', password, roles: ['editor'], username: 'Made', name: 'M' };
    await refused(() => request<UserBody>(service, '/v1/users', { json, token: ada.token }), 403);
    const { status, body, headers } = await request<UserBody>(service, '/v1/users', { json, token: admin });
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(body.data.email, 'Made@example.com');
    assert.equal(body.data.username, 'made');
    assert.equal(body.data.email_confirmed, false);
    assert.deepEqual(body.data.roles, ['editor']);
    assert.ok(headers.get('location')?.endsWith(`/v1/users/${body.data.id}`));
    assert.ok(await logIn(service, 'made@example.com', password));
    const { db } = service.context.database;
    const sessions = await db
      .selectFrom('sessions')
      .select('type')
      .where('user_id', '=', body.data.id)
      .where('type', '=', 'personal')
      .execute();
    assert.equal(sessions.length, 1, 'with a personal access token for the user');
    const again = await refused(() => request<UserBody>(service, '/v1/users', { json, token: admin }), 422);
    assert.equal(again.errors[0]?.code, 'taken');
  });

  it('reports each invalid field of a new user', async () => {
    for (const [json, expected] of [
      [{ password }, ['email:required']],
      [{ email: 'x@example.com' }, ['password:required']],
      [{ email: 'nonsense', password: 'password1', phone: '1' }, ['email:invalid', 'password:common', 'phone:invalid']],
      [{ email: 'x@example.com', password, roles: ['owner'] }, ['roles:enum']],
      [{ email: 'x@example.com', password, email_confirmed: true }, ['email_confirmed:read_only']],
      [{ email: 'x@example.com', password, password_hash: 'x' }, ['password_hash:unknown']],
      [{ username: 'nameonly', password }, ['email:required']],
    ] as const) {
      const { errors } = await refused(() => request<UserBody>(service, '/v1/users', { json, token: admin }), 422);
      assert.deepEqual(
        errors.map(({ field }) => field).sort(),
        expected.map((entry) => entry.split(':')[0]),
        JSON.stringify(errors),
      );
    }
  });

  it('lets users change their profile but not their roles', async () => {
    const ada = await registerUser();
    const proof = { current_password: password };
    const { body } = await patch(ada.id, { name: ' Ada ', username: 'Ada.L', ...proof }, ada.token);
    assert.equal(body.data.name, 'Ada');
    assert.equal(body.data.username, 'ada.l');
    await refused(() => patch(ada.id, { roles: ['admin'] }, ada.token), 403);
    await refused(() => patch(ada.id, { email_confirmed: true }, ada.token), 422);
    await refused(() => patch(ada.id, { email: null, ...proof }, ada.token), 422);
    const taken = await patch(ada.id, { email: 'admin@example.com', ...proof }, ada.token);
    assert.deepEqual([taken.status, taken.body.errors[0]?.code], [422, 'taken']);
    const grace = await registerUser();
    await refused(() => patch(grace.id, { name: 'Mine' }, ada.token), 404);
    await refused(() => patch(grace.id, { password: newPassword, current_password: password }, ada.token), 404);
  });

  it('accepts a user by PUT as it was read', async () => {
    const ada = await registerUser();
    const { body } = await get(`/v1/users/${ada.id}`, ada.token);
    const put = (json: unknown) =>
      request<UserBody>(service, `/v1/users/${ada.id}`, { method: 'PUT', json, token: ada.token });
    const { status, body: after } = await put({ ...body.data, name: 'Whole' });
    assert.equal(status, 200, JSON.stringify(after));
    assert.equal(after.data.name, 'Whole');
    assert.equal((await put({ email: ada.email })).body.data.name, null, 'omitted fields are cleared');
    assert.ok(await logIn(service, ada.email, password), 'except the password');
    await refused(() => put({ name: 'No address' }), 422);
  });

  it('includes roles, and lists them', async () => {
    const ada = await registerUser();
    await patch(ada.id, { roles: ['editor'] }, admin);
    const { status, body } = await get<{ data: { roles: unknown } }>(`/v1/users/${ada.id}?include=roles`, ada.token);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.data.roles, { data: [{ id: 'editor', name: 'editor' }] });
    const only = await get<{ data: object }>('/v1/users/me?filter=roles&include=roles', ada.token);
    assert.deepEqual(only.body.data, { roles: { data: [{ id: 'editor', name: 'editor' }] } });
    const list = await get<{ data: object[] }>('/v1/users?filter=roles&include=roles', ada.token);
    assert.deepEqual(list.body.data, [only.body.data]);
    const nested = await get<{ data: unknown[] }>(`/v1/users/${ada.id}/roles`, ada.token);
    assert.deepEqual(nested.body.data, [{ id: 'editor', name: 'editor' }]);
    const roles = await get<{ data: { id: string }[] }>('/v1/roles', ada.token);
    assert.deepEqual(
      roles.body.data.map(({ id }) => id),
      ['admin', 'editor'],
    );
    const holders = await get<{ data: { users: UsersBody } }>('/v1/roles/editor?include=users', ada.token);
    assert.deepEqual(
      holders.body.data.users.data.map(({ id }) => id),
      [ada.id],
      'only users that the caller may see',
    );
    assert.equal((await request(service, '/v1/roles', { json: { name: 'boss' }, token: admin })).status, 405);
  });

  it('includes only the clients, tokens and roles of each user', async () => {
    const [ada, grace] = [await registerUser(), await registerUser()];
    const client = await addClient(service, { userId: ada.id });
    await addClient(service, { userId: grace.id });
    type Included = { data: { clients: UsersBody; tokens: { data: { type: string }[] }; roles: UsersBody } };
    const { body } = await get<Included>('/v1/users/me?include=clients,tokens,roles', ada.token);
    assert.deepEqual(
      body.data.clients.data.map(({ id }) => id),
      [client.id],
    );
    assert.deepEqual(body.data.tokens.data.map(({ type }) => type).sort(), ['personal', 'session']);
    assert.deepEqual(body.data.roles.data, []);
    const nested = await get<UsersBody>(`/v1/users/${ada.id}/clients`, ada.token);
    assert.equal(nested.body.meta.pagination.total, 1);
    assert.equal((await get(`/v1/users/${grace.id}/clients`, ada.token)).status, 404);
    assert.equal((await get('/v1/users/me?include=secrets', ada.token)).status, 400);
  });

  it('loses no change when two callers edit at once', async () => {
    const ada = await registerUser();
    const { headers } = await get(`/v1/users/${ada.id}`, ada.token);
    const edit = (name: string) =>
      request<UserBody>(service, `/v1/users/${ada.id}`, {
        method: 'PATCH',
        json: { name },
        token: ada.token,
        headers: { 'if-match': headers.get('etag') as string },
      });
    const responses = await Promise.all([edit('One'), edit('Two')]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 412]);
  });
});
