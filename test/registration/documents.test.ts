import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { before, beforeEach, describe, it } from 'node:test';
import { ClientDocuments, freshSeconds } from '../../extensions/client-registration/client-documents.ts';
import type { MetadataServices } from '../../extensions/client-registration/client-metadata.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { isDocumentId } from '../../src/oauth/clients/client-uris.ts';
import { authorizePath, codeFor, press, redeem, redirectUri, signedIn } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { httpsServers } from '../harness/https-server.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

describe('The URL of a client metadata document', () => {
  it('is an https URL with a path, in its normal form', () => {
    for (const id of ['https://app.example/client.json', 'https://app.example:8443/a/b', 'https://app.example/'])
      assert.ok(isDocumentId(id), id);
    const wrong = [
      ...[
        'http://app.example/client.json',
        'https://app.example',
        'https://a:b@app.example/c',
        'https://a@app.example/c',
      ],
      ...['https://app.example/c#d', 'https://app.example/a/../c', 'https://app.example/./c', 'https://APP.example/c'],
      ...['https://app.example:443/c', 'https://0x7f.1/c', 'https://app.example/%2e%2e/c', 'https://app.example\\c'],
      ...['https://app.example/a%2fb', `https://app.example/${'a'.repeat(600)}`, 'https:app.example/c', ''],
    ];
    for (const id of wrong) assert.equal(isDocumentId(id), false, id);
  });

  it('is cached for the time in Cache-Control, within bounds', () => {
    const cases = [
      [undefined, 3600],
      ['max-age=600', 600],
      ['public, max-age=86401', 86_400],
      ['max-age=0', 300],
      ['no-store', 300],
      ['no-cache, max-age=600', 300],
      ['max-age=nonsense', 3600],
    ] as const;
    for (const [header, seconds] of cases) assert.equal(freshSeconds(header), seconds, String(header));
  });
});

onBothEngines('Client ID metadata documents', (engine) => {
  const start = services(engine);
  const listen = httpsServers();
  let service: Service;
  let site: string;
  let asked: string[];
  let respond: (request: IncomingMessage, response: ServerResponse) => void;
  before(async () => {
    service = await start({ env: { DYNAMIC_CLIENTS: 'open', OUTBOUND_PRIVATE_ADDRESSES: 'true' } });
    const server = await listen((request, response) => {
      asked.push(request.url ?? '');
      respond(request, response);
    });
    site = server.url;
  });
  beforeEach(() => {
    asked = [];
    respond = ({ url }, response) => send(response, document(url));
    service.advance(20 * 60_000);
  });

  const document = (path = '', more: object = {}) => ({
    client_id: site + path,
    client_name: 'Notebook',
    client_uri: 'https://bank.example/',
    logo_uri: 'https://bank.example/logo.png',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
    ...more,
  });
  const send = (response: ServerResponse, body: unknown, headers: Record<string, string> = {}) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const stored = async (path: string) =>
    service.context.database.db
      .selectFrom('clients')
      .selectAll()
      .where('id', '=', site + path)
      .executeTakeFirst();

  it('sign users in to an application that is known only by its URL', async () => {
    const id = `${site}/notebook`;
    const { visitor } = await signedIn(service);
    const page = await visitor.get(authorizePath(id, { scope: 'openid users:read' }));
    assert.equal(page.status, 200, page.html);
    assert.match(page.html, /Notebook/);
    assert.match(page.html, /does not know this application/);
    assert.match(page.html, new RegExp(new URL(site).host), 'the host of the document');
    assert.doesNotMatch(page.html, /bank\.example/, 'no host that the document only claims');
    const allowed = await press(visitor, page, 'allow');
    const code = new URL(allowed.location as string).searchParams.get('code') as string;
    const tokens = await redeem(service, { id }, code);
    assert.equal(tokens.status, 200, tokens.text);
    assert.equal((await request(service, '/v1/users/me', { token: tokens.body.access_token })).status, 200);
    await codeFor(visitor, id);
    assert.deepEqual(asked, ['/notebook'], 'fetched once');
    const token = await logIn(service, 'admin@example.com', 'correct horse battery');
    const path = `/v1/clients/${encodeURIComponent(id)}`;
    const { body } = await request<{ data: object }>(service, path, { token });
    assert.deepEqual((({ registration }) => registration)(body.data as { registration: unknown }), 'document');
    assert.equal((await request(service, path, { method: 'DELETE', token })).status, 204);
    assert.equal((await request(service, '/v1/users/me', { token: tokens.body.access_token })).status, 401);
  });

  it('are fetched again after they expire, and then their new values apply', async () => {
    const id = `${site}/changing`;
    respond = (_request, response) => send(response, document('/changing'), { 'cache-control': 'max-age=600' });
    const { visitor } = await signedIn(service);
    await visitor.get(authorizePath(id));
    service.advance(599_000);
    await visitor.get(authorizePath(id));
    assert.equal(asked.length, 1);
    respond = (_request, response) =>
      send(response, document('/changing', { redirect_uris: ['https://new.example/'] }));
    service.advance(1000);
    const old = await visitor.get(authorizePath(id));
    assert.deepEqual([old.status, asked.length], [400, 2], 'the old redirect URI is no longer valid');
    assert.equal((await visitor.get(authorizePath(id, { redirect_uri: 'https://new.example/' }))).status, 200);
  });

  it('are fetched only for signed-in users', async () => {
    const sent = await new Visitor(service).get(authorizePath(`${site}/stranger`));
    assert.deepEqual([sent.status, sent.location?.startsWith('/login'), asked], [302, true, []]);
    const silent = await new Visitor(service).get(authorizePath(`${site}/stranger`, { prompt: 'none' }));
    assert.deepEqual([silent.status, asked], [400, []]);
  });

  it('are fetched once for concurrent requests', async () => {
    const id = `${site}/popular`;
    const visitors = await Promise.all([1, 2, 3, 4].map(() => signedIn(service)));
    respond = (_request, response) => void setTimeout(() => send(response, document('/popular')), 50);
    const pages = await Promise.all(visitors.map(({ visitor }) => visitor.get(authorizePath(id))));
    assert.deepEqual(
      pages.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    assert.equal(asked.length, 1);
  });

  it('are refused if they are invalid, and nothing is stored', async () => {
    const { visitor } = await signedIn(service);
    const wrong: Record<string, (response: ServerResponse) => unknown> = {
      'another id': (response) => send(response, document('/other')),
      'a secret': (response) => send(response, document('/wrong', { client_secret: 'x' })),
      'an authentication method that needs a secret': (response) =>
        send(response, document('/wrong', { token_endpoint_auth_method: 'client_secret_post' })),
      'an invalid redirect URI': (response) =>
        send(response, document('/wrong', { redirect_uris: ['javascript:alert(1)'] })),
      'a name with an invisible character': (response) =>
        send(response, document('/wrong', { client_name: 'a\u202eb' })),
      'a page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      'invalid JSON': (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      'a list': (response) => send(response, [document('/wrong')]),
      'a redirect': (response) => response.writeHead(302, { location: `${site}/notebook` }).end(),
      'an error': (response) => response.writeHead(404, { 'content-type': 'application/json' }).end('{}'),
      'a document that is too long': (response) => send(response, document('/wrong', { more: 'a'.repeat(20_000) })),
      'a broken connection': (response) => response.destroy(),
    };
    for (const [name, how] of Object.entries(wrong)) {
      respond = (_request, response) => void how(response);
      const page = await visitor.get(authorizePath(`${site}/wrong`));
      assert.deepEqual([page.status, page.location], [400, null], name);
      assert.match(page.html, /metadata of the application is invalid/, name);
    }
    assert.equal(asked.length, Object.keys(wrong).length);
    assert.equal(await stored('/wrong'), undefined);
  });

  it('are not fetched from private addresses, and not if the setting is off', async () => {
    const guarded: Record<string, string> = { DYNAMIC_CLIENTS: 'open' };
    const closed: Record<string, string> = { OUTBOUND_PRIVATE_ADDRESSES: 'true' };
    for (const env of [guarded, closed]) {
      const other = await start({ env });
      const { visitor } = await signedIn(other);
      for (const id of [`${site}/client`, `${site.replace('127.0.0.1', 'localhost')}/client`]) {
        const page = await visitor.get(authorizePath(id));
        assert.deepEqual([page.status, page.location, asked], [400, null, []], id);
        assert.doesNotMatch(page.html, /public internet|ECONN/, 'the page reveals nothing about the network');
        const device = await request(other, '/oauth/device_authorization', { form: { client_id: id } });
        assert.deepEqual([device.status, device.body.error, asked], [401, 'invalid_client', []], id);
      }
    }
    const { context } = await start({ env: closed });
    const documents = new ClientDocuments(context, {} as MetadataServices);
    await documents.refresh(`${site}/client`, systemSource);
    assert.deepEqual(asked, [], 'the extension checks the setting itself');
  });

  it('are available to others, even if one network invents many URLs of the same host', async () => {
    const env = { DYNAMIC_CLIENTS: 'open', OUTBOUND_PRIVATE_ADDRESSES: 'true', TRUST_PROXY: '127.0.0.1' };
    const open = await start({ env });
    const requestFrom = (address: string, path: string) =>
      request(open, '/oauth/device_authorization', {
        form: { client_id: site + path },
        headers: { 'x-forwarded-for': address },
      });
    respond = ({ url = '' }, response) =>
      url.startsWith('/invented')
        ? response.writeHead(404).end()
        : send(response, document(url, { grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] }));
    const statuses = new Set<number>();
    for (let i = 0; i < 70; i++) statuses.add((await requestFrom('203.0.113.9', `/invented/${i}`)).status);
    assert.deepEqual([...statuses], [401, 429], 'the network with invented URLs is throttled');
    assert.equal((await requestFrom('198.51.100.7', '/real')).status, 200, 'other networks are not');
    open.advance(25 * 60 * 60_000);
    respond = (_request, response) => response.writeHead(503).end();
    assert.equal((await requestFrom('198.51.100.7', '/real')).status, 200, 'a known document is used unchanged');
  });

  it('support the device flow, and give no tokens without a user', async () => {
    const grant_types = ['urn:ietf:params:oauth:grant-type:device_code'];
    respond = ({ url }, response) => send(response, document(url, { grant_types }));
    const { body } = await request(service, '/oauth/device_authorization', { form: { client_id: `${site}/tv` } });
    assert.ok(body.user_code);
    assert.equal((await stored('/tv'))?.public, 1);
    const form = { grant_type: 'client_credentials', client_id: `${site}/tv` };
    assert.equal((await request(service, '/oauth/token', { form })).body.error, 'unauthorized_client');
  });
});
