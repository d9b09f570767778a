import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addClient, addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { mailsTo, tokenMailed } from '../harness/mailbox.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

type Person = { id: string; name: string; roles: string[]; email_confirmed: boolean };
const login = '/v1/clients/web/admin/login';

onBothEngines('An administrator', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  let adminId: string;
  let people = 0;
  before(async () => {
    service = await start({ env: { ROLES: 'admin,editor' } });
    const { id, email } = await addLogin(service, { email: 'ada@example.com', roles: ['admin'] });
    adminId = id;
    admin = await logIn(service, email, password);
  });
  const addPerson = () => addLogin(service, { email: `person${people++}@example.com` });
  const act = (id: string, name: string, method = 'POST', token = admin) =>
    request(service, `/v1/users/${id}/${name}`, { method, token });
  const isConfirmed = async (id: string) =>
    (await request<{ data: Person }>(service, `/v1/users/${id}`, { token: admin })).body.data.email_confirmed;
  const lastEvent = async (userId: string) => {
    const path = `/v1/events?search=user_id:${userId}&orderBy=created_at&sortedBy=desc&limit=1`;
    const { body } = await request<{ data: { type: string; actor_id: string | null }[] }>(service, path, {
      token: admin,
    });
    return [body.data[0]?.type, body.data[0]?.actor_id];
  };

  it('sees a lockout and ends it', async () => {
    const { id, email } = await addPerson();
    const attempt = (given: string) => request(service, login, { json: { email, password: given } });
    const lockout = async () => (await request(service, `/v1/users/${id}/lockouts`, { token: admin })).body.data;
    for (let i = 0; i < 10; i++) assert.equal((await attempt('wrong')).status, 400);
    assert.equal((await attempt(password)).status, 429);
    const [locked] = (await lockout()) as { until: string }[];
    assert.ok(locked && Date.parse(locked.until) > service.context.now());
    assert.equal((await act(id, 'lockouts', 'DELETE')).status, 204);
    assert.deepEqual(await lockout(), []);
    assert.deepEqual(await lastEvent(id), ['user.unlocked', adminId]);
    assert.equal((await attempt(password)).status, 200);
  });

  it('confirms an email, sends a password reset, and ends all sessions of a user', async () => {
    const { id, email } = await addPerson();
    await service.context.database.db.updateTable('users').set({ email_confirmed: 0 }).where('id', '=', id).execute();
    assert.equal((await act(id, 'email-confirmations')).status, 204);
    assert.equal(await isConfirmed(id), true);
    assert.deepEqual(await lastEvent(id), ['email.confirmed', adminId]);
    const token = await logIn(service, email, password);
    assert.equal((await act(id, 'password-resets')).status, 202);
    assert.deepEqual(await lastEvent(id), ['password.reset_sent', adminId]);
    assert.equal((await mailsTo(service, 'reset-password', email)).length, 1);
    assert.equal((await act(id, 'sessions', 'DELETE')).status, 204);
    assert.deepEqual(await lastEvent(id), ['user.signed_out', adminId]);
    assert.equal((await request(service, '/v1/users/me', { token })).body.code, 'token_revoked');
    assert.equal((await act(adminId, 'sessions', 'DELETE')).status, 204);
    assert.equal(
      (await request(service, '/v1/users/me', { token: admin })).status,
      200,
      "the administrator's own session continues",
    );
  });

  it('gets an error if the action is impossible', async () => {
    const { id } = await addPerson();
    const set = (values: object) =>
      request(service, `/v1/users/${id}`, { method: 'PATCH', json: values, token: admin });
    assert.equal((await set({ disabled: true })).status, 200);
    assert.deepEqual((await act(id, 'password-resets')).body.code, 'user_disabled');
    assert.deepEqual((await act(id, 'email-confirmations')).status, 409);
    assert.equal((await act('0199d0a0-7c00-7000-8000-00000000abcd', 'lockouts', 'DELETE')).status, 404);
    for (let i = 0; i < 5; i++) await act(adminId, 'password-resets');
    assert.equal((await act(adminId, 'password-resets')).status, 429);
  });

  it('invites a user, who chooses a password with the link', async () => {
    const invite = (json: object, token = admin) =>
      request<{ data: Person }>(service, '/v1/invitations', { json, token });
    const email = 'grace@example.com';
    const { status, body } = await invite({ email, name: 'Grace Hopper', roles: ['editor'] });
    assert.equal(status, 201);
    const { id, name, roles, email_confirmed } = body.data;
    assert.deepEqual([name, roles, email_confirmed], ['Grace Hopper', ['editor'], false]);
    assert.deepEqual(await lastEvent(id), ['user.invited', adminId]);
    const token = await tokenMailed(service, 'invitation', email);
    service.advance(2 * 86_400_000);
    admin = await logIn(service, 'ada@example.com', password);
    const page = await (await fetch(`${service.url}/invitations/${token}`)).text();
    assert.match(page, /Welcome, Grace Hopper/);
    assert.match(page, /invited you to Gatehouse as editor\./);
    assert.match(page, new RegExp(`Choose a password for <strong>${email}</strong>`));
    assert.equal((await fetch(`${service.url}/invitations/wrong`)).status, 410);
    const chosen = await request(service, `/v1/password/resets/${token}`, { json: { password: 'a chosen password' } });
    assert.equal(chosen.status, 200);
    assert.ok(await logIn(service, email, 'a chosen password'));
    assert.equal(await isConfirmed(id), true);
    assert.equal((await invite({ email })).status, 422, 'the email is taken');
    const other = 'hedy@example.com';
    assert.equal((await invite({ email: other })).status, 201);
    const path = `/invitations/${await tokenMailed(service, 'invitation', other)}`;
    assert.match(await (await fetch(service.url + path)).text(), /invited you to Gatehouse\. Choose/, 'without a role');
    assert.equal((await invite({ email: 'nobody' })).status, 422);
    for (const blank of ['', '  ']) assert.equal((await invite({ email: blank, name: 'Nobody' })).status, 422);
    assert.equal((await invite({ email: 'x@example.com', roles: ['king'] })).status, 422);
    assert.equal((await invite({ email: 'x@example.com', password: 'sent along' })).status, 422);
  });

  it('needs a token with all scopes', async () => {
    const { id, email } = await addPerson();
    const own = await logIn(service, email, password);
    const { id: client_id, secret: client_secret } = await addClient(service, {
      userId: adminId,
      scopes: ['users:write'],
    });
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    const { body } = await request<{ access_token: string }>(service, '/v1/oauth/token', { form });
    for (const token of [own, body.access_token]) {
      const acts = { lockouts: 'DELETE', 'email-confirmations': 'POST', 'password-resets': 'POST', sessions: 'DELETE' };
      for (const [name, method] of Object.entries(acts)) {
        assert.equal((await act(id, name, method, token)).status, token === own ? 403 : 404, name);
      }
      const invited = await request(service, '/v1/invitations', { json: { email: 'y@example.com' }, token });
      assert.equal(invited.status, 403);
      assert.equal((await request(service, '/v1/activities', { token })).status, 403);
      assert.equal((await request(service, '/v1/diagnoses', { token })).status, 403);
    }
  });

  it('sees the activity per hour, and the findings of doctor', async () => {
    type Hour = Record<'at', string> &
      Partial<Record<'sign_ins' | 'failures' | 'registrations' | 'tokens' | 'sessions', number>>;
    const activity = async () =>
      (await request<{ data: { sessions: number; hours: Hour[] } }>(service, '/v1/activities', { token: admin })).body
        .data;
    const kinds = ['sign_ins', 'failures', 'registrations', 'tokens'] as const;
    // The hour may end during the test.
    const sums = (hours: Hour[]) => kinds.map((kind) => hours.reduce((sum, hour) => sum + (hour[kind] ?? 0), 0));
    const before = sums((await activity()).hours);
    const { email } = await addPerson();
    await logIn(service, email, password);
    await request(service, login, { json: { email, password: 'wrong' } });
    await request(service, '/v1/register', { json: { email: 'new@example.com', password } });
    const { sessions, hours } = await activity();
    const now = sums(hours);
    assert.deepEqual(
      now.map((sum, i) => sum - (before[i] ?? 0)),
      [1, 1, 1, 1],
    );
    assert.equal(hours.at(-1)?.sessions, sessions);
    assert.ok(sessions > 0);
    if (engine === 'postgres') {
      const other = await start({ database: service.database });
      await logIn(other, email, password);
      await request(other, '/v1/activities', { token: admin });
      const [signIns] = sums((await activity()).hours);
      assert.equal(signIns, (now[0] ?? 0) + 1, 'the counts of all instances are added up');
    }
    const { body } = await request(service, '/v1/diagnoses', { token: admin });
    const { version, database, findings } = body.data as {
      version: string;
      database: string;
      findings: { part: string; state: string }[];
    };
    assert.match(version, /^\d+\.\d+/);
    assert.equal(database, engine);
    const parts = new Map(findings.map(({ part, state }) => [part, state]));
    assert.deepEqual(
      ['migrations', 'keys', 'mail'].map((part) => parts.get(part)),
      ['ok', 'ok', 'notice'],
    );
  });
});
