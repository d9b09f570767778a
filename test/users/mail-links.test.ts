import assert from 'node:assert/strict';
import { before, beforeEach, it } from 'node:test';
import type { Email } from 'postal-mime';
import { contentOf } from '../harness/content.ts';
import { onBothEngines } from '../harness/engines.ts';
import { mailsAt, servicesWithMail, tokenIn } from '../harness/mail-server.ts';
import { logIn, request } from '../harness/request.ts';
import type { Service } from '../harness/service.ts';

const password = 'a fine long secret';
const newPassword = 'another fine secret';
const hour = 60 * 60_000;

onBothEngines('Links in mail', (engine) => {
  const mail = servicesWithMail(engine);
  let service: Service;
  before(async () => {
    service = await mail.start();
  });

  let people = 0;
  let email: string;
  let userId: string;
  beforeEach(async () => {
    email = `user${people++}@example.com`;
    const { body } = await request<{ data: { id: string } }>(service, '/v1/register', { json: { email, password } });
    userId = body.data.id;
  });
  const mailsTo = (address: string, subject: RegExp) =>
    mailsAt(mail.server, service, (to, line) => to === address && subject.test(line));
  const confirmations = (to = email) => mailsTo(to, /Confirm/);
  const resets = (to = email) => mailsTo(to, /new password/);
  const lastToken = async (mails: Promise<Email[]>) => tokenIn((await mails).at(-1) as Email);
  const post = (path: string, json: unknown = {}, token?: string) =>
    request<{ code?: string; message?: string }>(service, path, { json, ...(token ? { token } : {}) });
  const row = () =>
    service.context.database.db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow();
  const isConfirmed = async () => (await row()).email_confirmed === 1;
  const refused = async (attempt: () => Promise<{ status: number; body: { code?: string } }>, status: number) => {
    const content = await contentOf(service);
    const response = await attempt();
    assert.equal(response.status, status, JSON.stringify(response.body));
    assert.equal(await contentOf(service), content, 'a refused request changes nothing');
    return response.body.code;
  };

  it('confirm an address once', async () => {
    const token = await lastToken(confirmations());
    const response = await post(`/v1/email/confirmations/${token}`);
    assert.equal(response.status, 200);
    assert.equal(await isConfirmed(), true);
    assert.equal(await refused(() => post(`/v1/email/confirmations/${token}`), 404), 'link_invalid');
  });

  it('work for one of several concurrent requests', async () => {
    const token = await lastToken(confirmations());
    const responses = await Promise.all(Array.from({ length: 20 }, () => post(`/v1/email/confirmations/${token}`)));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    assert.equal(responses.filter(({ status }) => status === 404).length, 19);
  });

  it('are not used up by a GET', async () => {
    const token = await lastToken(confirmations());
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      await request(service, `/v1/email/confirmations/${token}`, { method });
      await fetch(`${service.url}/email/confirm/${token}`, { method, redirect: 'manual' });
    }
    assert.equal(await isConfirmed(), false);
    assert.equal((await post(`/v1/email/confirmations/${token}`)).status, 200);
  });

  it('expire', async () => {
    const own = await mail.start();
    const address = 'late@example.com';
    await request(own, '/v1/register', { json: { email: address, password } });
    await own.accounts.mail.settle();
    const token = await lastToken(confirmations(address));
    own.advance(72 * hour);
    const response = await request(own, `/v1/email/confirmations/${token}`, { json: {} });
    assert.equal(response.status, 404);
  });

  it('cannot be forged, altered, or used for another purpose', async () => {
    const token = await lastToken(confirmations());
    const [id, mac] = token.split('.') as [string, string];
    const turned = `${id}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`;
    for (const wrong of [
      turned,
      id,
      `${id}.`,
      `.${mac}`,
      'x',
      `${id}.${'A'.repeat(43)}`,
      `${token}x`,
      'a'.repeat(2000),
    ]) {
      await refused(() => post(`/v1/email/confirmations/${wrong}`), 404);
    }
    await refused(() => post(`/v1/password/resets/${token}`, { password: newPassword }), 404);
  });

  it('are invalid after the email has changed', async () => {
    const token = await lastToken(confirmations());
    await service.context.database.db
      .updateTable('users')
      .set({ email: `moved.${email}` })
      .where('id', '=', userId)
      .execute();
    await refused(() => post(`/v1/email/confirmations/${token}`), 404);
    assert.equal(await isConfirmed(), false);
  });

  it('are sent again to a signed-in user, until the email is confirmed', async () => {
    const token = await logIn(service, email, password);
    assert.equal((await confirmations()).length, 1);
    assert.equal((await post('/v1/email/confirmations', {}, token)).status, 202);
    assert.equal((await request(service, '/v1/email/confirmations', { method: 'POST', token })).status, 202);
    assert.equal((await confirmations()).length, 3);
    await post(`/v1/email/confirmations/${await lastToken(confirmations())}`);
    assert.equal(await refused(() => post('/v1/email/confirmations', {}, token), 409), 'email_confirmed');
    assert.equal((await post('/v1/email/confirmations', {}, 'nonsense')).status, 401);
  });

  it('are sent again to an address, and the response does not reveal whether it has an account', async () => {
    const known = await post('/v1/email/confirmations', { email: email.toUpperCase() });
    const unknown = await post('/v1/email/confirmations', { email: 'nobody@example.com' });
    assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
    assert.equal(known.status, 202);
    assert.equal((await confirmations()).length, 2);
    assert.equal((await confirmations('nobody@example.com')).length, 0);
    await post(`/v1/email/confirmations/${await lastToken(confirmations())}`);
    assert.equal((await post('/v1/email/confirmations', { email })).status, 202);
    assert.equal((await confirmations()).length, 2, 'a confirmed address gets no more mail');
  });

  it('are requested with an address and nothing else', async () => {
    for (const path of ['/v1/email/confirmations', '/v1/password/resets']) {
      for (const json of [
        {},
        { email: '' },
        { email: 'nonsense' },
        { email: 5 },
        { email: ['a@example.com'] },
        { email, x: 1 },
      ]) {
        assert.equal(await refused(() => post(path, json), 422), 'validation_failed');
      }
    }
  });

  it('are sent at most five times in a quarter of an hour, which the response does not reveal', async () => {
    for (let i = 0; i < 8; i++) assert.equal((await post('/v1/password/resets', { email })).status, 202);
    assert.equal((await resets()).length, 5);
    const token = await logIn(service, email, password);
    for (let i = 0; i < 5; i++) assert.equal((await post('/v1/email/confirmations', {}, token)).status, 202);
    const response = await post('/v1/email/confirmations', {}, token);
    assert.equal(response.status, 429);
    assert.ok(Number(response.headers.get('retry-after')) > 0);
  });

  it('set a new password once, end the sessions, confirm the email and notify the owner', async () => {
    const old = await logIn(service, email, password);
    assert.equal((await post('/v1/password/resets', { email })).status, 202);
    const token = await lastToken(resets());
    assert.equal((await post(`/v1/password/resets/${token}`, { password: newPassword })).status, 200);
    const refusedToken = await post('/v1/email/confirmations', {}, old);
    assert.equal(refusedToken.status, 401);
    assert.equal(refusedToken.body.code, 'token_revoked');
    await assert.rejects(logIn(service, email, password), /400/);
    assert.ok(await logIn(service, email, newPassword));
    assert.equal(await isConfirmed(), true);
    assert.equal((await mailsTo(email, /was changed/)).length, 1);
    assert.equal(
      await refused(() => post(`/v1/password/resets/${token}`, { password: newPassword }), 404),
      'link_invalid',
    );
  });

  it('stay valid after a refused password', async () => {
    await post('/v1/password/resets', { email });
    const token = await lastToken(resets());
    for (const json of [
      {},
      { password: 'short' },
      { password: 'password1' },
      { password: email },
      { password: newPassword, roles: [] },
    ]) {
      assert.equal(await refused(() => post(`/v1/password/resets/${token}`, json), 422), 'validation_failed');
    }
    assert.equal((await post(`/v1/password/resets/${token}`, { password: newPassword })).status, 200);
  });

  it('for a new password expire after an hour, and the first one that is used invalidates the others', async () => {
    await post('/v1/password/resets', { email });
    const first = await lastToken(resets());
    await post('/v1/password/resets', { email });
    const second = await lastToken(resets());
    assert.notEqual(first, second);
    assert.equal((await post(`/v1/password/resets/${second}`, { password: newPassword })).status, 200);
    await refused(() => post(`/v1/password/resets/${first}`, { password: 'yet another secret' }), 404);

    const own = await mail.start();
    await request(own, '/v1/register', { json: { email: 'slow@example.com', password } });
    await request(own, '/v1/password/resets', { json: { email: 'slow@example.com' } });
    await own.accounts.mail.settle();
    const token = await lastToken(resets('slow@example.com'));
    own.advance(hour);
    assert.equal((await request(own, `/v1/password/resets/${token}`, { json: { password: newPassword } })).status, 404);
  });

  it('enable the login if confirmation is required', async () => {
    const own = await mail.start({ REQUIRE_EMAIL_CONFIRMATION: 'true' });
    const address = 'strict@example.com';
    await request(own, '/v1/register', { json: { email: address, password } });
    await assert.rejects(logIn(own, address, password), /invalid_grant.*confirm/);
    await own.accounts.mail.settle();
    await request(own, `/v1/email/confirmations/${await lastToken(confirmations(address))}`, { json: {} });
    assert.ok(await logIn(own, address, password));
  });

  it('expire a certain time after the mail was sent, not after it was requested', async () => {
    const own = await mail.start();
    const address = 'patient@example.com';
    mail.server.mood = 'refuse';
    await request(own, '/v1/register', { json: { email: address, password } });
    await own.accounts.mail.settle();
    own.advance(80 * hour);
    mail.server.mood = 'accept';
    await own.accounts.mail.settle();
    const token = await lastToken(confirmations(address));
    assert.equal((await request(own, `/v1/email/confirmations/${token}`, { json: {} })).status, 200);
  });
});
