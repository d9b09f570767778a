import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, it } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { contentOf } from '../harness/content.ts';
import { onBothEngines } from '../harness/engines.ts';
import { tokenMailed } from '../harness/mailbox.ts';
import {
  clientGrant,
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

const proof = { current_password: password };
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const adminPassword = 'correct horse battery';

onBothEngines('Taking over an account', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  before(async () => {
    service = await start({ env: { ROLES: 'admin,editor', LOGIN_ATTRIBUTES: 'email,username,phone' } });
    admin = await logIn(service, 'admin@example.com', adminPassword);
  });
  const patch = (id: string, json: unknown, token: string) => patchUser(service, id, json, token);
  const remove = (id: string, token: string, json?: unknown) =>
    request<UserBody>(service, `/v1/users/${id}`, { method: 'DELETE', token, ...(json ? { json } : {}) });
  const refused = async (attempt: () => Promise<{ status: number; body: UserBody }>, expected: string) => {
    const content = await contentOf(service);
    const { status, body } = await attempt();
    assert.equal(
      `${status} ${body.errors?.[0] ? `${body.errors[0].field}:${body.errors[0].code}` : body.code}`,
      expected,
    );
    assert.equal(await contentOf(service), content, 'a refused request changes nothing');
  };

  it('requires the password for a change of login identifiers', async () => {
    const ada = await registerUser(service);
    for (const change of [{ email: 'new@example.com' }, { username: 'ada.new' }, { phone: '+12133734253' }]) {
      await refused(() => patch(ada.id, change, ada.token), '422 current_password:required');
      await refused(() => patch('me', { ...change, current_password: '' }, ada.token), '422 current_password:required');
      const wrong = await patch(ada.id, { ...change, current_password: 'not it' }, ada.token);
      assert.deepEqual([wrong.status, wrong.body.errors[0]?.code], [422, 'wrong']);
    }
    const put = (json: object) =>
      request<UserBody>(service, `/v1/users/${ada.id}`, { method: 'PUT', json, token: ada.token });
    await refused(() => put({ email: ada.email, username: 'ada.new' }), '422 current_password:required');
    assert.equal((await put({ email: ada.email, name: 'Ada' })).status, 200, 'not for unchanged identifiers');
    const changed = await patch(ada.id, { username: 'ada.new', phone: '+12133734253', ...proof }, ada.token);
    assert.equal(changed.body.data.username, 'ada.new');
  });

  it('is slowed by a limit on wrong passwords', async () => {
    const ada = await registerUser(service);
    const guess = () => patch(ada.id, { username: 'taken.over', current_password: 'not it at all' }, ada.token);
    for (let n = 0; n < 5; n++) assert.equal((await guess()).status, 422);
    for (let n = 0; n < 5; n++) {
      assert.equal((await remove('me', ada.token, { current_password: 'no' })).status, 422);
    }
    assert.equal((await guess()).status, 429);
    assert.equal((await remove('me', ada.token, proof)).status, 429);
    assert.ok(await logIn(service, ada.email, password), 'a stolen token cannot lock the login');
  });

  it('requires a token with all scopes for changes of identifiers and for the deletion', async () => {
    const ada = await registerUser(service);
    const narrow = await personalToken(service, ada.token, ['users:read', 'users:write']);
    for (const change of [{ email: 'new@example.com' }, { username: 'ada.narrow' }, { phone: '+12133734254' }]) {
      await refused(() => patch(ada.id, { ...change, ...proof }, narrow), '403 insufficient_scope');
    }
    await refused(() => remove('me', narrow, proof), '403 insufficient_scope');
    assert.equal((await patch(ada.id, { name: 'Ada' }, narrow)).status, 200);
  });

  it('requires the password for the deletion, as JSON or as a form', async () => {
    const [ada, grace] = [await registerUser(service), await registerUser(service)];
    await refused(() => remove('me', ada.token), '422 current_password:required');
    await refused(() => remove(ada.id, ada.token, { current_password: 7 }), '422 current_password:type');
    await refused(() => remove(ada.id, ada.token, { ...proof, force: true }), '422 force:unknown');
    assert.equal((await remove(ada.id, ada.token, proof)).status, 204);
    const form = { method: 'DELETE', form: proof, token: grace.token };
    assert.equal((await request(service, '/v1/users/me', form)).status, 204);
    assert.equal(await stateOf(service, grace.token), '401 user_gone');
  });

  it("is impossible with an administrator's token for users only", async () => {
    const ada = await registerUser(service);
    const narrow = await personalToken(service, admin, ['users:read', 'users:write']);
    await refused(() => patch(ada.id, { roles: ['editor'] }, narrow), '403 insufficient_scope');
    await refused(() => patch(ada.id, { password: 'another fine secret' }, narrow), '403 insufficient_scope');
    await refused(() => patch(ada.id, { email: 'mine@example.com' }, narrow), '403 insufficient_scope');
    await refused(() => patch(ada.id, { disabled: true }, narrow), '403 insufficient_scope');
    const create = (json: object, token = narrow) => request<UserBody>(service, '/v1/users', { json, token });
    await refused(() => create({ email: 'made@example.com', password, roles: ['admin'] }), '403 insufficient_scope');
    await refused(() => create({ email: 'made@example.com', password, disabled: true }), '403 insufficient_scope');
    const made = await create({ email: 'made@example.com', password });
    assert.equal(made.status, 201, 'an ordinary user can be created');
    await patch(made.body.data.id, { roles: ['editor'] }, admin);
    const put = request<UserBody>(service, `/v1/users/${made.body.data.id}`, {
      method: 'PUT',
      json: { email: 'made@example.com' },
      token: narrow,
    });
    assert.equal((await put).status, 403, 'omitting roles would remove them');
    await refused(() => remove(made.body.data.id, narrow), '401 proof_too_old');
  });

  it('ends when the owner sets a password with a mailed link', async () => {
    const ada = await registerUser(service);
    const pat = await personalToken(service, ada.token);
    const client = await personalClient(service, ada.token);
    const ofClient = (await client.grant()).body;
    await request(service, '/v1/password/resets', { json: { email: ada.email } });
    const link = await tokenMailed(service, 'reset-password', ada.email);
    for (let n = 0; n < 11; n++) await logIn(service, ada.email, 'a wrong guess').catch(() => undefined);
    await assert.rejects(logIn(service, ada.email, password), /429/);
    const reset = await request(service, `/v1/password/resets/${link}`, { json: { password: 'another fine secret' } });
    assert.equal(reset.status, 200);
    for (const token of [ada.token, pat, ofClient.access_token]) {
      assert.equal(await stateOf(service, token), '401 token_revoked');
    }
    assert.equal((await client.grant()).body.error, 'invalid_client');
    const refresh = { grant_type: 'refresh_token', refresh_token: ofClient.refresh_token };
    const form = { ...refresh, client_id: client.id, client_secret: client.secret };
    assert.equal((await request(service, '/v1/oauth/token', { form })).status, 401);
    const fresh = await logIn(service, ada.email, 'another fine secret');
    assert.ok(fresh, 'the lockout has ended');
    const secrets = `/v1/clients/${client.id}/secrets`;
    const { body } = await request<{ data: { client_secret: string } }>(service, secrets, { json: {}, token: fresh });
    assert.equal((await clientGrant(service, client.id, body.data.client_secret)).status, 200, 'the client stays');
  });

  it('ends when an administrator sets the password', async () => {
    const ada = await registerUser(service);
    const pat = await personalToken(service, ada.token);
    const client = await personalClient(service, ada.token);
    const { access_token } = (await client.grant()).body;
    for (let n = 0; n < 11; n++) await logIn(service, ada.email, 'a wrong guess').catch(() => undefined);
    assert.equal((await patch(ada.id, { password: 'another fine secret' }, admin)).status, 200);
    for (const token of [ada.token, pat, access_token]) {
      assert.equal(await stateOf(service, token), '401 token_revoked');
    }
    assert.equal((await client.grant()).body.error, 'invalid_client');
    assert.ok(await logIn(service, ada.email, 'another fine secret'));
  });

  it('ends the keys of applications when the owner or an administrator replaces the password', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const { baseUrl } = service.context.config;
    const jwks = { keys: [await exportJWK(publicKey)] };
    const keyed = { type: 'application', scopes: ['*'], redirect_uris: ['https://app.example/'] };
    const add = async ({ token }: Person) => {
      const json = { ...keyed, name: 'Keyed', token_endpoint_auth_method: 'private_key_jwt', jwks };
      const made = await request<{ data: { id: string } }>(service, '/v1/clients', { json, token });
      assert.equal(made.status, 201, made.text);
      return made.body.data.id;
    };
    const grant = async (id: string) => {
      const claims = { iss: id, sub: id, aud: baseUrl, jti: randomUUID() };
      const client_assertion = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256' })
        .setExpirationTime('1m')
        .sign(privateKey);
      const form = { grant_type: 'client_credentials', client_assertion, client_assertion_type: assertionType };
      return (await request(service, '/oauth/token', { form })).status;
    };
    const next = { password: 'another fine secret' };
    const own = (json: object) => (ada: Person) => patch(ada.id, { ...next, ...proof, ...json }, ada.token);
    const changes: [(ada: Person) => Promise<unknown>, number][] = [
      [own({}), 200],
      [own({ end_tokens: true }), 401],
      [(ada) => patch(ada.id, next, admin), 401],
    ];
    for (const [change, expected] of changes) {
      const ada = await registerUser(service);
      const id = await add(ada);
      assert.equal(await grant(id), 200);
      await change(ada);
      assert.equal(await grant(id), expected);
    }
    const ada = await registerUser(service);
    const [id, other] = [await add(ada), await add(await registerUser(service))];
    const jwks_uri = 'https://keys.example/jwks';
    const moved = { method: 'PATCH', json: { jwks: null, jwks_uri }, token: ada.token };
    assert.equal((await request(service, `/v1/clients/${await add(ada)}`, moved)).status, 200);
    await request(service, '/v1/password/resets', { json: { email: ada.email } });
    const link = await tokenMailed(service, 'reset-password', ada.email);
    assert.equal((await request(service, `/v1/password/resets/${link}`, { json: next })).status, 200);
    const token = await logIn(service, ada.email, next.password);
    type Clients = { data: { jwks: unknown; jwks_uri: unknown }[] };
    const { body } = await request<Clients>(service, '/v1/clients?filter=jwks;jwks_uri', { token });
    assert.deepEqual(body.data, [
      { jwks: null, jwks_uri: null },
      { jwks: null, jwks_uri: null },
    ]);
    assert.deepEqual([await grant(id), await grant(other)], [401, 200]);
    const cleaned = { method: 'PATCH', json: { redirect_uris: ['https://own.example/'] }, token };
    assert.equal((await request(service, `/v1/clients/${id}`, cleaned)).status, 200, 'other fields can be changed');
    const renewed = { method: 'PATCH', json: { jwks }, token };
    assert.equal((await request(service, `/v1/clients/${id}`, renewed)).status, 200);
    assert.equal(await grant(id), 200, 'the client stays');
  });

  it('is not assumed when owners change their own password: tokens and clients stay', async () => {
    const ada = await registerUser(service);
    const pat = await personalToken(service, ada.token);
    const client = await personalClient(service, ada.token);
    await patch(ada.id, { password: 'another fine secret', ...proof }, ada.token);
    assert.equal(await stateOf(service, pat), '200');
    assert.equal((await client.grant()).status, 200);
  });
});
