import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { decodeJwt } from 'jose';
import { addApplication } from '../harness/applications.ts';
import { codeFor, redeem, signedIn } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { personalToken } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import type { Visitor } from '../harness/visitor.ts';

const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

interface Client {
  readonly id: string;
  readonly secret?: string;
}

onBothEngines('An application that tries to exceed its scopes', (engine) => {
  const start = services(engine);
  let service: Service;
  let visitor: Visitor;
  let email: string;
  let admin: string;
  before(async () => {
    service = await start({ env: { RESOURCE_SERVERS: 'https://files.example' } });
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    ({ visitor, email } = await signedIn(service, { roles: ['admin'] }));
  });

  /** A token with the scopes that an administrator has allowed. */
  async function allow(scope: string): Promise<{ app: Client; token: string }> {
    const app = await addApplication(service, { scopes: ['openid', ...scope.split(' ')] });
    const { body, text } = await redeem(service, app, await codeFor(visitor, app.id, { scope: `openid ${scope}` }));
    assert.ok(body.access_token, text);
    return { app, token: body.access_token };
  }

  const pass = (client: Client, subject_token: string, more: Record<string, string> = {}) =>
    request<Record<string, string>>(service, '/oauth/token', {
      form: {
        ...{ grant_type: exchange, subject_token, subject_token_type: accessTokenType },
        ...{ client_id: client.id, client_secret: client.secret ?? '', ...more },
      },
    });

  it('gets no roles and no personal data in exchange for a token with the scope *', async () => {
    const { app, token } = await allow('*');
    for (const scope of ['admin', '* admin', '* email', 'openid', 'tokens:introspect', 'nothing:read']) {
      const { status, body } = await pass(app, token, { scope });
      assert.deepEqual([status, body.error], [400, 'invalid_scope'], scope);
    }
    assert.equal((await pass(app, token, { scope: 'users:read' })).status, 200);
  });

  it('exchanges the token of a sign-in only for a token without roles and without account rights', async () => {
    const server = await addApplication(service, { scopes: ['openid', 'tokens:exchange'] });
    const passed = (await pass(server, admin)).body.access_token as string;
    const others = await request<{ data: unknown[] }>(service, '/v1/users', { token: passed });
    assert.deepEqual([others.status, others.body.data.length], [200, 1], "only the user's own row");
    const made = await request(service, '/v1/tokens', { json: { name: 'for ever' }, token: passed });
    assert.equal(made.status, 403, made.text);
    const page = await request(service, '/settings', { headers: { cookie: `session=${passed}` } });
    assert.equal(page.status, 302, 'a page accepts only the session of a sign-in');
  });

  it('cannot exchange a token of another server for one of the API', async () => {
    const { body: login } = await request<{ access_token: string }>(service, '/v1/clients/web/admin/login', {
      json: { email: 'admin@example.com', password: 'correct horse battery', resource: 'https://files.example' },
    });
    const server = await addApplication(service, { scopes: ['openid', 'tokens:exchange'] });
    const { baseUrl } = service.context.config;
    for (const resource of [baseUrl, `${baseUrl}/v1`, `${baseUrl}/mcp`]) {
      const { status, body } = await pass(server, login.access_token, { resource });
      assert.deepEqual([status, body.error], [400, 'invalid_target'], resource);
    }
    for (const more of [{}, { resource: 'https://files.example' }] as Record<string, string>[]) {
      const { body } = await pass(server, login.access_token, more);
      assert.equal(decodeJwt(body.access_token as string).aud, 'https://files.example');
    }
    const narrowed = await pass(server, admin, { resource: 'https://files.example' });
    const back = await pass(server, narrowed.body.access_token as string);
    assert.equal((await request(service, '/v1/users', { token: back.body.access_token as string })).status, 401);
  });

  it("cannot create or change a webhook, which would outlive the consent and have the user's roles", async () => {
    const { token } = await allow('webhooks:write webhooks:read users:read');
    const hook = { url: 'https://attacker.example/', resources: ['users'] };
    const made = await request(service, '/v1/webhooks', { json: hook, token });
    assert.equal(made.status, 403, made.text);
    const session = visitor.cookies.get('session') as string;
    const own = await request<{ data: { id: string } }>(service, '/v1/webhooks', { json: hook, token: session });
    assert.equal(own.status, 201, own.text);
    const path = `/v1/webhooks/${own.body.data.id}`;
    const changed = await request(service, path, { method: 'PATCH', json: { url: 'https://other.example/' }, token });
    assert.equal(changed.status, 403, changed.text);
    assert.equal((await request(service, `${path}/secrets`, { json: {}, token })).status, 403);
    assert.equal((await request(service, path, { token })).status, 200, 'it may read the webhook');
  });

  it("cannot redirect a webhook with a token that may not read the webhook's resources", async () => {
    const hook = { url: 'https://receiver.example/', resources: ['users'] };
    const { body } = await request<{ data: { id: string } }>(service, '/v1/webhooks', { json: hook, token: admin });
    const path = `/v1/webhooks/${body.data.id}`;
    const patch = (json: object, token: string) => request(service, path, { method: 'PATCH', json, token });
    const narrow = await personalToken(service, admin, ['webhooks:write', 'webhooks:read']);
    assert.equal((await patch({ url: 'https://attacker.example/' }, narrow)).status, 422);
    assert.equal((await patch({ active: false }, narrow)).status, 200);
    assert.equal((await patch({ url: 'https://attacker.example/', active: true }, narrow)).status, 422);
    const wide = await personalToken(service, admin, ['webhooks:write', 'webhooks:read', 'users:read']);
    const other = { url: 'https://other.example/', active: true };
    assert.equal((await patch(other, wide)).status, 401, 'a personal access token proves no recent sign-in');
    assert.equal((await patch(other, admin)).status, 200);
  });

  it("cannot read deliveries, which contain rows that the user's roles show", async () => {
    const { token } = await allow('webhook-deliveries:read webhooks:read');
    const session = visitor.cookies.get('session') as string;
    const hook = { url: 'http://127.0.0.1:9/', resources: ['users'] };
    const { body } = await request<{ data: { id: string } }>(service, '/v1/webhooks', { json: hook, token: session });
    await request(service, `/v1/webhooks/${body.data.id}/pings`, { json: {}, token: session });
    const path = `/v1/webhooks/${body.data.id}/deliveries`;
    const seen = async (by: string) =>
      (await request<{ data: unknown[] }>(service, path, { token: by })).body.data.length;
    assert.equal(await seen(session), 1);
    assert.equal(await seen(token), 0);
  });

  it('learns neither the email nor the passkeys of a user from a challenge', async () => {
    const { token } = await allow('users:write');
    for (const type of ['create', 'get']) {
      const response = await request<{ data?: { allowCredentials?: unknown[] } }>(service, '/v1/passkey-challenges', {
        json: { type },
        token,
      });
      assert.ok(!response.text.includes(email), response.text);
      assert.equal(response.status, type === 'create' ? 403 : 201, response.text);
      assert.deepEqual(response.body.data?.allowCredentials ?? [], []);
    }
  });
});
