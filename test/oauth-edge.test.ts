import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addClient, addLogin, password } from './harness/accounts.ts';
import { addApplication } from './harness/applications.ts';
import { onBothEngines } from './harness/engines.ts';
import { type RawResponse, sendOne } from './harness/raw-http.ts';
import { request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';

const formType = 'application/x-www-form-urlencoded';

/** The default Accept headers of HTTP libraries. */
const defaults: readonly [language: string, accept: string | undefined][] = [
  ['Go, PHP and Perl', undefined],
  ['Ruby, Python and curl', '*/*'],
  ['Java', 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'],
  ['.NET and others', ''],
  ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9'],
];

onBothEngines('The OAuth endpoints outside of /v1', (engine) => {
  const start = services(engine);
  let service: Service;
  let owner: { id: string; secret: string };
  let resourceServer: { id: string; secret: string };
  before(async () => {
    service = await start();
    owner = await addClient(service);
    resourceServer = await addClient(service, { scopes: ['tokens:introspect'] });
  });

  const post = (path: string, parameters: Record<string, string>, accept: string | undefined): Promise<RawResponse> => {
    const body = new URLSearchParams(parameters).toString();
    const lines = [`POST ${path} HTTP/1.1`, 'Host: x', `Content-Type: ${formType}`, `Content-Length: ${body.length}`];
    if (accept !== undefined) lines.push(`Accept: ${accept}`);
    return sendOne(service.url, `${lines.join('\r\n')}\r\n\r\n${body}`);
  };
  const by = ({ id, secret }: typeof owner, more: Record<string, string>) => ({
    client_id: id,
    client_secret: secret,
    ...more,
  });
  const tokens = async () =>
    (await request(service, '/oauth/token', { form: by(owner, { grant_type: 'client_credentials' }) })).body as {
      access_token: string;
      refresh_token: string;
    };

  for (const [language, accept] of defaults) {
    it(`accept the requests of ${language}`, async () => {
      const got = await post('/oauth/token', by(owner, { grant_type: 'client_credentials' }), accept);
      assert.equal(got.status, 200, got.body);
      assert.match(got.headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(got.headers.get('cache-control'), 'no-store');
      const token = got.json().access_token as string;
      assert.equal((await post('/oauth/introspect', by(owner, { token }), accept)).json().active, true);
      assert.equal((await post('/oauth/revoke', by(owner, { token }), accept)).status, 200);
      assert.equal((await post('/oauth/introspect/', by(owner, { token }), accept)).json().active, false);
    });
  }

  it('name each allowed method once', async () => {
    const response = await fetch(`${service.url}/oauth/token`);
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'OPTIONS, POST']);
  });

  it('report a wrong method as an OAuth error to a browser too, and count it in one series per label set', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const response = await fetch(`${service.url}/oauth/token`, { method: 'PUT', headers });
    assert.equal(response.status, 405);
    assert.equal(((await response.json()) as { error: string }).error, 'invalid_request');
    await fetch(`${service.url}/v1/users/batches`, { method: 'PUT', headers: { accept: 'application/json' } });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    const series = metrics.split('\n').filter((line) => /^gatehouse_\w+_count\{/.test(line));
    const labels = series.map((line) => line.replace(/ \S+$/, ''));
    assert.ok(labels.some((label) => label.includes('status="405"')));
    assert.deepEqual(labels, [...new Set(labels)]);
  });

  it('respect Accept under /v1', async () => {
    const grant = by(owner, { grant_type: 'client_credentials' });
    assert.equal((await post('/v1/oauth/token', grant, undefined)).status, 406);
    assert.equal((await post('/v1/oauth/token', grant, 'text/html')).status, 406);
    assert.equal((await post('/v1/oauth/token', grant, '*/*')).status, 200);
    assert.equal((await post('/v1/oauth/token', grant, defaults[2]?.[1])).status, 200);
  });

  it('show access tokens to a resource server, but never refresh tokens, with any hint', async () => {
    const { access_token, refresh_token } = await tokens();
    for (const path of ['/oauth/introspect', '/v1/oauth/introspect']) {
      const hints: Record<string, string>[] = [
        {},
        { token_type_hint: 'refresh_token' },
        { token_type_hint: 'access_token' },
      ];
      for (const hint of hints) {
        const seenBy = async (client: typeof owner, token: string) =>
          (await request(service, path, { form: by(client, { token, ...hint }) })).body;
        assert.deepEqual(await seenBy(resourceServer, refresh_token), { active: false });
        assert.equal((await seenBy(resourceServer, access_token)).active, true);
        assert.equal((await seenBy(owner, refresh_token)).token_type, 'refresh_token');
      }
    }
  });

  it('revoke a token for its client and for a resource server, but for no other client', async () => {
    const stranger = await addClient(service);
    const { access_token, refresh_token } = await tokens();
    const refused = await request(service, '/oauth/revoke', { form: by(stranger, { token: access_token }) });
    assert.deepEqual([refused.status, refused.body.error], [400, 'unauthorized_client']);
    assert.equal(
      (await request(service, '/oauth/revoke', { form: by(resourceServer, { token: access_token }) })).status,
      200,
    );
    for (const token of [access_token, refresh_token])
      assert.equal((await request(service, '/oauth/introspect', { form: by(owner, { token }) })).body.active, false);
  });

  it('do not let a public client with tokens:introspect revoke tokens of other clients', async () => {
    const open = await addClient(service, { scopes: ['tokens:introspect'] });
    const { db } = service.context.database;
    await db.updateTable('clients').set({ type: 'application', public: 1 }).where('id', '=', open.id).execute();
    const { access_token: token } = await tokens();
    const refused = await request(service, '/oauth/revoke', { form: { client_id: open.id, token } });
    assert.deepEqual([refused.status, refused.body.error], [400, 'unauthorized_client']);
    assert.equal((await request(service, '/oauth/introspect', { form: by(owner, { token }) })).body.active, true);
  });

  it('send a challenge with every refusal', async () => {
    const wrong = { client_id: owner.id, client_secret: 'wrong', grant_type: 'client_credentials', token: 'x' };
    for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/introspect']) {
      const response = await post(path, wrong, undefined);
      assert.deepEqual([response.status, response.json().error], [401, 'invalid_client']);
      assert.match(response.headers.get('www-authenticate') ?? '', /^Basic realm="gatehouse"/);
    }
  });
});

for (const document of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
  describe(`The metadata at ${document}`, () => {
    const start = services('sqlite');
    const read = (url: string, path: string) => fetch(url + path, { headers: { origin: 'https://anybody.example' } });

    it('has addresses outside of /v1 and, like the keys, can be read from any origin', async () => {
      const { url } = await start({ env: { BASE_URL: 'https://id.example.com' } });
      const response = await read(url, document);
      const metadata = (await response.json()) as Record<string, string>;
      for (const [name, path] of [
        ['token_endpoint', 'token'],
        ['userinfo_endpoint', 'userinfo'],
        ['revocation_endpoint', 'revoke'],
        ['introspection_endpoint', 'introspect'],
      ] as const) {
        assert.equal(metadata[name], `https://id.example.com/oauth/${path}`);
      }
      for (const each of [response, await read(url, '/.well-known/jwks.json')]) {
        assert.equal(each.headers.get('access-control-allow-origin'), '*');
        assert.match(each.headers.get('cache-control') ?? '', /^public/);
      }
      assert.equal((await read(url, `${document}/x`)).status, 404);
    });

    it('names the algorithms of client assertions for each endpoint that accepts them', async () => {
      const { url } = await start();
      const metadata = (await (await read(url, document)).json()) as Record<string, string[] | undefined>;
      for (const endpoint of ['token', 'revocation', 'introspection']) {
        assert.ok(metadata[`${endpoint}_endpoint_auth_methods_supported`]?.includes('private_key_jwt'), endpoint);
        const algorithms = metadata[`${endpoint}_endpoint_auth_signing_alg_values_supported`];
        assert.deepEqual(algorithms, ['ES256', 'EdDSA', 'PS256', 'RS256'], endpoint);
      }
    });

    it('is at the path of RFC 8414 for an issuer with a path', async () => {
      const { url } = await start({ env: { BASE_URL: 'https://example.com/id/gate' } });
      for (const path of ['', '/', '/id/gate', '/id/gate/']) {
        const response = await read(url, `${document}${path}`);
        assert.equal(response.status, 200, path);
        assert.equal(response.headers.get('access-control-allow-origin'), '*');
        assert.equal(((await response.json()) as { issuer: string }).issuer, 'https://example.com/id/gate');
      }
      for (const path of ['/id', '/id/gate/x', '/other']) {
        assert.equal((await read(url, `${document}${path}`)).status, 404, path);
      }
    });
  });
}

describe('RATE_LIMIT at the OAuth endpoints', () => {
  const start = services('sqlite');
  const limited = { env: { RATE_LIMIT: '3' } };
  const basic = ({ id, secret }: { id: string; secret: string }) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });

  it('counts a client by its id, with Basic or parameters, and not by its address', async () => {
    const service = await start(limited);
    const [one, two] = [await addClient(service), await addClient(service)];
    const statusOf = (path: string, form: Record<string, string>, headers = {}) =>
      request(service, path, { form, headers }).then(({ status }) => status);
    const wrong = { client_id: one.id, client_secret: 'wrong', token: 'x' };
    const refused = [];
    for (let i = 0; i < 4; i++) refused.push(await statusOf('/oauth/introspect', wrong));
    assert.deepEqual(refused, [401, 401, 401, 429], 'a wrong secret counts by address');
    const counted = [
      await statusOf('/oauth/introspect', { token: 'x' }, basic(one)),
      await statusOf('/v1/oauth/revoke', { token: 'x', client_id: one.id, client_secret: one.secret }),
      await statusOf('/oauth/token', { grant_type: 'client_credentials' }, basic(one)),
      await statusOf('/oauth/introspect', { token: 'x' }, basic(one)),
    ];
    assert.deepEqual(counted, [200, 200, 200, 429]);
    assert.equal(
      await statusOf('/oauth/introspect', { token: 'x' }, basic(two)),
      200,
      'another client at the same address is counted separately',
    );
  });

  it('counts a public client that starts a device flow by its network', async () => {
    const service = await start(limited);
    const form = { client_id: (await addApplication(service, { public: true })).id };
    const left = [];
    for (let i = 0; i < 4; i++) {
      const { status, headers } = await request(service, '/oauth/device_authorization', { form });
      left.push([status, headers.get('ratelimit-remaining')]);
    }
    assert.deepEqual(left, [...[2, 1, 0].map((n) => [200, String(n)]), [429, '0']]);
  });

  it('tells the client how many requests are left', async () => {
    const service = await start(limited);
    const client = await addClient(service);
    const form = { token: 'x', client_id: client.id, client_secret: client.secret };
    const { headers } = await request(service, '/oauth/introspect', { form });
    assert.deepEqual([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')], ['3', '2']);
  });

  it('counts requests by address if they fail before the client is known', async () => {
    const service = await start(limited);
    const send = (body: string, type: string) =>
      request(service, '/oauth/token', { form: body, headers: { 'content-type': type } });
    const statuses = [];
    for (const [body, type] of [
      ['{', 'application/json'],
      ['x', 'text/plain'],
      ['grant_type=x', formType],
      ['a=1&a=2', formType],
    ] as const) {
      statuses.push((await send(body, type)).status);
    }
    assert.deepEqual(statuses, [400, 415, 400, 429]);
  });

  it('counts a login at a proxy by its user, and a failed login by its address', async () => {
    const service = await start(limited);
    const people = [await addLogin(service), await addLogin(service)];
    const logIn = async (email: string, word = password) => {
      const json = { email, password: word };
      return request(service, '/v1/clients/web/admin/login', { json });
    };
    for (const { email } of people) {
      const statuses = [];
      for (let i = 0; i < 4; i++) statuses.push((await logIn(email)).status);
      assert.deepEqual(statuses, [200, 200, 200, 429]);
    }
    service.advance(60_000);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await logIn('nobody@example.com', 'wrong')).status);
    assert.deepEqual(statuses, [400, 400, 400, 429]);
    const { body } = await logIn(people[0]?.email ?? '');
    const refreshed = await request(service, '/v1/clients/web/admin/refresh', {
      json: { refresh_token: body.refresh_token },
    });
    assert.equal(refreshed.status, 200, 'a refresh counts by its session');
  });
});
