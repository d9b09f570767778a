import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { databases, onBothEngines } from '../harness/engines.ts';
import { addApp, addPasskey, challengeFor, halfLogin, type LoginBody, tryLogin } from '../harness/factors.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { password, registerUser } from '../harness/people.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

interface Proof {
  readonly data: { readonly amr: string[]; readonly acr: string };
}

onBothEngines('The second step of a login', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });
  const proofOf = async (token: string, on = service) =>
    (await request<Proof>(on, '/v1/sessions/current', { token })).body.data;

  it('does not exist for users without a second factor', async () => {
    const person = await registerUser(service);
    const { status, body } = await tryLogin(service, { email: person.email, password });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ['access_token', 'expires_in', 'refresh_token', 'token_type']);
    assert.deepEqual(await proofOf(body.access_token).then(({ amr, acr }) => [amr, acr]), [['pwd'], 'urn:gatehouse:1']);
  });

  it('accepts the code of an authenticator app, and records two factors', async () => {
    const person = await registerUser(service);
    const { app, codes } = await addApp(service, person);
    assert.equal(codes.length, 10);
    for (const code of codes) assert.match(code, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
    const { mfa_token, methods } = await halfLogin(service, person);
    assert.deepEqual(methods, ['totp', 'recovery_code']);
    const { status, body, text } = await tryLogin(service, { mfa_token, code: app.next() });
    assert.equal(status, 200, text);
    const { amr, acr } = await proofOf(body.access_token);
    assert.deepEqual([amr, acr], [['pwd', 'otp', 'mfa'], 'urn:gatehouse:2']);
  });

  it('works in the same way at the token endpoint', async () => {
    const person = await registerUser(service);
    const { app } = await addApp(service, person);
    const [client] = service.context.config.proxiedClients;
    const proxied = client ?? service.proxiedClients[0];
    const credentials = { client_id: String(proxied?.id), client_secret: String(proxied?.secret) };
    const form = { grant_type: 'password', username: person.email, password, ...credentials };
    const first = await request<LoginBody>(service, '/oauth/token', { form });
    assert.deepEqual(
      [first.status, first.body.error, first.body.methods],
      [403, 'mfa_required', ['totp', 'recovery_code']],
    );
    const second = { grant_type: 'urn:gatehouse:mfa', mfa_token: first.body.mfa_token, ...credentials };
    const wrong = await request<LoginBody>(service, '/oauth/token', { form: { ...second, code: '000000' } });
    assert.deepEqual([wrong.status, wrong.body.error], [400, 'invalid_grant']);
    const right = await request<LoginBody>(service, '/oauth/token', { form: { ...second, code: app.next() } });
    assert.equal(right.status, 200, right.text);
  });

  it('is not used up by a request for another audience', async () => {
    const person = await registerUser(service);
    const { app } = await addApp(service, person);
    const { mfa_token } = await halfLogin(service, person);
    const code = app.next();
    const { baseUrl } = service.context.config;
    const wrong = await tryLogin(service, { mfa_token, code, resource: `${baseUrl}/mcp` });
    assert.deepEqual([wrong.status, wrong.body.error], [400, 'invalid_target']);
    assert.equal((await tryLogin(service, { mfa_token, code, resource: `${baseUrl}/v1` })).status, 200);
  });

  it('accepts each code once, even concurrently', async () => {
    const person = await registerUser(service);
    const { app } = await addApp(service, person);
    const code = app.next();
    const tokens = await Promise.all(Array.from({ length: 8 }, () => halfLogin(service, person)));
    const responses = await Promise.all(tokens.map(({ mfa_token }) => tryLogin(service, { mfa_token, code })));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    const { mfa_token } = await halfLogin(service, person);
    assert.equal((await tryLogin(service, { mfa_token, code })).body.error, 'invalid_grant');
    assert.equal((await tryLogin(service, { mfa_token, code: app.next() })).status, 200);
  });

  it('accepts each mfa_token once, within five minutes, until the password changes', async () => {
    const person = await registerUser(service);
    const { app } = await addApp(service, person);
    const used = await halfLogin(service, person);
    assert.equal((await tryLogin(service, { mfa_token: used.mfa_token, code: app.next() })).status, 200);
    const again = await tryLogin(service, { mfa_token: used.mfa_token, code: app.next() });
    assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant']);
    const old = await halfLogin(service, person);
    service.advance(5 * 60_000);
    assert.match(
      (await tryLogin(service, { mfa_token: old.mfa_token, code: app.next() })).body.error_description,
      /expired/,
    );
    const forged = old.mfa_token.replace(/.$/, (letter) => (letter === 'A' ? 'B' : 'A'));
    assert.equal((await tryLogin(service, { mfa_token: forged, code: app.next() })).status, 400);
  });

  it('accepts a recovery code once, and notifies the owner', async () => {
    const person = await registerUser(service);
    const { codes } = await addApp(service, person);
    const [code] = codes as [string];
    const typed = code.toUpperCase().replaceAll('-', ' ');
    const { mfa_token } = await halfLogin(service, person);
    assert.equal((await tryLogin(service, { mfa_token, code: typed })).status, 200);
    const next = await halfLogin(service, person);
    assert.equal((await tryLogin(service, { mfa_token: next.mfa_token, code })).status, 400);
    const [mail] = await mailsTo(service, 'recovery-code-used', person.email);
    assert.match(mail?.text ?? '', /no longer works[\s\S]*change your password/);
    for (const other of codes.slice(1, 7)) {
      const { mfa_token } = await halfLogin(service, person);
      assert.equal((await tryLogin(service, { mfa_token, code: other })).status, 200);
    }
    assert.equal((await mailsTo(service, 'recovery-codes-few', person.email)).length, 1);
  });

  it('accepts a passkey', async () => {
    const person = await registerUser(service);
    const { device, response } = await addPasskey(service, person);
    assert.equal(response.status, 201, response.text);
    assert.equal(response.body.data.recovery_codes?.length, 10);
    const { mfa_token, methods } = await halfLogin(service, person);
    assert.deepEqual(methods, ['passkey', 'recovery_code']);
    const passkey = device.get(await challengeFor(service, { mfa_token }));
    const { status, body, text } = await tryLogin(service, { mfa_token, passkey });
    assert.equal(status, 200, text);
    const { amr, acr } = await proofOf(body.access_token);
    assert.deepEqual([amr, acr], [['pwd', 'hwk', 'user', 'mfa'], 'phr']);
  });

  it('refuses after ten wrong codes per account and factor, and counts a known device separately', async () => {
    const person = await registerUser(service);
    const { app, codes } = await addApp(service, person);
    const { mfa_token } = await halfLogin(service, person);
    const first = await tryLogin(service, { mfa_token, code: app.next() });
    const device = first.headers.getSetCookie().find((cookie) => cookie.startsWith('device=')) as string;
    const cookie = device.split(';')[0] as string;
    const { mfa_token: other } = await halfLogin(service, person);
    const statuses = [];
    for (let i = 0; i < 11; i++) statuses.push((await tryLogin(service, { mfa_token: other, code: '000000' })).status);
    assert.deepEqual(statuses, [...Array(10).fill(400), 429]);
    const refused = await tryLogin(service, { mfa_token: other, code: app.next() });
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    // Another factor and the known browser are not locked.
    assert.equal((await tryLogin(service, { mfa_token: other, code: codes[0] })).status, 200);
    const again = await halfLogin(service, person);
    assert.equal((await tryLogin(service, { mfa_token: again.mfa_token, code: app.next() }, { cookie })).status, 200);
  });

  it('does not count failures of the network against a known device', async () => {
    const own = await start();
    const person = await registerUser(own);
    const { app } = await addApp(own, person);
    const { mfa_token } = await halfLogin(own, person);
    const first = await tryLogin(own, { mfa_token, code: app.next() });
    const device = first.headers.getSetCookie().find((cookie) => cookie.startsWith('device='));
    const cookie = String(device?.split(';')[0]);
    const other = await halfLogin(own, person);
    for (let i = 0; i < 100; i++) await tryLogin(own, { passkey: { id: 'unknown' } });
    assert.equal((await tryLogin(own, { mfa_token: other.mfa_token, code: app.next() })).status, 429);
    const known = await tryLogin(own, { email: person.email, password }, { cookie });
    const done = await tryLogin(own, { mfa_token: known.body.mfa_token, code: app.code() }, { cookie });
    assert.equal(done.status, 200, done.text);
  });

  it('is skipped on a remembered browser, until it is revoked or expires', async () => {
    const person = await registerUser(service);
    const { app } = await addApp(service, person);
    const { mfa_token } = await halfLogin(service, person);
    const first = await tryLogin(service, { mfa_token, code: app.next(), remember: true });
    const set = first.headers.getSetCookie().find((cookie) => cookie.startsWith('device=')) as string;
    const cookie = set.split(';')[0] as string;
    const credentials = { email: person.email, password };
    const quiet = await tryLogin(service, credentials, { cookie });
    assert.equal(quiet.status, 200);
    assert.deepEqual((await proofOf(quiet.body.access_token)).amr, ['pwd']);
    assert.equal((await tryLogin(service, credentials)).status, 403);
    const token = quiet.body.access_token;
    const listed = await request<{ data: { id: string }[] }>(service, '/v1/browsers', { token });
    assert.equal(listed.body.data.length, 1);
    const path = `/v1/browsers/${listed.body.data[0]?.id}`;
    assert.equal((await request(service, path, { method: 'DELETE', token })).status, 204);
    assert.equal((await tryLogin(service, credentials, { cookie })).status, 403);
    const again = await halfLogin(service, person);
    await tryLogin(service, { mfa_token: again.mfa_token, code: app.next(), remember: true }, { cookie });
    assert.equal((await tryLogin(service, credentials, { cookie })).status, 200);
    service.advance(31 * 86_400_000);
    assert.equal((await tryLogin(service, credentials, { cookie })).status, 403);
  });

  it('survives a new password, which ends pending first steps and remembered browsers', async () => {
    const person = await registerUser(service);
    const { app } = await addApp(service, person);
    const half = await halfLogin(service, person);
    const first = await tryLogin(service, { mfa_token: half.mfa_token, code: app.next(), remember: true });
    const cookie = String(first.headers.getSetCookie().find((set) => set.startsWith('device='))).split(
      ';',
    )[0] as string;
    const under = await halfLogin(service, person);
    await request(service, '/v1/password/resets', { json: { email: person.email } });
    const [mail] = await mailsTo(service, 'reset-password', person.email);
    const link = String(/https?:\S+/.exec(mail?.text ?? '')?.[0])
      .split('/')
      .at(-1);
    const changed = 'another fine secret';
    assert.equal((await request(service, `/v1/password/resets/${link}`, { json: { password: changed } })).status, 200);
    assert.equal((await tryLogin(service, { mfa_token: under.mfa_token, code: app.next() })).status, 400);
    const now = await tryLogin(service, { email: person.email, password: changed }, { cookie });
    assert.deepEqual([now.status, now.body.methods], [403, ['totp', 'recovery_code']]);
  });

  it('can begin at one instance and finish at another, and each code works once', async () => {
    if (engine === 'sqlite') return;
    const database = await createDatabase();
    const one = await start({ database });
    const two = await start({ database });
    const person = await registerUser(one);
    const { app } = await addApp(one, person);
    two.advance(30_000);
    const code = app.next();
    const halves = [await halfLogin(one, person), await halfLogin(two, person)];
    const responses = await Promise.all(
      halves.flatMap(({ mfa_token }) => [one, two].map((on) => tryLogin(on, { mfa_token, code }))),
    );
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
  });
});
