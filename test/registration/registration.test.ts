import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import * as openid from 'openid-client';
import { pruneClients } from '../../extensions/client-registration/prune-clients.ts';
import { addApplication } from '../harness/applications.ts';
import { codeFor, redeem, signedIn } from '../harness/authorizing.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import { onBothEngines } from '../harness/engines.ts';
import { personalToken, registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const redirect_uris = ['https://app.example/callback'];

interface Registered {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly registration_access_token: string;
  readonly registration_client_uri: string;
  readonly error: string;
  readonly [member: string]: unknown;
}

onBothEngines('Dynamic client registration', (engine) => {
  const start = services(engine);
  let open: Service;
  let byToken: Service;
  let closed: Service;
  before(async () => {
    open = await start({ env: { DYNAMIC_CLIENTS: 'open' } });
    byToken = await start({ env: { DYNAMIC_CLIENTS: 'token' } });
    closed = await start();
  });

  const register = (on: Service, json: unknown, token?: string) =>
    request<Registered>(on, '/oauth/register', { json, ...(token ? { token } : {}) });
  const metadataOf = async (on: Service) => (await request(on, '/.well-known/oauth-authorization-server')).body;

  it('is closed by default, and listed in the metadata if the operator opens it', async () => {
    const { status, body } = await register(closed, { redirect_uris });
    assert.deepEqual([status, body.error], [403, 'access_denied']);
    assert.equal((await metadataOf(closed)).registration_endpoint, undefined);
    assert.equal((await metadataOf(open)).registration_endpoint, `${open.context.config.baseUrl}/oauth/register`);
    const documents = await Promise.all([closed, byToken, open].map(metadataOf));
    const supported = documents.map((document) => document.client_id_metadata_document_supported);
    assert.deepEqual(supported, [undefined, undefined, true]);
  });

  it('registers a published client, which then works like any other', async () => {
    const server = new URL(open.context.config.baseUrl);
    const options = { algorithm: 'oauth2' as const, execute: [openid.allowInsecureRequests] };
    const grant_types = ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'];
    const metadata = { redirect_uris, grant_types, client_name: 'Garage door', client_uri: 'https://app.example/' };
    const config = await openid.dynamicClientRegistration(server, metadata, undefined, options);
    const client = config.clientMetadata();
    assert.ok(client.client_secret);
    const codes = await openid.initiateDeviceAuthorization(config, { scope: 'openid' });
    assert.ok(codes.device_code);
    const form = { grant_type: 'client_credentials', client_id: client.client_id, client_secret: client.client_secret };
    const itself = await request(open, '/oauth/token', { form: form as Record<string, string> });
    assert.deepEqual(
      [itself.status, itself.body.error],
      [400, 'unauthorized_client'],
      'it gets no tokens without a user',
    );
  });

  it('registers an editor that sends all its redirect URIs at once', async () => {
    const editor = {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
    const { status, text } = await register(open, editor);
    assert.equal(status, 201, text);
  });

  it('returns everything that it registered, and ignores unknown members', async () => {
    const { status, body, headers } = await register(open, {
      redirect_uris: ['http://127.0.0.1/callback', 'com.example.app:/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'Native',
      scope: 'openid * users:read tokens:introspect no:such',
      contacts: ['ada@example.com'],
      'made up': { of: ['anything'] },
    });
    assert.equal(status, 201);
    assert.equal(headers.get('cache-control'), 'no-store');
    const { client_id, registration_access_token, registration_client_uri, client_id_issued_at, ...rest } = body;
    assert.ok(client_id && registration_access_token && client_id_issued_at);
    assert.equal(registration_client_uri, `${open.context.config.baseUrl}/oauth/register/${client_id}`);
    assert.deepEqual(rest, {
      client_name: 'Native',
      redirect_uris: ['http://127.0.0.1/callback', 'com.example.app:/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'openid users:read',
      id_token_signed_response_alg: 'RS256',
      subject_type: 'public',
      application_type: 'web',
      contacts: ['ada@example.com'],
    });
  });

  it('registers only openid if none of the requested scopes is available', async () => {
    assert.equal((await register(open, { redirect_uris, scope: '* no:such' })).body.scope, 'openid');
    assert.match(
      String((await register(open, { redirect_uris, scope: ' ' })).body.scope),
      /\bopenid\b.*\busers:read\b/,
    );
  });

  it('reports errors with the codes of the standard', async () => {
    const wrong = async (json: unknown) => {
      const { status, body } = await register(open, json);
      return [status, body.error];
    };
    const redirect = [400, 'invalid_redirect_uri'];
    assert.deepEqual(await wrong({}), redirect);
    for (const uri of [
      'http://app.example/',
      'https://app.example/#here',
      'https://a@b.example/',
      'javascript:alert(1)',
    ])
      assert.deepEqual(await wrong({ redirect_uris: [uri] }), redirect, uri);
    const metadata = [400, 'invalid_client_metadata'];
    const cases = [
      { redirect_uris: 'https://app.example/' },
      { redirect_uris, token_endpoint_auth_method: 'private_key_jwt' },
      { redirect_uris, grant_types: ['client_credentials'] },
      { redirect_uris, grant_types: ['password'] },
      { redirect_uris, response_types: ['token'] },
      { redirect_uris, client_name: 'Gate\u202ehouse' },
      { redirect_uris, client_name: ['a'] },
      { redirect_uris, logo_uri: 'http://app.example/logo.png' },
      { redirect_uris, logo_uri: 'javascript:alert(1)' },
      { redirect_uris, software_id: 'x'.repeat(501) },
      { redirect_uris, contacts: ['ada@app.example', 'x'.repeat(501)] },
      { redirect_uris: Array.from({ length: 21 }, (_, i) => `https://app.example/${i}`) },
    ];
    for (const json of cases) assert.deepEqual(await wrong(json), metadata, JSON.stringify(json));
    const nothing = await request(open, '/oauth/register', { method: 'POST' });
    assert.equal(nothing.status, 400);
  });

  it('can be read, replaced and deleted only with its own registration token', async () => {
    const { body: made } = await register(open, {
      redirect_uris,
      client_name: 'Before',
      logo_uri: 'https://a.example/l',
    });
    const { body: other } = await register(open, { redirect_uris });
    const path = `/oauth/register/${made.client_id}`;
    const token = made.registration_access_token;
    for (const wrong of [other.registration_access_token, 'made-up', null]) {
      const { status, headers } = await request(open, path, { token: wrong });
      const named = /error="invalid_token"/.test(headers.get('www-authenticate') ?? '');
      assert.deepEqual([status, named], [401, wrong !== null], 'RFC 6750 3.1');
    }
    assert.equal((await request(open, '/oauth/register/nobody', { token })).status, 401);
    assert.equal((await request(open, '/oauth/register/gatehouse-cli', { token })).status, 401);

    const { url, dir } = open.database;
    const shown = await gatehouseHere(['client', 'show', made.client_id], dir, { DATABASE_URL: url, DATA_DIR: dir });
    assert.match(shown.stdout, /^registered +by itself$/m, shown.stderr);

    const read = await request<Registered>(open, path, { token });
    assert.deepEqual([read.status, read.body.client_name, read.body.client_secret], [200, 'Before', undefined]);

    const put = (json: object) => request<Registered>(open, path, { method: 'PUT', token, json });
    const { client_id } = made;
    assert.equal((await put({ redirect_uris })).body.error, 'invalid_request', 'without client_id');
    assert.equal((await put({ client_id, redirect_uris, client_secret: 'chosen' })).body.error, 'invalid_request');
    assert.equal(
      (await put({ client_id, redirect_uris, registration_access_token: token })).body.error,
      'invalid_request',
    );
    const other_method = await put({ client_id, redirect_uris, token_endpoint_auth_method: 'none' });
    assert.equal(other_method.body.error, 'invalid_client_metadata');
    const after = await put({ client_id, redirect_uris: ['https://new.example/'], client_secret: made.client_secret });
    assert.deepEqual([after.status, after.body.client_name, after.body.logo_uri], [200, 'new.example', undefined]);

    assert.equal((await request(open, path, { method: 'DELETE', token })).status, 204);
    assert.equal((await request(open, path, { token })).status, 401);
    const form = { client_id, client_secret: made.client_secret as string, token: 'x' };
    assert.equal((await request(open, '/oauth/revoke', { form })).status, 401, 'the client was deleted');
  });

  it('accepts a token of an administrator or of the operator', async () => {
    const admin = await logIn(byToken, 'admin@example.com', 'correct horse battery');
    const person = await registerUser(byToken);
    const tokens = {
      none: undefined,
      'made up': 'ghr.99999999999999.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      "a person's": person.token,
      'too narrow': await personalToken(byToken, admin, ['users:read']),
      'a personal access token': await personalToken(byToken, admin, ['clients:write']),
      "an administrator's": admin,
    };
    const statuses: Record<string, number> = {};
    for (const [name, token] of Object.entries(tokens))
      statuses[name] = (await register(byToken, { redirect_uris }, token)).status;
    assert.deepEqual(statuses, {
      none: 401,
      'made up': 401,
      "a person's": 403,
      'too narrow': 403,
      'a personal access token': 401,
      "an administrator's": 201,
    });
    const withoutToken = await register(byToken, { redirect_uris });
    assert.match(withoutToken.headers.get('www-authenticate') ?? '', /^Bearer (?!.*error=)/, 'RFC 6750 3.1');
    byToken.advance(901_000);
    const late = await register(byToken, { redirect_uris }, admin);
    assert.deepEqual([late.status, late.body.error], [401, 'insufficient_user_authentication']);
    assert.match(late.headers.get('www-authenticate') ?? '', /error="insufficient_user_authentication"/);
    const operator = await signedIn(byToken, { roles: ['admin'] });
    const application = await addApplication(byToken, { scopes: ['*', 'admin', 'openid'], trusted: true });
    const code = await codeFor(operator.visitor, application.id, { scope: 'openid * admin' });
    const { access_token } = (await redeem(byToken, application, code)).body;
    const ofApplication = await register(byToken, { redirect_uris }, access_token);
    assert.deepEqual([ofApplication.status, ofApplication.body.error], [403, 'access_denied']);
    const { url, dir } = byToken.database;
    const made = await gatehouseHere(['client', 'registration-token', '--hours', '2'], dir, {
      DATABASE_URL: url,
      DATA_DIR: dir,
    });
    assert.equal(made.code, 0, made.stderr);
    const token = made.stdout.trim();
    assert.equal((await register(byToken, { redirect_uris }, token)).status, 201);
    assert.equal((await register(byToken, { redirect_uris }, token)).status, 201, 'it can be used several times');
    assert.equal((await request(byToken, '/v1/users/me', { token })).status, 401, 'it works for nothing else');
    byToken.advance(2 * 3_600_000);
    assert.equal((await register(byToken, { redirect_uris }, token)).status, 401);
  });

  it('is visible to administrators, distinguishable from other clients, and can be deleted by them', async () => {
    const token = await logIn(open, 'admin@example.com', 'correct horse battery');
    const { body: registered } = await register(open, { redirect_uris, client_name: 'Stranger' });
    const { body: made } = await request<{ data: { id: string; registration: unknown } }>(open, '/v1/clients', {
      token,
      json: { type: 'application', name: 'Ours', redirect_uris },
    });
    assert.equal(made.data.registration, null);
    const listed = async (search: string) => {
      const { body } = await request<{ data: { id: string }[] }>(open, `/v1/clients?limit=100&search=${search}`, {
        token,
      });
      return body.data.map(({ id }) => id);
    };
    assert.ok((await listed('registration:dynamic')).includes(registered.client_id));
    assert.ok(!(await listed('registration:dynamic')).includes(made.data.id));
    const path = `/v1/clients/${registered.client_id}`;
    assert.equal((await request(open, path, { method: 'DELETE', token })).status, 204);
    const { registration_access_token, registration_client_uri } = registered;
    const address = new URL(registration_client_uri).pathname;
    assert.equal((await request(open, address, { token: registration_access_token })).status, 401);
  });

  it('is deleted after 30 days without use', async () => {
    const { body: unused } = await register(open, { redirect_uris });
    const { body: used } = await register(open, { redirect_uris });
    const { db } = open.context.database;
    const still = async ({ client_id }: Registered) =>
      (await db.selectFrom('clients').select('id').where('id', '=', client_id).execute()).length;
    open.advance(29 * 86_400_000);
    await pruneClients(open.context);
    assert.deepEqual([await still(unused), await still(used)], [1, 1]);
    await db
      .updateTable('client_registrations')
      .set({ last_used_at: open.context.now() })
      .where('client_id', '=', used.client_id)
      .execute();
    open.advance(2 * 86_400_000);
    await pruneClients(open.context);
    assert.deepEqual([await still(unused), await still(used)], [0, 1]);
    assert.equal(await still({ client_id: 'gatehouse-cli' } as Registered), 1, 'clients of the service stay');
  });

  it('is limited per network', async () => {
    open.advance(2 * 3_600_000);
    const statuses = new Set<number>();
    for (let i = 0; i < 21; i++) statuses.add((await register(open, { redirect_uris })).status);
    assert.deepEqual([...statuses], [201, 429]);
  });
});
