import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import { onBothEngines } from '../harness/engines.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { password, personalClient, personalToken, registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const newerFirefox = firefox.replaceAll('140.0', '141.0');
const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

onBothEngines('Mail to the owner of an account', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });
  const access = async (email: string) => (await mailsTo(service, 'new-access', email)).map(({ text }) => text ?? '');
  const logins = async (email: string) => (await mailsTo(service, 'new-login', email)).map(({ text }) => text ?? '');
  const logInWith = async (email: string, userAgent: string, given = password) =>
    request(service, '/v1/clients/web/admin/login', {
      json: { email, password: given },
      headers: { 'user-agent': userAgent },
    });

  it('reports every new personal access token, except the first one', async () => {
    const ada = await registerUser(service);
    assert.deepEqual(await access(ada.email), []);
    await personalToken(service, ada.token);
    await personalToken(service, ada.token);
    const mails = await access(ada.email);
    assert.equal(mails.length, 2);
    assert.match(mails[0] as string, /a new personal access token/);
  });

  it('reports every new client and every new secret, regardless of who created it', async () => {
    const ada = await registerUser(service);
    const client = await personalClient(service, ada.token);
    assert.match((await access(ada.email))[0] as string, /a new external application/);
    const admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    const made = await request(service, `/v1/users/${ada.id}/clients`, {
      json: { name: 'Buy at evil.example' },
      token: admin,
    });
    assert.equal(made.status, 201);
    await request(service, `/v1/clients/${client.id}/secrets`, { json: {}, token: ada.token });
    const mails = await access(ada.email);
    assert.equal(mails.length, 3);
    assert.ok(!mails.some((text) => text.includes('evil')), 'the mail contains no text of the client');
    await request(service, `/v1/users/${ada.id}/email-confirmations`, { method: 'POST', token: admin });
    await request(service, `/v1/clients/${client.id}/secrets`, { json: {}, token: ada.token });
    const named = (await mailsTo(service, 'new-access', ada.email)).at(-1);
    const { body } = await request<{ data: { name: string } }>(service, `/v1/clients/${client.id}`, {
      token: ada.token,
    });
    assert.match(named?.subject ?? '', new RegExp(`a new secret for “${body.data.name}”`));
    assert.match(named?.text ?? '', new RegExp(`a new secret for “${body.data.name}”`));
    await request(service, '/v1/clients', { json: { name: 'First-party', type: 'password' }, token: admin });
    assert.deepEqual(await access('admin@example.com'), []);
  });

  it('reports new keys of an application, but no other change of it', async () => {
    const ada = await registerUser(service);
    const key = async () => exportJWK((await generateKeyPair('ES256')).publicKey);
    const jwks = { keys: [await key()] };
    const application = { type: 'application', name: 'Notes', redirect_uris: ['https://app.example/'], jwks };
    const made = await request<{ data: { id: string } }>(service, '/v1/clients', {
      json: application,
      token: ada.token,
    });
    const change = async (json: object) => {
      const path = `/v1/clients/${made.body.data.id}`;
      const { status, text } = await request(service, path, { method: 'PATCH', json, token: ada.token });
      assert.equal(status, 200, text);
      return (await access(ada.email)).length - 1;
    };
    assert.equal(await change({ name: 'Memos', jwks }), 0);
    assert.equal(await change({ jwks: { keys: [await key()] } }), 1);
    assert.equal(await change({ jwks: null, jwks_uri: 'https://keys.example/jwks' }), 2);
    assert.equal(await change({ jwks_uri: null }), 2);
    assert.match((await access(ada.email)).at(-1) ?? '', /a new key of an external application/);
    const admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    await request(service, `/v1/users/${ada.id}/email-confirmations`, { method: 'POST', token: admin });
    assert.equal(await change({ jwks }), 3);
    const named = (await mailsTo(service, 'new-access', ada.email)).at(-1);
    assert.match(named?.subject ?? '', /a new key for “Memos”/);
  });

  it('is not sent for refused requests', async () => {
    const ada = await registerUser(service);
    assert.equal((await request(service, '/v1/tokens', { json: { scopes: ['*'] }, token: ada.token })).status, 422);
    assert.equal((await request(service, '/v1/clients', { json: {}, token: ada.token })).status, 422);
    assert.deepEqual(await access(ada.email), []);
  });

  it('reports a login from a new device', async () => {
    const email = 'devices@example.com';
    await request(service, '/v1/register', { json: { email, password } });
    assert.equal((await logInWith(email, firefox)).status, 200);
    assert.deepEqual(await logins(email), [], 'the first login');
    await logInWith(email, firefox);
    await logInWith(email, newerFirefox);
    assert.deepEqual(await logins(email), [], 'the same device');
    assert.equal((await logInWith(email, chrome, 'a wrong guess')).status, 400);
    assert.deepEqual(await logins(email), [], 'the login failed');
    await logInWith(email, chrome);
    assert.equal((await logins(email)).length, 1);
    assert.match((await logins(email))[0] as string, /with Chrome on Linux, from 127\.0\.0\.1/);
    await logInWith(email, chrome);
    await logInWith(email, firefox);
    assert.equal((await logins(email)).length, 1);
    await logInWith(email, 'Cheap-pills-at-evil.example/1.0');
    const [, last = ''] = await logins(email);
    assert.match(last, /another application/);
    assert.doesNotMatch(last, /evil/);
  });

  it('recognizes a browser by its cookie, even if its User-Agent has changed', async () => {
    const email = 'cookie@example.com';
    await request(service, '/v1/register', { json: { email, password } });
    const visitor = new Visitor(service);
    const signIn = async (userAgent: string) => {
      const headers = { 'user-agent': userAgent };
      await visitor.get('/login', headers);
      assert.equal((await visitor.send('/login', { login: email, password }, headers)).status, 303);
      for (const name of ['session', 'renewal']) visitor.cookies.delete(name);
    };
    await signIn(firefox);
    await signIn(chrome);
    assert.deepEqual(await logins(email), []);
    visitor.cookies.clear();
    await signIn(chrome.replace('X11; Linux x86_64', 'Macintosh; Intel Mac OS X 10_15_7'));
    assert.equal((await logins(email)).length, 1);
  });

  it('is limited if the address is not confirmed', async () => {
    const email = 'stranger@example.com';
    await request(service, '/v1/register', { json: { email, password } });
    const token = await logIn(service, email, password);
    for (let n = 0; n < 9; n++) await personalToken(service, token);
    assert.equal((await access(email)).length, 5);
  });

  it('is limited per unconfirmed mailbox, for all its accounts together', async () => {
    for (let n = 0; n < 4; n++) {
      const email = `many+${n}@example.com`;
      await request(service, '/v1/register', { json: { email, password } });
      const token = await logIn(service, email, password);
      for (let made = 0; made < 3; made++) await personalToken(service, token);
    }
    const counts = await Promise.all([0, 1, 2, 3].map(async (n) => (await access(`many+${n}@example.com`)).length));
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      5,
    );
  });

  it('reports a changed password, with a limit for an unconfirmed address', async () => {
    const email = 'changing@example.com';
    await request(service, '/v1/register', { json: { email, password } });
    const token = await logIn(service, email, password);
    let current = password;
    for (let n = 0; n < 7; n++) {
      const json = { current_password: current, password: `another fine secret ${n}` };
      assert.equal((await request(service, '/v1/users/me', { method: 'PATCH', json, token })).status, 200);
      current = json.password;
    }
    assert.equal((await mailsTo(service, 'password-changed', email)).length, 5);
  });
});
