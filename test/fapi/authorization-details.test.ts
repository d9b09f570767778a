import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { decodeJwt } from 'jose';
import { addApplication } from '../harness/applications.ts';
import {
  authorizationResponseIn,
  authorizePath,
  codeFor,
  press,
  redeem,
  redirectUri,
  signedIn,
} from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import type { Visitor } from '../harness/visitor.ts';

interface Body {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly error?: string;
  readonly authorization_details?: unknown;
}

const payment = {
  type: 'payment_initiation',
  actions: ['initiate', 'status'],
  instructedAmount: { currency: 'EUR', amount: '123.50' },
  creditorName: 'Merchant <b>A</b>',
};
const account = { type: 'account_information', locations: ['https://accounts.example'] };
const authorizationDetailsTypes = {
  payment_initiation: 'Make this payment',
  account_information: 'Read your accounts',
  transfer: {
    text: 'Transfer money',
    schema: {
      type: 'object',
      required: ['amount'],
      properties: { type: {}, amount: { type: 'string', pattern: '^[0-9]+$' } },
      additionalProperties: false,
    },
  },
};
const authorization_details = JSON.stringify([payment, account]);

onBothEngines('authorization_details (RFC 9396)', (engine) => {
  const start = services(engine);
  let service: Service;
  let visitor: Visitor;
  let app: { id: string; secret?: string };
  before(async () => {
    service = await start({ file: { authorizationDetailsTypes } });
    ({ visitor } = await signedIn(service));
    app = await addApplication(service, { scopes: ['openid', 'offline_access', 'users:read'] });
  });
  const token = (form: Record<string, string>) =>
    request<Body>(service, '/oauth/token', { form: { client_id: app.id, client_secret: app.secret ?? '', ...form } });
  const generations = async () => {
    const { db } = service.context.database;
    const rows = await db.selectFrom('sessions').select('generation').where('client_id', '=', app.id).execute();
    return rows.map(({ generation }) => generation);
  };

  it('are shown to the user, and are in the token response, the access token and introspection', async () => {
    const path = authorizePath(app.id, { scope: 'openid offline_access', authorization_details });
    const page = await visitor.get(path);
    assert.equal(page.status, 200);
    for (const text of ['Make this payment', 'initiate, status', '123.50', 'Merchant &lt;b&gt;A&lt;/b&gt;']) {
      assert.ok(page.html.includes(text), text);
    }
    const { code = '' } = authorizationResponseIn(await press(visitor, page, 'allow'));
    const notGranted = JSON.stringify([{ type: 'account_information', locations: ['https://other.example'] }]);
    const refused = await redeem(service, app, code, { authorization_details: notGranted });
    assert.equal(refused.body.error, 'invalid_authorization_details', 'the code is not used up');
    const { status, body, text } = await redeem(service, app, code);
    assert.equal(status, 200, text);
    const tokens = body as Body;
    assert.deepEqual(tokens.authorization_details, [payment, account]);
    assert.deepEqual(decodeJwt(tokens.access_token).authorization_details, [payment, account]);
    const form = { token: tokens.access_token, client_id: app.id, client_secret: app.secret ?? '' };
    const introspected = await request(service, '/oauth/introspect', { form });
    assert.deepEqual(introspected.body.authorization_details, [payment, account]);

    const asked = await visitor.get(path);
    assert.equal(asked.status, 200, 'the consent page appears each time');
    const silent = await visitor.get(authorizePath(app.id, { authorization_details, prompt: 'none' }));
    assert.equal(authorizationResponseIn(silent).error, 'consent_required');

    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
    const more = JSON.stringify([{ ...payment, instructedAmount: { currency: 'EUR', amount: '999.00' } }]);
    const widened = await token({ ...refresh, authorization_details: more });
    assert.deepEqual([widened.status, widened.body.error], [400, 'invalid_authorization_details']);
    assert.deepEqual(await generations(), [0], 'the refresh token is not used up');
    const narrowed = await token({ ...refresh, authorization_details: JSON.stringify([account]) });
    assert.deepEqual(narrowed.body.authorization_details, [account], narrowed.text);
    assert.deepEqual(decodeJwt(narrowed.body.access_token).authorization_details, [account]);
    const whole = await token({ ...refresh, refresh_token: narrowed.body.refresh_token ?? '' });
    assert.deepEqual(whole.body.authorization_details, [payment, account]);

    const passedOn = await token({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: whole.body.access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    });
    assert.equal(passedOn.status, 200, passedOn.text);
    assert.equal(decodeJwt(passedOn.body.access_token).authorization_details, undefined);
  });

  it('are refused with an undeclared type or in a malformed form', async () => {
    for (const wrong of [
      'nonsense',
      '{}',
      '[]',
      '[1]',
      '[{}]',
      '[{"type":"toString"}]',
      '[{"type":"other"}]',
      '[{"type":"payment_initiation","actions":"initiate"}]',
      '[{"type":"payment_initiation","identifier":7}]',
      '[{"type":"payment_initiation","creditorName":"A\\u202eB"}]',
      JSON.stringify(Array(11).fill(account)),
      JSON.stringify([{ ...account, note: 'x'.repeat(3000) }]),
    ]) {
      const response = authorizationResponseIn(
        await visitor.get(authorizePath(app.id, { authorization_details: wrong })),
      );
      assert.equal(response.error, 'invalid_authorization_details', wrong.slice(0, 80));
      const parameters = { response_type: 'code', redirect_uri: redirectUri, authorization_details: wrong };
      const pushed = await request(service, '/oauth/par', {
        form: { ...parameters, client_id: app.id, client_secret: app.secret ?? '' },
      });
      assert.deepEqual([pushed.status, pushed.body.error], [400, 'invalid_authorization_details'], wrong.slice(0, 80));
    }
    const sessionsBefore = await generations();
    const own = await token({ grant_type: 'client_credentials', authorization_details });
    assert.deepEqual([own.status, own.body.error], [400, 'invalid_authorization_details'], 'no user has consented');
    assert.deepEqual(await generations(), sessionsBefore, 'no session was opened');
    const device = await request(service, '/oauth/device_authorization', {
      form: { client_id: app.id, client_secret: app.secret ?? '', authorization_details },
    });
    assert.deepEqual(
      [device.status, device.body.error],
      [400, 'invalid_authorization_details'],
      'the device page cannot show them',
    );
  });

  it('are accepted in a pushed request, and are absent from a login without them', async () => {
    const form = { response_type: 'code', redirect_uri: redirectUri, authorization_details, state: 's' };
    const pushed = await request<{ request_uri: string }>(service, '/oauth/par', {
      form: { ...form, client_id: app.id, client_secret: app.secret ?? '' },
    });
    assert.equal(pushed.status, 201, pushed.text);
    const query = new URLSearchParams({ client_id: app.id, request_uri: pushed.body.request_uri });
    const page = await visitor.get(`/oauth/authorize?${query}`);
    const { code = '' } = authorizationResponseIn(await press(visitor, page, 'allow'));
    const { body } = await redeem(service, app, code, { code_verifier: undefined });
    assert.deepEqual((body as Body).authorization_details, [payment, account]);
    const plain = await redeem(service, app, await codeFor(visitor, app.id));
    assert.equal('authorization_details' in plain.body, false);
    assert.equal(decodeJwt(plain.body.access_token).authorization_details, undefined);
  });

  it('must match the schema of their type, if it has one', async () => {
    const request = (detail: object) =>
      visitor.get(authorizePath(app.id, { authorization_details: JSON.stringify([detail]) }));
    assert.match((await request({ type: 'transfer', amount: '12' })).html, /Transfer money/);
    for (const wrong of [{}, { amount: 12 }, { amount: '1.5' }, { amount: '1', to: 'x' }]) {
      const { error, error_description } = authorizationResponseIn(await request({ type: 'transfer', ...wrong }));
      assert.equal(error, 'invalid_authorization_details', JSON.stringify(wrong));
      assert.match(error_description ?? '', /^authorization_details: transfer/);
    }
  });

  it('are listed by type in the metadata, if any type is declared', async () => {
    const { body } = await request(service, '/.well-known/openid-configuration');
    assert.deepEqual(body.authorization_details_types_supported, Object.keys(authorizationDetailsTypes));
  });
});
