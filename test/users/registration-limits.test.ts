import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { before, describe, it } from 'node:test';
import { addLogin, password as known } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { mailsAt, servicesWithMail } from '../harness/mail-server.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

interface Refused {
  errors: { field: string; code: string }[];
}

const password = 'a fine long secret';
const hour = 60 * 60_000;

onBothEngines('A stranger who registers', (engine) => {
  const start = services(engine);
  const mail = servicesWithMail(engine);
  let service: Service;
  before(async () => {
    service = await mail.start({ TRUST_PROXY: '127.0.0.1' });
  });
  const register = (email: string, address: string, more = {}, on = service) =>
    request<Refused>(on, '/v1/register', {
      json: { email, password, ...more },
      headers: { 'x-forwarded-for': address },
    });
  const codes = ({ body }: { body: Refused }) => body.errors.map(({ field, code }) => `${field}:${code}`);
  const mailsTo = (mailbox: RegExp) => mailsAt(mail.server, service, (to) => mailbox.test(to));

  it('does not learn that an email is taken while another field is invalid', async () => {
    const { email } = await addLogin(service);
    const free = 'nobody.has@example.com';
    for (const wrong of [{ password: 'short' }, { nickname: 'x' }, { phone: '12' }, { password: undefined }]) {
      const [taken, other] = [await register(email, '10.2.0.1', wrong), await register(free, '10.2.0.1', wrong)];
      assert.deepEqual([taken.status, codes(taken)], [other.status, codes(other)]);
      assert.equal(taken.status, 422);
    }
  });

  it('learns of five taken emails an hour, and then gets 429 for free and taken ones', async () => {
    const own = await start({ env: { TRUST_PROXY: '127.0.0.1' } });
    const { email } = await addLogin(own);
    for (let i = 0; i < 5; i++) assert.deepEqual(codes(await register(email, '10.2.0.2', {}, own)), ['email:taken']);
    for (const asked of [email, 'free@example.com']) {
      const response = await register(asked, '10.2.0.2', {}, own);
      assert.equal(response.status, 429);
      assert.ok(Number(response.headers.get('retry-after')) > 3000);
    }
    assert.equal((await register('elsewhere@example.com', '10.2.0.3', {}, own)).status, 201);
    own.advance(hour);
    assert.equal((await register('free@example.com', '10.2.0.2', {}, own)).status, 201);
  });

  it('learns no more by concurrent requests, or from many addresses of one IPv6 network', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => addLogin(service)));
    const responses = await Promise.all(
      people.map(({ email }, i) => register(email, `2001:db8:7:7::${(i + 1).toString(16)}`)),
    );
    assert.equal(responses.filter(({ status }) => status === 422).length, 5);
    assert.equal(responses.filter(({ status }) => status === 429).length, 15);
    let told = 0;
    for (const [i, { email }] of people.entries()) {
      if ((await register(email, `2001:db8:7:${(i + 256).toString(16)}::1`)).status === 422) told++;
    }
    assert.equal(told, 15, 'a /48 gets twenty such responses');
  });

  it('learns no more by changing the identifiers of an existing account', async () => {
    const own = await start({
      env: { TRUST_PROXY: '127.0.0.1', LOGIN_ATTRIBUTES: 'email,username,phone', ACCESS_TOKEN_TTL: '7200' },
    });
    const taken = { username: 'ada.lovelace', phone: '+12133734253', email: 'ada@example.com' };
    assert.equal((await register(taken.email, '10.2.5.1', taken, own)).status, 201);
    assert.equal((await register('eve@example.com', '10.2.5.2', {}, own)).status, 201);
    const headers = { 'x-forwarded-for': '10.2.5.3' };
    const login = await request<{ access_token: string }>(own, '/v1/clients/web/admin/login', {
      json: { email: 'eve@example.com', password },
      headers,
    });
    const change = (fields: object) =>
      request<Refused>(own, '/v1/users/me', {
        method: 'PATCH',
        json: { ...fields, current_password: password },
        token: login.body.access_token,
        headers,
      });
    for (const field of ['username', 'phone', 'email', 'username', 'phone'] as const) {
      assert.deepEqual(codes(await change({ [field]: taken[field] })), [`${field}:taken`]);
    }
    for (const fields of [{ username: taken.username }, { username: 'free.name' }, { phone: '+12133734254' }]) {
      assert.equal((await change(fields)).status, 429);
    }
    assert.equal(
      (await register('free@example.com', '10.2.5.3', {}, own)).status,
      429,
      'registrations and changes share one count',
    );
    own.advance(hour);
    assert.equal((await change({ username: 'free.name' })).status, 200);
  });

  it('can create only a limited number of users an hour from one network, regardless of failures', async () => {
    const own = await start({ env: { TRUST_PROXY: '127.0.0.1', REGISTRATION_LIMIT: '3' } });
    const { email } = await addLogin(own);
    assert.equal((await register(email, '10.2.0.4', {}, own)).status, 422);
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, i) => register(`many${i}@example.com`, '10.2.0.4', {}, own)),
    );
    assert.equal(responses.filter(({ status }) => status === 201).length, 3);
    assert.equal(responses.filter(({ status }) => status === 429).length, 3);
    assert.equal((await register('other@example.com', '10.2.0.5', {}, own)).status, 201);
    own.advance(hour);
    assert.equal((await register('later@example.com', '10.2.0.4', {}, own)).status, 201);
  });

  it('causes at most five mails an hour to one mailbox, with any plus suffix', async () => {
    for (let i = 0; i < 8; i++) {
      assert.equal((await register(`${i % 2 ? 'Victim' : 'victim'}+${i}@example.com`, `10.2.1.${i}`)).status, 201);
    }
    assert.equal((await mailsTo(/^victim\+/i)).length, 5);
    assert.equal((await register('victim2+0@example.com', '10.2.1.9')).status, 201);
    assert.equal((await mailsTo(/^victim2\+/)).length, 1);
  });

  it('causes at most five mails in a quarter of an hour to one mailbox, and the response does not reveal it', async () => {
    for (let i = 0; i < 3; i++) await register(`box+${i}@example.com`, `10.2.2.${i}`);
    assert.equal((await mailsTo(/^box\+/)).length, 3);
    for (let i = 0; i < 9; i++) {
      const json = { email: `box+${i % 3}@example.com` };
      assert.equal((await request(service, '/v1/password/resets', { json })).status, 202);
    }
    assert.equal((await mailsTo(/^box\+/)).length, 3 + 5);
  });

  it('always gets 202 for a password reset, but at most a hundred mails are sent for one network', async () => {
    const headers = { 'x-forwarded-for': '10.2.3.1' };
    const responses = await Promise.all(
      Array.from({ length: 110 }, (_, i) =>
        request(service, '/v1/password/resets', { json: { email: `anybody${i}@example.com` }, headers }),
      ),
    );
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([202]));
    const { email } = await addLogin(service);
    await request(service, '/v1/password/resets', { json: { email }, headers });
    assert.equal((await mailsTo(new RegExp(email))).length, 0);
    await request(service, '/v1/password/resets', { json: { email }, headers: { 'x-forwarded-for': '10.2.3.2' } });
    assert.equal((await mailsTo(new RegExp(email))).length, 1);
  });
});

// One engine, because real hashes take much processor time. With two connections, a registration that held one while it waits for its
// hash would delay the sign-in too: it would finish among the last. On a busy machine, the sign-in may wait for some registrations that
// are already hashed, so only the last part of a long storm counts.
describe('A storm of registrations', () => {
  const start = services('postgres');
  const cores = availableParallelism();
  const registrations = 16 * cores;

  it('does not delay sign-ins', async (test) => {
    // The password hashes of this service take as long as in production.
    process.env.TEST_REAL_PASSWORDS = '1';
    test.after(() => void delete process.env.TEST_REAL_PASSWORDS);
    const service = await start({
      env: { TRUST_PROXY: '127.0.0.1', DATABASE_POOL_SIZE: '2', REGISTRATION_LIMIT: '10000' },
    });
    const from = (address: string, json: unknown) => ({ json, headers: { 'x-forwarded-for': address } });
    const { email } = await addLogin(service);
    const waiting = async () => (await service.context.metrics.passwordQueue.get()).values[0]?.value ?? 0;
    let done = 0;
    const storm = Array.from({ length: registrations }, (_, i) =>
      request(service, '/v1/register', from('10.2.4.1', { email: `storm${i}@example.com`, password })).then(
        ({ status }) => {
          // On a busy machine, the last registrations wait too long and get 503.
          assert.ok(status === 201 || status === 503, String(status));
          done++;
        },
      ),
    );
    while ((await waiting()) < 5 * cores && done < 2 * cores) await new Promise((resolve) => setImmediate(resolve));
    const login = await request(service, '/v1/clients/web/admin/login', from('10.2.4.2', { email, password: known }));
    assert.equal(login.status, 200);
    assert.ok(done < 14 * cores, `${done} of ${registrations} registrations were processed first`);
    await Promise.all(storm);
  });
});
