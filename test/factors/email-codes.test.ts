import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { tryLogin } from '../harness/factors.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

onBothEngines('Codes by mail', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start({ env: { EMAIL_CODES: 'on' } });
  });

  const codeMailedTo = async (email: string): Promise<string> => {
    const mail = (await mailsTo(service, 'email-code', email)).at(-1);
    const code = /\b\d{6}\b/.exec(mail?.text ?? '')?.[0];
    assert.ok(code, `no code in: ${mail?.text}`);
    return code;
  };

  async function requestCode(email: string): Promise<string> {
    const { status, body, text } = await request<{ data: { id: string } }>(service, '/v1/email-codes', {
      json: { email },
    });
    assert.equal(status, 202, text);
    return body.data.id;
  }
  const otherThan = (code: string) => (code === '000000' ? '000001' : '000000');

  it('sign in once, within ten minutes and five attempts, and only with the id from the request', async () => {
    const { email } = await addLogin(service);
    const id = await requestCode(email);
    const code = await codeMailedTo(email);
    const elsewhere = await requestCode((await addLogin(service)).email);
    assert.equal((await tryLogin(service, { email_code: elsewhere, code })).status, 400);
    assert.equal((await tryLogin(service, { email_code: id, code: otherThan(code) })).status, 400);
    assert.equal((await tryLogin(service, { email_code: id, code })).status, 200);
    assert.equal((await tryLogin(service, { email_code: id, code })).status, 400, 'used before');

    const old = await requestCode(email);
    const late = await codeMailedTo(email);
    service.advance(600_000);
    assert.equal((await tryLogin(service, { email_code: old, code: late })).status, 400, 'expired');

    const guessed = await requestCode(email);
    const right = await codeMailedTo(email);
    for (let i = 0; i < 5; i++) await tryLogin(service, { email_code: guessed, code: otherThan(right) });
    assert.equal((await tryLogin(service, { email_code: guessed, code: right })).status, 400, 'too many attempts');
  });

  it('that are the second step of a login expire together with it', async () => {
    const own = await start({ env: { EMAIL_CODES: 'on', MFA: 'required' } });
    const { email } = await addLogin(own);
    const { body } = await tryLogin(own, { email, password });
    assert.deepEqual(body.methods, ['email_code']);
    const row = await own.context.database.db.selectFrom('email_codes').selectAll().executeTakeFirstOrThrow();
    assert.equal(row.expires_at - row.created_at, 300_000);
    const [mail] = await mailsTo(own, 'email-code', email);
    assert.match(mail?.text ?? '', new RegExp(new Date(row.expires_at).toISOString().slice(11, 16)));
  });

  it('cannot be used up for the second step by requests for sign-in codes', async () => {
    const own = await start({ env: { EMAIL_CODES: 'on', MFA: 'required' } });
    const { email } = await addLogin(own);
    const send = async () => (await request(own, '/v1/email-codes', { json: { email } })).status;
    for (let i = 0; i < 5; i++) assert.equal(await send(), 202);
    assert.equal(await send(), 429);
    for (let i = 0; i < 4; i++) assert.equal((await tryLogin(own, { email, password })).status, 403);
    const { body } = await tryLogin(own, { email, password });
    const mails = await mailsTo(own, 'email-code', email);
    const codes = mails.map(({ text }) => /\b\d{6}\b/.exec(text ?? '')?.[0]);
    const done = await tryLogin(own, { mfa_token: body.mfa_token, code: codes.at(-1) });
    const cookie = done.headers.getSetCookie().find((set) => set.startsWith('device='));
    assert.equal((await tryLogin(own, { email, password })).status, 429);
    const known = await tryLogin(own, { email, password }, { cookie: String(cookie?.split(';')[0]) });
    assert.equal(known.status, 403, 'a known browser has its own count');
  });

  it('renew a proof', async () => {
    const { email } = await addLogin(service);
    const first = await requestCode(email);
    const login = await tryLogin(service, { email_code: first, code: await codeMailedTo(email) });
    const token = login.body.access_token;
    service.advance(901_000);
    assert.equal((await request(service, '/v1/tokens', { json: { name: 'CI' }, token })).status, 401);
    const email_code = { id: await requestCode(email), code: await codeMailedTo(email) };
    const proof = await request(service, '/v1/sessions/current/proofs', { json: { email_code }, token });
    assert.equal(proof.status, 201, proof.text);
    assert.equal((await request(service, '/v1/tokens', { json: { name: 'CI' }, token })).status, 201);
  });

  it('are not sent to an unknown address, and the response is the same', async () => {
    const email = 'nobody-has-this@example.com';
    await requestCode(email);
    assert.deepEqual(await mailsTo(service, 'email-code', email), []);
  });

  it('are requested and entered on the login page, in one browser', async () => {
    const { email } = await addLogin(service);
    const visitor = new Visitor(service);
    assert.match((await visitor.get('/login?next=%2Fsettings%2Ftokens')).html, /href="\/login-code\?next=[^"]*tokens"/);
    await visitor.get('/login-code?next=%2Fsettings%2Ftokens');
    const sent = await visitor.send('/login-code', { email, next: '/settings/tokens' });
    assert.equal(sent.status, 200, sent.html);
    const code = await codeMailedTo(email);
    const form = { next: '/settings/tokens' };
    const { db } = service.context.database;
    const { id } = await db.selectFrom('email_codes').select('id').where('email', '=', email).executeTakeFirstOrThrow();
    assert.ok(!sent.html.includes(id), 'the id would be enough for another browser');
    const other = new Visitor(service);
    await other.get('/login-code');
    const refused = await other.send('/login-code/answer', { ...form, id, code });
    assert.equal(refused.status, 422);
    assert.match(refused.html, /name="email"/);
    assert.equal((await visitor.send('/login-code/answer', { ...form, code: '' })).status, 422);
    const wrong = await visitor.send('/login-code/answer', { ...form, code: otherThan(code) });
    assert.equal(wrong.status, 422);
    assert.match(wrong.html, /The code is wrong/);
    const done = await visitor.send('/login-code/answer', { ...form, code });
    assert.deepEqual([done.status, done.location], [303, '/settings/tokens']);
  });

  it('are disabled by default', async () => {
    const without = await start();
    assert.equal((await request(without, '/v1/email-codes', { json: { email: 'a@example.com' } })).status, 404);
    const visitor = new Visitor(without);
    assert.doesNotMatch((await visitor.get('/login')).html, /login-code/);
    assert.equal((await visitor.get('/login-code')).status, 404);
  });
});
