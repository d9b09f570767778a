import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { contentOf } from '../harness/content.ts';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

interface Registered {
  data: Record<string, unknown> & { id: string };
}
interface Refused {
  code: string;
  errors: { field: string; code: string; message: string }[];
}

const password = 'a fine long secret';

onBothEngines('Registration', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });
  const register = <T = Registered>(json: unknown, on = service) => request<T>(on, '/v1/register', { json });
  const wrongFields = async (json: Record<string, unknown>, on = service): Promise<string[]> => {
    const before = await contentOf(on);
    const { status, body, headers } = await register<Refused>(json, on);
    assert.equal(status, 422, JSON.stringify(body));
    assert.equal(headers.get('content-type'), 'application/problem+json');
    assert.equal(body.code, 'validation_failed');
    assert.equal(await contentOf(on), before, 'a refused request changes nothing');
    return body.errors.map(({ field, code }) => `${field}:${code}`).sort();
  };

  it('creates a user from JSON and from a form, and returns only the user', async () => {
    const json = await register({ email: 'Ada@Example.com', password, name: ' Ada Lovelace ' });
    assert.equal(json.status, 201);
    const { id, created_at, updated_at, ...rest } = json.body.data;
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.equal(json.headers.get('location'), `${service.url}/v1/users/${id}`);
    assert.match(String(created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(created_at, updated_at);
    assert.deepEqual(rest, {
      email: 'Ada@example.com',
      username: null,
      phone: null,
      name: 'Ada Lovelace',
      email_confirmed: false,
      roles: [],
      disabled: false,
      locale: null,
      realm: 'users',
    });
    const form = await request<Registered>(service, '/v1/register', {
      form: { email: 'grace@example.com', password, name: '', username: 'Grace', phone: '+1 (213) 373-4253' },
    });
    assert.equal(form.status, 201);
    const { name, username, phone } = form.body.data;
    assert.deepEqual({ name, username, phone }, { name: null, username: 'grace', phone: '+12133734253' });
  });

  it('lets the user log in with the same credentials afterwards', async () => {
    await register({ email: 'login@example.com', password });
    assert.ok(await logIn(service, 'LOGIN@example.com', password));
  });

  it('issues a personal access token that is not shown, and records the registration', async () => {
    const { body } = await register({ email: 'first@example.com', password });
    const { db } = service.context.database;
    const sessions = await db.selectFrom('sessions').selectAll().where('user_id', '=', body.data.id).execute();
    assert.equal(sessions.length, 1);
    assert.equal(sessions[0]?.type, 'personal');
    assert.equal(sessions[0]?.revealed_at, null);
    assert.equal(sessions[0]?.scopes, '["*"]');
    const events = await db.selectFrom('events').selectAll().where('user_id', '=', body.data.id).execute();
    assert.deepEqual(
      events.map(({ type }) => type),
      ['user.registered'],
    );
    assert.doesNotMatch(JSON.stringify(body), /token|hash|password/);
  });

  it('refuses fields that a new user may not set, and unknown ones', async () => {
    assert.deepEqual(
      await wrongFields({
        email: 'sneaky@example.com',
        password,
        roles: ['admin'],
        email_confirmed: true,
        id: '018f0000-0000-7000-8000-000000000000',
        nickname: 'x',
      }),
      ['email_confirmed:unknown', 'id:unknown', 'nickname:unknown', 'roles:unknown'],
    );
  });

  it('reports every invalid field in one response', async () => {
    assert.deepEqual(
      await wrongFields({ email: 'nonsense', password: 'short', username: '1', phone: '12', name: 'a\u0007b', x: 1 }),
      ['email:invalid', 'name:invalid', 'password:too_short', 'phone:invalid', 'username:invalid', 'x:unknown'],
    );
    assert.deepEqual(await wrongFields({}), ['email:required', 'password:required']);
    assert.deepEqual(await wrongFields({ email: 7, password: ['x'], name: { a: 1 } }), [
      'email:type',
      'name:type',
      'password:type',
    ]);
  });

  for (const [why, wrong, code] of [
    ['too short', 'sevenchr'.slice(1), 'too_short'],
    ['too long', 'ä'.repeat(513), 'too_long'],
    ['common', 'password1', 'common'],
    ['common in another case', 'PassWord123', 'common'],
    ['common with digits and signs instead of letters', 'P@$$w0rd', 'common'],
    ['a keyboard walk', '1qaz2wsx', 'common'],
    ['the email itself', 'own.address@example.com', 'common'],
  ] as const) {
    it(`refuses a password that is ${why}`, async () => {
      assert.deepEqual(await wrongFields({ email: 'own.address@example.com', password: wrong }), [`password:${code}`]);
    });
  }

  it('accepts a password of exactly 8 characters, and one of exactly 1,024 bytes', async () => {
    assert.equal((await register({ email: 'eight@example.com', password: 'zq8-Wm7x' })).status, 201);
    assert.equal((await register({ email: 'long@example.com', password: 'ä'.repeat(512) })).status, 201);
  });

  it('refuses an identifier of another user, in any spelling', async () => {
    await register({ email: 'taken@example.com', username: 'taken.name', phone: '+49 30 901820', password });
    assert.deepEqual(
      await wrongFields({ email: 'TAKEN@Example.com', username: 'Taken.Name', phone: '+4930901820', password }),
      ['email:taken', 'phone:taken', 'username:taken'],
    );
  });

  it('creates one user from a hundred concurrent registrations of one email', async () => {
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => register<Refused>({ email: 'race@example.com', password })),
    );
    const ofStatus = (status: number) => responses.filter((response) => response.status === status);
    assert.equal(ofStatus(201).length, 1);
    for (const { body } of ofStatus(422)) {
      assert.deepEqual(
        body.errors.map(({ field, code }) => `${field}:${code}`),
        ['email:taken'],
      );
    }
    assert.ok(ofStatus(422).length <= 5, 'the error "taken" is returned only a few times');
    assert.equal(ofStatus(422).length + ofStatus(429).length, 99);
    const { db } = service.context.database;
    const users = await db.selectFrom('users').select('id').where('email', '=', 'race@example.com').execute();
    assert.equal(users.length, 1);
    const tokens = await db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', users[0]?.id ?? '')
      .execute();
    assert.equal(tokens.length, 1);
  });

  it('accepts any enabled identifier instead of the email, and no disabled one', async () => {
    assert.deepEqual(await wrongFields({ username: 'nameonly', password }), ['email:required']);
    const open = await start({ env: { LOGIN_ATTRIBUTES: 'email,username,phone' } });
    assert.equal((await register({ username: 'nameonly', password }, open)).status, 201);
    assert.equal((await register({ phone: '+12133734253', password }, open)).status, 201);
    assert.deepEqual(await wrongFields({ name: 'Nobody', password }, open), ['email:required']);
    const strict = await start({ env: { LOGIN_ATTRIBUTES: 'email,username', REQUIRE_EMAIL_CONFIRMATION: 'true' } });
    assert.equal((await register({ username: 'nameonly', password }, strict)).status, 201);
    const login = await request(strict, '/v1/clients/web/admin/login', { json: { username: 'nameonly', password } });
    assert.equal(login.status, 200, 'a user without an email has nothing to confirm');
  });

  it('accepts a repeated password, as forms send it', async () => {
    // The registrations of earlier tests no longer count.
    service.advance(61 * 60_000);
    const twice = (password_confirmation: unknown) => ({
      email: `twice${engine}@example.com`,
      password,
      password_confirmation,
    });
    assert.deepEqual(await wrongFields(twice('another')), ['password_confirmation:mismatch']);
    assert.deepEqual(await wrongFields(twice('')), ['password_confirmation:mismatch']);
    assert.equal((await register(twice(password))).status, 201);
  });

  it('refuses malformed bodies with a clear 4xx', async () => {
    for (const [body, type, expected] of [
      ['{"email":', 'application/json', 400],
      ['[]', 'application/json', 400],
      ['email=a', 'text/plain', 415],
      ['{"email":"a@example.com","password":"half a pair \\ud800"}', 'application/json', 400],
    ] as const) {
      const response = await fetch(`${service.url}/v1/register`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': type },
        body,
      });
      assert.equal(response.status, expected);
    }
    const empty = await request<Refused>(service, '/v1/register', { method: 'POST' });
    assert.equal(empty.status, 422);
  });
});
