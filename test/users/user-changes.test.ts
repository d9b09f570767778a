import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { withoutTableLocks } from '../../src/database/without-table-locks.ts';
import { refusalOf } from '../harness/content.ts';
import { onBothEngines } from '../harness/engines.ts';
import { password, patchUser, registerUser as register, type UserBody, type UsersBody } from '../harness/people.ts';
import { type JsonResponse, logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const newPassword = 'another fine secret';
const deletion = { method: 'DELETE', json: { current_password: password } };

onBothEngines('Changes of users', (engine) => {
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

  it('require the old password for a new one, and end the other sessions', async () => {
    const ada = await registerUser();
    const other = await logIn(service, ada.email, password);
    const missing = await refused(() => patch(ada.id, { password: newPassword }, ada.token), 422);
    assert.deepEqual(
      missing.errors.map(({ field, code }) => `${field}:${code}`),
      ['current_password:required'],
    );
    const wrong = await patch(ada.id, { password: newPassword, current_password: 'not it at all' }, ada.token);
    assert.equal(wrong.status, 422);
    assert.equal(wrong.body.errors[0]?.code, 'wrong');
    await refused(() => patch(ada.id, { password: 'password1', current_password: password }, ada.token), 422);
    assert.equal((await get('/v1/users/me', other)).status, 200);
    const { status, body } = await patch(ada.id, { password: newPassword, current_password: password }, ada.token);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await get('/v1/users/me', ada.token)).status, 200, 'this session stays');
    assert.equal((await get('/v1/users/me', other)).body.code, 'token_revoked');
    assert.ok(await logIn(service, ada.email, newPassword));
    await assert.rejects(logIn(service, ada.email, password));
  });

  it('limit wrong old passwords with a separate count, so that the login is not locked', async () => {
    const ada = await registerUser();
    const guess = () => patch(ada.id, { password: newPassword, current_password: 'not it at all' }, ada.token);
    const responses = await Promise.all(Array.from({ length: 15 }, guess));
    assert.equal(responses.filter(({ status }) => status === 422).length, 10);
    assert.equal(responses.filter(({ status }) => status === 429).length, 5);
    assert.ok(await logIn(service, ada.email, password));
  });

  it('include passwords that an administrator sets, which end all access of the user', async () => {
    const ada = await registerUser();
    const { status } = await patch(ada.id, { password: newPassword }, admin);
    assert.equal(status, 200);
    assert.equal((await get('/v1/users/me', ada.token)).body.code, 'token_revoked');
    assert.ok(await logIn(service, ada.email, newPassword));
  });

  it('apply roles from administrators immediately', async () => {
    const ada = await registerUser();
    assert.equal((await get<UsersBody>('/v1/users', ada.token)).body.data.length, 1);
    assert.deepEqual((await patch(ada.id, { roles: ['admin', 'editor'] }, admin)).body.data.roles, ['admin', 'editor']);
    assert.ok((await get<UsersBody>('/v1/users', ada.token)).body.data.length > 1, 'with the existing token');
    assert.equal((await patch(ada.id, { roles: [] }, admin)).status, 200);
    assert.equal((await get<UsersBody>('/v1/users', ada.token)).body.data.length, 1);
    const found = await get<UsersBody>('/v1/users?search=roles:admin', admin);
    assert.deepEqual(
      found.body.data.map(({ email }) => email),
      ['admin@example.com'],
    );
  });

  it('keep the last administrator', async () => {
    const own = await start();
    const boss = await logIn(own, 'admin@example.com', 'correct horse battery');
    const me = await request<UserBody>(own, '/v1/users/me', { token: boss });
    const { id } = me.body.data;
    const demoted = await patch(id, { roles: [] }, boss, own);
    assert.equal(demoted.status, 409);
    assert.equal(demoted.body.code, 'last_administrator');
    const deleted = await request<UserBody>(own, '/v1/users/me', { method: 'DELETE', token: boss });
    assert.equal(deleted.status, 409);

    const second = await registerUser(own);
    await patch(second.id, { roles: ['admin'] }, boss, own);
    const responses = await Promise.all([
      patch(id, { roles: [] }, second.token, own),
      patch(second.id, { roles: [] }, boss, own),
    ]);
    const admins = await own.context.database.db
      .selectFrom('users')
      .select('id')
      .where('roles', 'like', '%admin%')
      .execute();
    assert.equal(admins.length, 1, "one of two administrators who remove each other's role keeps it");
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
  });

  if (engine === 'postgres')
    it('remove an administrator while an index is being created', async () => {
      const { id } = await registerUser();
      assert.equal((await patch(id, { roles: ['admin'] }, admin)).status, 200);
      await withoutTableLocks(service.context.database, async () => {
        const { status, text } = await patch(id, { roles: [] }, admin);
        assert.equal(status, 200, text);
      });
    });

  it('include deletions, which end sessions and clients, and leave an audit trail without addresses', async () => {
    const ada = await registerUser();
    const { db } = service.context.database;
    const grace = await registerUser();
    await refused(
      () => request<UserBody>(service, `/v1/users/${grace.id}`, { method: 'DELETE', token: ada.token }),
      404,
    );
    await assert.rejects(logIn(service, ada.email, 'wrong password'));
    assert.equal((await request(service, '/v1/users/me', { ...deletion, token: ada.token })).status, 204);
    const gone = await get('/v1/users/me', ada.token);
    assert.equal(gone.status, 401);
    assert.equal(gone.body.code, 'user_gone');
    for (const table of ['sessions', 'clients', 'one_time_tokens'] as const) {
      assert.deepEqual(await db.selectFrom(table).selectAll().where('user_id', '=', ada.id).execute(), [], table);
    }
    const events = await db.selectFrom('events').selectAll().where('user_id', '=', ada.id).execute();
    assert.ok(events.some(({ type }) => type === 'user.deleted'));
    assert.ok(events.some(({ type }) => type === 'login.failed'));
    for (const event of events) {
      assert.deepEqual([event.address, event.user_agent], [null, null]);
      assert.doesNotMatch(JSON.stringify(event), new RegExp(ada.email));
    }
    assert.equal((await request(service, `/v1/users/${grace.id}`, { method: 'DELETE', token: admin })).status, 204);
    assert.equal((await get('/v1/users/me', grace.token)).body.code, 'user_gone');
    const { body } = await request<UserBody>(service, '/v1/register', { json: { email: ada.email, password } });
    assert.notEqual(body.data.id, ada.id, 'the email is free again');
  });
});
