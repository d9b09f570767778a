import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import { addClient, addLogin, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import {
  authorizationResponseIn,
  authorizePath,
  codeFor,
  redirectUri,
  signedIn,
  verifier,
} from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type JsonResponse, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const files = 'https://files.example.com';

onBothEngines('The audience of an access token', (engine) => {
  const start = services(engine);
  let service: Service;
  let client: { id: string; secret: string };
  let base: string;
  before(async () => {
    service = await start({ env: { RESOURCE_SERVERS: `${files},urn:example:printers` } });
    client = await addClient(service, { type: 'personal' });
    base = service.context.config.baseUrl;
  });

  const grant = (resource: string[], more: Record<string, string> = { grant_type: 'client_credentials' }) => {
    const form = new URLSearchParams({ client_id: client.id, client_secret: client.secret, ...more });
    for (const uri of resource) form.append('resource', uri);
    return request(service, '/oauth/token', { form: form.toString() });
  };
  const audOf = ({ body }: JsonResponse): unknown =>
    JSON.parse(Buffer.from(String(body.access_token).split('.')[1] as string, 'base64url').toString()).aud;
  const presented = async ({ body }: JsonResponse) => {
    const { status, body: problem } = await request(service, '/v1/clients', { token: String(body.access_token) });
    return [status, problem.code];
  };
  const refresh = ({ body }: JsonResponse, resource: string[]) =>
    grant(resource, { grant_type: 'refresh_token', refresh_token: String(body.refresh_token) });

  it('is this service, unless resource names another', async () => {
    assert.equal(audOf(await grant([])), base);
    assert.equal(audOf(await grant([`${base}/v1`])), `${base}/v1`);
    assert.equal(audOf(await grant([`${base}/v1/`])), `${base}/v1`);
    assert.equal(audOf(await grant([files])), files);
    assert.deepEqual(audOf(await grant([files, `${base}/v1`, files])), [files, `${base}/v1`]);
    assert.equal(audOf(await grant(['urn:example:printers'])), 'urn:example:printers');
    const json = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret };
    const many = await request(service, '/oauth/token', { json: { ...json, resource: [files, `${base}/v1`] } });
    assert.deepEqual(audOf(many), [files, `${base}/v1`]);
  });

  it('must include this service for the token to be accepted', async () => {
    for (const resource of [[], [base], [`${base}/v1`], [files, `${base}/v1`]]) {
      const response = await grant(resource);
      for (const _again of [1, 2]) assert.deepEqual(await presented(response), [200, undefined], String(resource));
    }
    for (const resource of [[files], ['urn:example:printers', files]]) {
      const response = await grant(resource);
      for (const _again of [1, 2])
        assert.deepEqual(await presented(response), [401, 'token_malformed'], String(resource));
    }
    const refused = await request(service, '/v1/clients', { token: String((await grant([files])).body.access_token) });
    assert.match(String(refused.headers.get('www-authenticate')), /^Bearer .*error="invalid_token"/);
  });

  it('is shown by introspection', async () => {
    const { body } = await grant([files]);
    const credentials = { client_id: client.id, client_secret: client.secret };
    const access = await request(service, '/oauth/introspect', {
      form: { ...credentials, token: String(body.access_token) },
    });
    assert.deepEqual([access.body.active, access.body.aud], [true, files]);
    const renewal = await request(service, '/oauth/introspect', {
      form: { ...credentials, token: String(body.refresh_token) },
    });
    assert.deepEqual([renewal.body.active, renewal.body.aud], [true, [files]]);
  });

  it('can be narrowed by a refresh but not widened, and a refusal consumes no token', async () => {
    const login = await grant([files, `${base}/v1`]);
    const narrow = await refresh(login, [files]);
    assert.equal(audOf(narrow), files);
    const wide = await refresh(narrow, ['urn:example:printers']);
    assert.deepEqual([wide.status, wide.body.error], [400, 'invalid_target']);
    assert.deepEqual(audOf(await refresh(narrow, [])), [files, `${base}/v1`], 'the session keeps its audience');
    const own = await grant([]);
    assert.equal((await refresh(own, [files])).body.error, 'invalid_target');
    assert.equal(audOf(await refresh(own, [`${base}/v1`])), `${base}/v1`);
  });

  it('is refused if it is invalid', async () => {
    const wrong = [
      ...['files', '/v1', `${files}#part`, `${base}/v1#`, 'https://other.example', `${files}.evil`, `${files}/deeper`],
      ...[`${base}@evil.example`, `${files} ${base}`, '%'],
    ];
    for (const uri of wrong) {
      const response = await grant([uri]);
      assert.deepEqual([response.status, response.body.error], [400, 'invalid_target'], uri);
    }
    assert.equal((await grant(Array.from({ length: 11 }, (_, at) => `${files}?${at}`))).body.error, 'invalid_target');
    const listed = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret };
    const odd = await request(service, '/oauth/token', { json: { ...listed, resource: [{}] } });
    assert.deepEqual([odd.status, odd.body.error], [400, 'invalid_request']);
    const twice = await request(service, '/oauth/token', { form: 'grant_type=a&grant_type=b' });
    assert.deepEqual([twice.status, twice.body.error], [400, 'invalid_request']);
  });

  it('applies to logins of users too', async () => {
    const { email } = await addLogin(service);
    const login = await request(service, '/v1/clients/web/admin/login', { json: { email, password, resource: files } });
    assert.equal(audOf(login), files);
    assert.deepEqual(await presented(login), [401, 'token_malformed']);
  });

  it('is passed from the authorization request to the tokens of its code', async () => {
    const { visitor } = await signedIn(service);
    const { id } = await addApplication(service, { public: true, redirect_uris: [redirectUri], trusted: true });
    const refused = await visitor.get(authorizePath(id, { resource: 'https://other.example' }));
    assert.equal(authorizationResponseIn(refused).error, 'invalid_target');
    const form = {
      grant_type: 'authorization_code',
      client_id: id,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
    const redeem = async (more: Record<string, string>) => {
      const code = await codeFor(visitor, id, { resource: files });
      return request(service, '/oauth/token', { form: { ...form, code, ...more } });
    };
    const tokens = await redeem({});
    assert.equal(audOf(tokens), files);
    assert.deepEqual(await presented(tokens), [401, 'token_malformed']);
    assert.equal((await redeem({ resource: `${base}/v1` })).body.error, 'invalid_target');
  });

  it('can be discovered from the resource alone', async () => {
    const refused = await request(service, '/v1/clients');
    const challenge = String(refused.headers.get('www-authenticate'));
    const url = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? assert.fail(challenge);
    assert.ok(url.endsWith('/.well-known/oauth-protected-resource/v1'), url);
    for (const path of ['', '/v1', '/v1/']) {
      const found = await request(service, `/.well-known/oauth-protected-resource${path}`, { headers: { accept: '' } });
      assert.equal(found.status, 200, path);
      const { resource, authorization_servers, scopes_supported, bearer_methods_supported } = found.body;
      assert.deepEqual([resource, authorization_servers], [path === '' ? base : `${base}/v1`, [base]]);
      assert.deepEqual(bearer_methods_supported, ['header']);
      const scopes = scopes_supported as string[];
      assert.ok(scopes.includes('users:read') && !scopes.includes('*') && !scopes.includes('openid'));
      assert.equal(found.headers.get('access-control-allow-origin'), '*');
    }
    assert.equal((await request(service, '/.well-known/oauth-protected-resource/v2')).status, 404);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const identifier = new URL(`${base}/v1`);
    const response = await oauth.resourceDiscoveryRequest(identifier, insecure);
    const discovered = await oauth.processResourceDiscoveryResponse(identifier, response);
    assert.deepEqual(discovered.authorization_servers, [base]);
    const server = await request(service, '/.well-known/oauth-authorization-server');
    assert.equal(server.body.issuer, base);
  });

  it('is published at the path of RFC 9728 for a BASE_URL with a path', async () => {
    const below = await start({ env: { BASE_URL: 'https://example.com/id/gate' } });
    const found = await request(below, '/.well-known/oauth-protected-resource/id/gate/v1');
    assert.deepEqual([found.status, found.body.resource], [200, 'https://example.com/id/gate/v1']);
    const whole = await request(below, '/.well-known/oauth-protected-resource/id/gate');
    assert.deepEqual([whole.status, whole.body.resource], [200, 'https://example.com/id/gate']);
    const refused = await request(below, '/v1/clients');
    assert.match(
      String(refused.headers.get('www-authenticate')),
      /resource_metadata="https:\/\/example\.com\/\.well-known\/oauth-protected-resource\/id\/gate\/v1"/,
    );
  });
});
