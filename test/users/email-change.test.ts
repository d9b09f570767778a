import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { mailsTo, tokenMailed } from '../harness/mailbox.ts';
import {
  type Person,
  password,
  patchUser,
  personalClient,
  personalToken,
  registerUser,
  stateOf,
  type UserBody,
} from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const day = 24 * 60 * 60_000;

onBothEngines('A change of the email', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });
  const change = (who: Person, email: string | null, on = service) =>
    patchUser(on, who.id, { email, current_password: password }, who.token);
  const post = (path: string, token: string, on = service) =>
    request<UserBody & { message: string }>(on, `/v1/email/${path}/${token}`, { json: {} });
  const confirm = async (email: string, on = service) =>
    post('confirmations', await tokenMailed(on, 'confirm-new-email', email), on);
  const undo = async (from: string, on = service) =>
    post('reversals', await tokenMailed(on, 'email-change-requested', from), on);
  const logsIn = (email: string, on = service) =>
    logIn(on, email, password).then(
      () => true,
      () => false,
    );
  const userOf = async (who: Person) =>
    (await request<UserBody>(service, '/v1/users/me', { token: who.token })).body.data;

  it('takes effect when the new address is confirmed; until then the old one logs in', async () => {
    const ada = await registerUser(service);
    const next = `new.${ada.email}`;
    const { status, body, headers } = await change(ada, next);
    assert.equal(status, 200);
    assert.deepEqual([body.data.email, body.data.pending_email], [ada.email, next]);
    assert.equal(headers.get('cache-control'), 'no-store');
    const seen = await userOf(ada);
    assert.equal(seen.email, ada.email);
    assert.ok(!('pending_email' in seen), 'the user has the fields of the contract');
    assert.deepEqual([await logsIn(ada.email), await logsIn(next)], [true, false]);
    assert.equal((await mailsTo(service, 'email-change-requested', ada.email)).length, 1);

    assert.equal((await confirm(next)).status, 200);
    assert.deepEqual([await logsIn(ada.email), await logsIn(next)], [false, true]);
    const after = await userOf(ada);
    assert.deepEqual([after.email, after.email_confirmed], [next, true]);
    assert.equal((await mailsTo(service, 'email-changed', ada.email)).length, 1);
    assert.equal((await confirm(next)).status, 404, 'the link works once');
  });

  it('is shown to its user, who can cancel it', async () => {
    const [ada, grace] = [await registerUser(service), await registerUser(service)];
    const next = `new.${ada.email}`;
    const path = (id: string) => `/v1/users/${id}/email-changes`;
    const none = await request<{ data: unknown[] }>(service, path('me'), { token: ada.token });
    assert.deepEqual([none.status, none.body.data], [200, []]);
    await change(ada, next);
    const shown = await request<{ data: { email: string }[] }>(service, path('me'), { token: ada.token });
    assert.equal(shown.body.data[0]?.email, next);
    const client = await personalClient(service, ada.token);
    const { access_token } = (await client.grant()).body;
    assert.equal((await request(service, path('me'), { token: access_token })).status, 403);
    assert.equal((await request(service, path(ada.id), { token: grace.token })).status, 404);
    assert.equal((await request(service, path(ada.id), { method: 'DELETE', token: grace.token })).status, 404);
    const link = await tokenMailed(service, 'confirm-new-email', next);
    assert.equal((await request(service, path(ada.id), { method: 'DELETE', token: ada.token })).status, 204);
    assert.equal((await post('confirmations', link)).status, 404);
    assert.equal((await userOf(ada)).email, ada.email);
  });

  it('is replaced by the next one, and its mail can be sent again', async () => {
    const ada = await registerUser(service);
    await change(ada, `one.${ada.email}`);
    const first = await tokenMailed(service, 'confirm-new-email', `one.${ada.email}`);
    await change(ada, `two.${ada.email}`);
    assert.equal((await post('confirmations', first)).status, 404);
    const again = await request(service, '/v1/email/confirmations', { json: {}, token: ada.token });
    assert.equal(again.status, 202);
    assert.equal((await mailsTo(service, 'confirm-new-email', `two.${ada.email}`)).length, 2);
    assert.equal((await confirm(`two.${ada.email}`)).status, 200);
  });

  it('has a link that never expires later than the change', async () => {
    const own = await start();
    const ada = await registerUser(own);
    await change(ada, `late.${ada.email}`, own);
    const pending = await own.context.database.db
      .selectFrom('email_changes')
      .select('undo_until')
      .executeTakeFirstOrThrow();
    own.advance(6 * day);
    const token = await logIn(own, ada.email, password);
    assert.equal((await request(own, '/v1/email/confirmations', { json: {}, token })).status, 202);
    assert.equal((await mailsTo(own, 'confirm-new-email', `late.${ada.email}`)).length, 2);
    const links = await own.context.database.db
      .selectFrom('one_time_tokens')
      .select('expires_at')
      .where('email', '=', `late.${ada.email}`)
      .orderBy('expires_at', 'desc')
      .execute();
    assert.equal(links[0]?.expires_at, pending.undo_until);
  });

  it('gives an address to the first of two users who confirms it', async () => {
    const [ada, grace] = [await registerUser(service), await registerUser(service)];
    const wanted = `wanted.${ada.email}`;
    await change(ada, wanted);
    const ofAda = await tokenMailed(service, 'confirm-new-email', wanted);
    await change(grace, wanted);
    const ofGrace = await tokenMailed(service, 'confirm-new-email', wanted);
    const responses = await Promise.all([post('confirmations', ofAda), post('confirmations', ofGrace)]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409]);
    assert.equal(responses.find(({ status }) => status === 409)?.body.code, 'email_taken');
    const owners = [await userOf(ada), await userOf(grace)].filter(({ email }) => email === wanted);
    assert.equal(owners.length, 1);
  });

  it('can be undone from the old address before it is confirmed', async () => {
    const ada = await registerUser(service);
    const next = `thief.${ada.email}`;
    const pat = await personalToken(service, ada.token);
    const client = await personalClient(service, ada.token);
    await change(ada, next);
    const link = await tokenMailed(service, 'confirm-new-email', next);
    assert.equal((await undo(ada.email)).status, 200);
    for (const token of [ada.token, pat]) assert.equal(await stateOf(service, token), '401 token_revoked');
    assert.equal((await client.grant()).status, 401);
    assert.equal((await post('confirmations', link)).status, 404);
    assert.equal(await logsIn(ada.email), false, 'the person who requested it knew the password');
    const reset = await tokenMailed(service, 'reset-password', ada.email);
    await request(service, `/v1/password/resets/${reset}`, { json: { password: 'another fine secret' } });
    assert.ok(await logIn(service, ada.email, 'another fine secret'));
    assert.equal((await undo(ada.email)).status, 404, 'the link works once');
    const { db } = service.context.database;
    const events = await db.selectFrom('events').selectAll().where('user_id', '=', ada.id).execute();
    const requested = events.find(({ type }) => type === 'email.change_requested');
    assert.deepEqual(JSON.parse(requested?.data ?? ''), { changes: { email: { from: ada.email, to: next } } });
    assert.ok(events.some(({ type }) => type === 'email.change_undone'));
  });

  it('can be undone after it took effect, after later changes, and after a thief cancelled it', async () => {
    const ada = await registerUser(service);
    const [one, two] = [`one.${ada.email}`, `two.${ada.email}`];
    await change(ada, `zero.${ada.email}`);
    const early = await tokenMailed(service, 'email-change-requested', ada.email);
    await request(service, '/v1/users/me/email-changes', { method: 'DELETE', token: ada.token });
    await change(ada, one);
    await confirm(one);
    await change(ada, two);
    await confirm(two);
    const ofThief = await tokenMailed(service, 'email-change-requested', one);
    const taken = await request<UserBody>(service, '/v1/register', { json: { email: ada.email, password } });
    assert.deepEqual([taken.status, taken.body.errors[0]?.code], [422, 'taken'], 'the old address stays reserved');
    assert.equal((await post('reversals', early)).status, 200);
    const { db } = service.context.database;
    const row = await db.selectFrom('users').selectAll().where('id', '=', ada.id).executeTakeFirstOrThrow();
    assert.deepEqual([row.email, row.email_confirmed], [ada.email, 1]);
    assert.equal((await post('reversals', ofThief)).status, 404, 'the undo cannot be undone');
    assert.equal(await logsIn(two), false);
    const free = await request(service, '/v1/register', { json: { email: two, password } });
    assert.equal(free.status, 201);
  });

  it('can be undone for seven days, after which others can use the address', async () => {
    const own = await start();
    const ada = await registerUser(own);
    await change(ada, `new.${ada.email}`, own);
    own.advance(2 * day);
    await confirm(`new.${ada.email}`, own);
    await tokenMailed(own, 'email-changed', ada.email);
    own.advance(7 * day - 1000);
    assert.equal((await request(own, '/v1/register', { json: { email: ada.email, password } })).status, 422);
    own.advance(2000);
    assert.equal((await undo(ada.email, own)).status, 404);
    assert.equal((await request(own, '/v1/register', { json: { email: ada.email, password } })).status, 201);
  });

  it('ends when the owner sets a password by mail', async () => {
    const ada = await registerUser(service);
    const next = `thief.${ada.email}`;
    await change(ada, next);
    const link = await tokenMailed(service, 'confirm-new-email', next);
    await request(service, '/v1/password/resets', { json: { email: ada.email } });
    const reset = await tokenMailed(service, 'reset-password', ada.email);
    await request(service, `/v1/password/resets/${reset}`, { json: { password: 'another fine secret' } });
    assert.equal((await post('confirmations', link)).status, 404);
    assert.ok(await logIn(service, ada.email, 'another fine secret'));
  });

  it('by an administrator takes effect immediately, unconfirmed, and cannot be undone by a link', async () => {
    const admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    const ada = await registerUser(service);
    await change(ada, `thief.${ada.email}`);
    const confirmation = await tokenMailed(service, 'confirm-new-email', `thief.${ada.email}`);
    const reversal = await tokenMailed(service, 'email-change-requested', ada.email);
    const { body } = await patchUser(service, ada.id, { email: `set.${ada.email}` }, admin);
    assert.deepEqual([body.data.email, body.data.email_confirmed], [`set.${ada.email}`, false]);
    const [notice] = await mailsTo(service, 'email-changed', ada.email);
    assert.doesNotMatch(notice?.text ?? '', /https?:\S+\/email\//);
    assert.equal((await mailsTo(service, 'confirm-email', `set.${ada.email}`)).length, 1);
    assert.equal((await post('confirmations', confirmation)).status, 404);
    assert.equal((await post('reversals', reversal)).status, 404);
  });

  it('is throttled, so that it cannot flood a mailbox', async () => {
    const ada = await registerUser(service);
    const statuses: number[] = [];
    for (let n = 0; n < 8; n++) statuses.push((await change(ada, `${n}.${ada.email}`)).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429, 429]);
  });

  it('refuses forged links', async () => {
    const ada = await registerUser(service);
    await change(ada, `new.${ada.email}`);
    const link = await tokenMailed(service, 'email-change-requested', ada.email);
    const [id, mac] = link.split('.') as [string, string];
    for (const wrong of [id, `${id}.`, `${id}.${'A'.repeat(43)}`, `${id}.${mac}x`, 'x'.repeat(2000)]) {
      assert.equal((await post('reversals', wrong)).status, 404);
    }
    const confirmation = await tokenMailed(service, 'confirm-new-email', `new.${ada.email}`);
    assert.equal((await post('reversals', confirmation)).status, 404);
    assert.equal((await post('confirmations', link)).status, 404);
    assert.equal(await stateOf(service, ada.token), '200');
  });
});
