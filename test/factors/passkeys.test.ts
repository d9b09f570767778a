import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { databases, onBothEngines } from '../harness/engines.ts';
import { addPasskey, challengeFor, halfLogin, tryLogin } from '../harness/factors.ts';
import { mailsTo, tokenMailed } from '../harness/mailbox.ts';
import { PasskeyDevice } from '../harness/passkey-device.ts';
import { password, registerUser } from '../harness/people.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

interface Passkeys {
  readonly data: { id: string; name: string; backed_up: boolean; last_used_at: string | null; automatic: boolean }[];
}

onBothEngines('Passkeys', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  let service: Service;
  before(async () => {
    service = await start({ env: { PASSKEY_ORIGINS: 'https://shop.example.org' } });
  });
  const signIn = async (device: PasskeyDevice, flags = {}, on = service) =>
    tryLogin(on, { passkey: device.get(await challengeFor(on, {}), flags) });
  const listOf = async (token: string) => (await request<Passkeys>(service, '/v1/passkeys', { token })).body.data;

  it('sign in without a password, resist phishing, and show their last use', async () => {
    const person = await registerUser(service);
    const { device, response } = await addPasskey(service, person);
    assert.equal(response.status, 201, response.text);
    const { status, body, text } = await signIn(device);
    assert.equal(status, 200, text);
    const proof = await request<{ data: { acr: string; amr: string[] } }>(service, '/v1/sessions/current', {
      token: body.access_token,
    });
    assert.deepEqual([proof.body.data.acr, proof.body.data.amr], ['phr', ['hwk', 'user', 'mfa']]);
    const passkey = device.get(await challengeFor(service, { type: 'get' }));
    const renewed = await request<{ data: { amr: string[] } }>(service, '/v1/sessions/current/proofs', {
      json: { passkey },
      token: body.access_token,
    });
    assert.deepEqual(renewed.body.data.amr, ['hwk', 'user', 'mfa'], renewed.text);
    const [shown] = await listOf(person.token);
    assert.deepEqual([shown?.name, shown?.backed_up, shown?.automatic], ['Passkey', false, false]);
    assert.notEqual(shown?.last_used_at, null);
    assert.match((await mailsTo(service, 'factor-added', person.email))[0]?.text ?? '', /A passkey was added/);
  });

  it('request discoverable credentials with user verification, without attestation, under a random handle', async () => {
    const person = await registerUser(service);
    const { body } = await request<{ data: Record<string, never> }>(service, '/v1/passkey-challenges', {
      json: {},
      token: person.token,
    });
    const { attestation, authenticatorSelection, user } = body.data as Record<string, Record<string, string>>;
    assert.equal(attestation, 'none');
    assert.deepEqual(
      [authenticatorSelection?.residentKey, authenticatorSelection?.userVerification],
      ['required', 'required'],
    );
    const handle = Buffer.from(String(user?.id), 'base64url');
    assert.equal(handle.length, 32);
    assert.doesNotMatch(handle.toString('latin1'), new RegExp(`${person.id}|${person.email}`));
    const anonymous = await challengeFor(service, {});
    assert.equal((anonymous as { userVerification: string }).userVerification, 'required');
    assert.deepEqual((anonymous as { allowCredentials: unknown[] }).allowCredentials ?? [], []);
  });

  it('reject a wrong request for a challenge', async () => {
    const ask = (json: object) => request(service, '/v1/passkey-challenges', { json });
    const anonymous = await ask({ type: 'create' });
    assert.deepEqual([anonymous.status, anonymous.body.code], [401, 'token_missing']);
    assert.match(anonymous.headers.get('www-authenticate') ?? '', /^Bearer realm=/);
    for (const mfa_token of ['mfa.wrong', 7]) {
      const { status, body } = await ask({ type: 'get', mfa_token });
      assert.deepEqual([status, body.code], [400, 'invalid_grant'], String(mfa_token));
    }
  });

  it('are refused without user verification, from another site, and with a challenge of another user', async () => {
    const [ada, eve] = [await registerUser(service), await registerUser(service)];
    const { device } = await addPasskey(service, ada);
    for (const flags of [
      { verified: false },
      { present: false },
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
    ]) {
      const { status, body } = await signIn(device, flags);
      assert.deepEqual([status, body.error], [400, 'invalid_grant'], JSON.stringify(flags));
    }
    assert.equal((await signIn(device, { origin: 'https://shop.example.org' })).status, 200);
    const foreign = new PasskeyDevice(service.context.config.baseUrl);
    const passkey = foreign.create(await challengeFor(service, {}, ada.token));
    const refused = await request(service, '/v1/passkeys', { json: { passkey }, token: eve.token });
    assert.equal(refused.status, 422);
    const unverified = new PasskeyDevice(service.context.config.baseUrl);
    const made = unverified.create(await challengeFor(service, {}, ada.token), { verified: false });
    assert.equal((await request(service, '/v1/passkeys', { json: { passkey: made }, token: ada.token })).status, 422);
    assert.equal((await signIn(foreign)).status, 400);
  });

  it('accept each challenge once, even concurrently, for five minutes', async () => {
    const person = await registerUser(service);
    const { device } = await addPasskey(service, person);
    const passkey = device.get(await challengeFor(service, {}));
    const responses = await Promise.all(Array.from({ length: 6 }, () => tryLogin(service, { passkey })));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    const late = device.get(await challengeFor(service, {}));
    service.advance(5 * 60_000);
    assert.equal((await tryLogin(service, { passkey: late })).status, 400);
  });

  it('may have a counter of 0; any other counter must increase', async () => {
    const person = await registerUser(service);
    const { device } = await addPasskey(service, person);
    const statuses = [];
    for (const counter of [0, 0, 5, 6, 6, 5, 0, 7]) statuses.push((await signIn(device, { counter })).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 400, 400, 200, 200]);
  });

  it('created automatically by a browser keep the password login', async () => {
    const person = await registerUser(service);
    const device = new PasskeyDevice(service.context.config.baseUrl);
    const options = await challengeFor(service, { automatic: true }, person.token);
    const passkey = device.create(options, { verified: false, present: false });
    const { status, body } = await request<{ data: { automatic: boolean; recovery_codes?: string[] } }>(
      service,
      '/v1/passkeys',
      { json: { passkey }, token: person.token },
    );
    assert.deepEqual([status, body.data.automatic, body.data.recovery_codes], [201, true, undefined]);
    assert.equal((await tryLogin(service, { email: person.email, password })).status, 200);
    assert.equal((await signIn(device)).status, 200);
    assert.equal((await signIn(device, { verified: false })).status, 400);
  });

  it('that are not second factors are removed by a password reset, if the address was never confirmed', async () => {
    const person = await registerUser(service);
    const stranger = await addPasskey(service, person, { automatic: true });
    const reset = async () => {
      await request(service, '/v1/password/resets', { json: { email: person.email } });
      const link = await tokenMailed(service, 'reset-password', person.email);
      assert.equal((await request(service, `/v1/password/resets/${link}`, { json: { password } })).status, 200);
    };
    await reset();
    assert.equal(
      (await signIn(stranger.device)).status,
      400,
      'the person who registered the address may have created it',
    );
    const { access_token: token } = (await tryLogin(service, { email: person.email, password })).body;
    const own = await addPasskey(service, { token }, { automatic: true });
    await reset();
    assert.equal((await signIn(own.device)).status, 200, 'the owner of the mailbox created it');
  });

  it('can be renamed and removed by their owner; without the last one, there is no second step', async () => {
    const [person, other] = [await registerUser(service), await registerUser(service)];
    const { device, response } = await addPasskey(service, person);
    const path = `/v1/passkeys/${response.body.data.id}`;
    await halfLogin(service, person);
    const rename = { method: 'PATCH', json: { name: 'Phone' } };
    assert.equal((await request(service, path, { ...rename, token: other.token })).status, 404);
    assert.equal((await request(service, path, { ...rename, token: person.token })).status, 200);
    assert.equal((await listOf(person.token))[0]?.name, 'Phone');
    assert.equal((await request(service, path, { method: 'DELETE', token: other.token })).status, 404);
    assert.equal((await request(service, path, { method: 'DELETE', token: person.token })).status, 204);
    assert.equal((await signIn(device)).status, 400);
    assert.equal((await tryLogin(service, { email: person.email, password })).status, 200);
    assert.match((await mailsTo(service, 'factor-removed', person.email))[0]?.text ?? '', /A passkey was removed/);
  });

  it('cannot be changed with an old proof, and can renew a proof', async () => {
    const person = await registerUser(service);
    const { device, response } = await addPasskey(service, person);
    const path = `/v1/passkeys/${response.body.data.id}`;
    service.advance(16 * 60_000);
    const refused = await request(service, path, { method: 'DELETE', token: person.token });
    assert.deepEqual([refused.status, refused.body.code], [401, 'proof_too_old']);
    const passkey = device.get(await challengeFor(service, { type: 'get' }, person.token));
    const proof = { json: { passkey }, token: person.token };
    assert.equal((await request(service, '/v1/sessions/current/proofs', proof)).status, 201);
    assert.equal((await request(service, '/v1/sessions/current/proofs', proof)).status, 422);
    assert.equal((await request(service, path, { method: 'DELETE', token: person.token })).status, 204);
  });

  it('publish the origins that may use them', async () => {
    const { body } = await request(service, '/.well-known/webauthn');
    assert.deepEqual(body, { origins: [service.context.config.baseUrl, 'https://shop.example.org'] });
  });

  it('are refused in any malformed form', async () => {
    const person = await registerUser(service);
    const { device } = await addPasskey(service, person);
    const whole = device.get(await challengeFor(service, {})) as { response: object };
    const broken = [
      '{}',
      '[]',
      'null',
      '7',
      '{',
      JSON.stringify({ ...whole, response: 1 }),
      JSON.stringify({ id: whole }),
    ];
    for (const part of ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']) {
      broken.push(JSON.stringify({ ...whole, response: { ...whole.response, [part]: 'AAAA' } }));
      broken.push(JSON.stringify({ ...whole, response: { ...whole.response, [part]: 7 } }));
    }
    for (const passkey of broken) assert.equal((await tryLogin(service, { passkey })).status, 400, passkey);
    for (const passkey of [{}, [], 'x', 7, { response: {} }, { id: 'x', response: { clientDataJSON: 'e30' } }]) {
      assert.equal((await request(service, '/v1/passkeys', { json: { passkey }, token: person.token })).status, 422);
    }
    assert.equal((await tryLogin(service, { passkey: whole })).status, 200);
  });

  it('work on every instance, and each challenge works once', async () => {
    if (engine === 'sqlite') return;
    const database = await createDatabase();
    const base = { BASE_URL: 'https://id.example.com' };
    const [one, two] = [await start({ database, env: base }), await start({ database, env: base })];
    const person = await registerUser(one);
    const { device } = await addPasskey(one, person);
    const passkey = device.get(await challengeFor(one, {}));
    const responses = await Promise.all([one, two, one, two].map((on) => tryLogin(on, { passkey })));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
  });
});
