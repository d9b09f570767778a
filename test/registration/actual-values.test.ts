import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { authorizePath, codeFor, redeem, signedIn } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const redirect_uris = ['https://app.example/callback'];

onBothEngines('Client registration', (engine) => {
  const start = services(engine);
  let open: Service;
  before(async () => {
    open = await start({ env: { DYNAMIC_CLIENTS: 'open' } });
  });
  const register = (on: Service, json: unknown) => request<Record<string, unknown>>(on, '/oauth/register', { json });

  it('limits a client to its registered grants', async () => {
    const { body } = await register(open, { redirect_uris, grant_types: ['authorization_code'] });
    const client = { client_id: String(body.client_id), client_secret: String(body.client_secret) };
    assert.ok(!String(body.scope).includes('offline_access'), 'a client without the grant refresh_token cannot use it');
    const refresh = await request(open, '/oauth/token', {
      form: { grant_type: 'refresh_token', refresh_token: 'any', ...client },
    });
    assert.deepEqual([refresh.status, refresh.body.error], [400, 'unauthorized_client']);
    const device = await request(open, '/oauth/device_authorization', { form: client });
    assert.deepEqual([device.status, device.body.error], [400, 'unauthorized_client']);
  });

  it('does not show the claimed homepage of a client', async () => {
    const { body } = await register(open, {
      redirect_uris,
      client_name: 'Ledger',
      client_uri: 'https://bank.example/',
    });
    const { visitor } = await signedIn(open);
    const { html, status } = await visitor.get(authorizePath(String(body.client_id), { scope: 'openid' }));
    assert.deepEqual([status, html.includes('Ledger'), html.includes('bank.example')], [200, true, false]);
  });

  it('is not needed by the command line, whose client the operator can disable', async () => {
    const form = { client_id: 'gatehouse-cli', scope: '*' };
    assert.equal((await request(open, '/oauth/device_authorization', { form })).status, 200);
    const off = await start({ env: { CLI_LOGIN: 'off' } });
    const { status, body } = await request(off, '/oauth/device_authorization', { form });
    assert.deepEqual([status, body.error], [401, 'invalid_client']);
  });

  it('returns the registered keys, terms, policy, age and algorithm, and refuses unsupported values', async () => {
    const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] };
    const metadata = {
      ...{ tos_uri: 'https://app.example/tos', policy_uri: 'https://app.example/policy', default_max_age: 600 },
      ...{ id_token_signed_response_alg: 'ES256', jwks },
    };
    const { body } = await register(open, { redirect_uris, ...metadata });
    for (const [name, value] of Object.entries(metadata)) {
      assert.deepEqual(body[name], value, name);
    }
    const withPrivate = { keys: [{ ...jwks.keys[0], d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' }] };
    for (const wrong of [
      { id_token_signed_response_alg: 'HS256' },
      { jwks, jwks_uri: 'https://app.example/jwks' },
      { jwks: withPrivate },
      { default_max_age: -1 },
      { subject_type: 'pairwise' },
    ]) {
      const refused = await register(open, { redirect_uris, ...wrong });
      assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_client_metadata'], JSON.stringify(wrong));
    }
  });

  it('limits only the unused clients of one network', async () => {
    open.advance(2 * 3_600_000);
    const { visitor } = await signedIn(open);
    for (let i = 0; i < 24; i++) {
      const { status, body } = await register(open, { redirect_uris });
      assert.equal(status, 201, `${i}`);
      const [id, secret] = [String(body.client_id), String(body.client_secret)];
      const code = await codeFor(visitor, id, { redirect_uri: redirect_uris[0] });
      const form = { redirect_uri: redirect_uris[0] };
      assert.equal((await redeem(open, { id, secret }, code, form)).status, 200);
    }
  });
});
