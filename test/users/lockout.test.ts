import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addClient, addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const loginPath = '/v1/clients/web/admin/login';

onBothEngines('A lockout', (engine) => {
  const start = services(engine);
  let service: Service;
  let people = 0;
  before(async () => {
    service = await start({ env: { TRUST_PROXY: '127.0.0.1' } });
  });

  /** Each attempt has another address, so the limit per address does not apply. */
  let addresses = 0;
  const someAddress = () => `10.1.${Math.trunc(++addresses / 250)}.${addresses % 250}`;
  const attempt = async (email: string, given: string, device = '', address = someAddress()) => {
    const headers = { 'x-forwarded-for': address, ...(device ? { cookie: device } : {}) };
    const response = await request(service, loginPath, { json: { email, password: given }, headers });
    return { status: response.status, device: deviceIn(response.headers) };
  };
  const deviceIn = (headers: Headers) => headers.getSetCookie().find((cookie) => cookie.startsWith('device='));
  const pairOf = (cookie: string | undefined) => cookie?.split(';')[0] ?? assert.fail('no device cookie');
  const addUser = () => addLogin(service, { email: `lockout${people++}@example.com` });
  const lock = async (email: string) => {
    for (let i = 0; i < 10; i++) assert.equal((await attempt(email, 'wrong')).status, 400);
    assert.equal((await attempt(email, password)).status, 429);
  };

  it('by strangers does not affect devices on which the owner signed in before', async () => {
    const { email } = await addUser();
    const first = await attempt(email, password);
    const device = pairOf(first.device);
    await lock(email);
    const again = await attempt(email, password, device);
    assert.equal(again.status, 200);
    assert.equal(pairOf(again.device), device, 'a device keeps its cookie');
    assert.equal((await attempt(email, password)).status, 429, 'strangers stay locked out');
  });

  it('of a whole address does not affect them either', async () => {
    const { email } = await addUser();
    const address = someAddress();
    const device = pairOf((await attempt(email, password)).device);
    for (let i = 0; i < 100; i++) await attempt(`spray${i}.${email}`, 'wrong', '', address);
    assert.equal((await attempt(email, password, '', address)).status, 429);
    assert.equal((await attempt(email, password, device, address)).status, 200);
  });

  it('applies to a stolen device after ten guesses on it', async () => {
    const { email } = await addUser();
    const device = pairOf((await attempt(email, password)).device);
    await lock(email);
    for (let i = 0; i < 10; i++) assert.equal((await attempt(email, 'wrong', device)).status, 400);
    assert.equal((await attempt(email, password, device)).status, 429);
  });

  it('treats a device with too many failures as unknown, and does not lock the account', async () => {
    const { email } = await addUser();
    const device = pairOf((await attempt(email, password)).device);
    for (let i = 0; i < 10; i++) assert.equal((await attempt(email, 'wrong', device)).status, 400);
    assert.equal((await attempt(email, password)).status, 200, 'its failures do not lock the account');
    assert.equal((await attempt(email, password, device)).status, 200);
  });

  it('is not bypassed by a device of another user or a forged one', async () => {
    const [ada, grace] = [await addUser(), await addUser()];
    const device = pairOf((await attempt(grace.email, password)).device);
    await lock(ada.email);
    for (const cookie of [device, `${device}x`, 'device=', `device=${'A'.repeat(22)}.${'A'.repeat(43)}`]) {
      assert.equal((await attempt(ada.email, password, cookie)).status, 429);
    }
  });

  it('affects neither of two users who share a browser', async () => {
    const [ada, grace] = [await addUser(), await addUser()];
    const one = pairOf((await attempt(ada.email, password)).device);
    const both = pairOf((await attempt(grace.email, password, one)).device);
    await lock(ada.email);
    await lock(grace.email);
    assert.equal((await attempt(ada.email, password, both)).status, 200);
    assert.equal((await attempt(grace.email, password, both)).status, 200);
  });

  it('recognizes devices by an HttpOnly SameSite cookie, which is set only after the right password', async () => {
    const { email } = await addUser();
    const { device } = await attempt(email, password);
    assert.match(device ?? '', /; Max-Age=\d{8}; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.doesNotMatch(device ?? '', new RegExp(email));
    assert.equal((await attempt(email, 'wrong')).device, undefined);
    assert.equal((await attempt('nobody@example.com', 'wrong')).device, undefined);
    const safe = await start({ env: { BASE_URL: 'https://auth.example.com' } });
    const { email: other } = await addLogin(safe);
    const { headers } = await request(safe, loginPath, { json: { email: other, password } });
    const [set] = headers.getSetCookie().filter((cookie) => cookie.includes('device='));
    assert.match(set ?? '', /^__Host-device=.*; Secure/);
  });

  it('does not affect the login page of a known browser', async () => {
    const { email } = await addUser();
    const owner = new Visitor(service);
    assert.equal((await owner.signIn(email, password)).status, 303);
    owner.cookies.delete('session');
    owner.cookies.delete('renewal');
    await lock(email);
    assert.equal((await new Visitor(service).signIn(email, password)).status, 429);
    assert.equal((await owner.signIn(email, password)).status, 303);
  });

  it('does not affect an application that keeps its cookie', async () => {
    const { email } = await addUser();
    const client = await addClient(service, { type: 'password' });
    const form = {
      grant_type: 'password',
      username: email,
      password,
      client_id: client.id,
      client_secret: client.secret,
    };
    const first = await request(service, '/v1/oauth/token', { form });
    assert.equal(first.status, 200);
    await lock(email);
    assert.equal((await request(service, '/v1/oauth/token', { form })).status, 429);
    const headers = { cookie: pairOf(deviceIn(first.headers)) };
    assert.equal((await request(service, '/v1/oauth/token', { form, headers })).status, 200);
  });
});
