import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { browsers } from './harness/browser.ts';
import { onBothEngines } from './harness/engines.ts';
import { differencesFrom, openApiProblems } from './harness/openapi-problems.ts';
import { logIn, request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';

interface Document {
  openapi: string;
  paths: Record<string, Record<string, { security?: unknown[]; operationId?: string; responses: object }>>;
}

type Row = Readonly<Record<string, unknown>>;

onBothEngines('The API description', (engine) => {
  const start = services(engine);
  let service: Service;
  let source: string;
  before(async () => {
    service = await start();
    source = await (await fetch(`${service.url}/openapi.json`)).text();
  });

  it('is valid OpenAPI 3.1 according to a linter', async () => {
    assert.deepEqual(await openApiProblems(source), []);
    assert.match((JSON.parse(source) as Document).openapi, /^3\.1\./);
  });

  it('describes every route under /v1, and its required authorization', async () => {
    const { paths } = JSON.parse(source) as Document;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
    );
    const find = (name: string) => operations.find((one) => one.name === name)?.operation;
    for (const path of ['/v1/oauth/token', '/oauth/token', '/oauth/revoke', '/oauth/introspect']) {
      assert.deepEqual(find(`post ${path}`)?.security, []);
    }
    assert.deepEqual(find('delete /v1/logout')?.security, [{ bearer: [] }]);
    assert.deepEqual(find('get /v1/users')?.security, [{ bearer: [] }, { oauth2: ['users:read'] }]);
    assert.ok(find('post /v1/register'));
    assert.ok(find('post /v1/clients/web/admin/login'));
    assert.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length);
    assert.ok(!operations.some(({ name }) => name.includes('/settings')), 'pages are not part of the API');
  });

  it('has code samples', () => {
    const { paths } = JSON.parse(source);
    const [curl, client, ...others] = paths['/v1/clients'].post['x-codeSamples'];
    assert.match(curl.source, /^curl -X POST '[^']+\/v1\/clients' \\\n {2}-H 'Accept: application\/json'/);
    assert.match(client.source, /^const \{ data \} = await gatehouse.resource\('clients'\).create\(\{ name: '/);
    assert.deepEqual(
      others.map(({ lang }: { lang: string }) => lang),
      ['Python', 'Go', 'PHP'],
    );
    for (const { source } of others) assert.match(source, /\/v1\/clients/);
  });

  it('has an ETag, so that it is sent once', async () => {
    const etag = (await fetch(`${service.url}/openapi.json`)).headers.get('etag') ?? '';
    assert.equal((await fetch(`${service.url}/openapi.json`, { headers: { 'if-none-match': etag } })).status, 304);
  });
});

onBothEngines('The API description of a project', (engine) => {
  const start = services(engine);
  const project = join(import.meta.dirname, 'documented');
  let service: Service;
  let source: string;
  let differences: ReturnType<typeof differencesFrom>;
  let token: string;
  before(async () => {
    const folders = { RESOURCES_DIR: 'resources', ROUTES_DIR: 'routes', JOBS_DIR: 'jobs' };
    const env = Object.fromEntries(Object.entries(folders).map(([name, folder]) => [name, join(project, folder)]));
    service = await start({ env });
    source = await (await fetch(`${service.url}/openapi.json`)).text();
    differences = differencesFrom(source);
    token = await logIn(service, 'admin@example.com', current_password);
    // From now on, every operation that requires a recent proof needs the password.
    service.advance(1_000_000);
  });

  const current_password = 'correct horse battery';

  /** Sends a request that the document allows. The response must be as documented. */
  async function send(method: string, path: string, status: number, json?: object, headers = {}) {
    const response = await request<{ data: Row }>(service, path, {
      method,
      token,
      headers,
      ...(json ? { json } : {}),
    });
    const exchange = { method, path, status: response.status, text: response.text, json };
    assert.equal(response.status, status, `${method} ${path}: ${response.text}`);
    assert.deepEqual(differences(exchange), [], `${method} ${path}: ${response.text}`);
    return response;
  }
  const create = async (path: string, json: object) => (await send('POST', path, 201, json)).body.data;

  it('is valid', async () => assert.deepEqual(await openApiProblems(source), []));

  it('names the responses of clients and tokens, and their proof', async () => {
    const app = { type: 'application', name: 'App', redirect_uris: ['https://example.com/a'], current_password };
    assert.equal((await create('/v1/clients', { ...app, public: true })).client_secret, undefined);
    const { client_secret, ...client } = await create('/v1/clients', app);
    assert.ok(client_secret);
    const path = `/v1/clients/${client.id}`;
    await send('PATCH', path, 200, { name: 'Mine', current_password });
    await send('PUT', path, 200, { ...client, current_password });
    await send('POST', `${path}/secrets`, 201, { keep_old_hours: 1, current_password });
    const { current_password: _proof, ...row } = app;
    await send('POST', '/v1/clients/batches', 200, { rows: [{ ...row, public: true }, row], current_password });
    await send('PATCH', '/v1/clients/batches', 200, { rows: [{ id: client.id, name: 'Ours' }], current_password });
    await send('DELETE', '/v1/clients/batches', 200, { ids: [client.id], current_password });
    const made = await create('/v1/tokens', { name: 'Mine', scopes: ['users:read'], current_password });
    await send('POST', `/v1/tokens/${made.id}/values`, 409, { current_password });
    const user = await create('/v1/users', { email: 'bob@example.com', password: current_password, current_password });
    await send('DELETE', `/v1/users/${user.id}/factors`, 204, { current_password });
    const authenticator = await create('/v1/authenticators', { name: 'Phone', current_password });
    await send('DELETE', `/v1/authenticators/${authenticator.id}`, 204, { current_password });
    await send('PATCH', '/v1/users/me', 200, { name: 'Ada', current_password });
  });

  it('names the responses of webhooks and jobs', async () => {
    const hook = { url: 'https://example.com/hooks', resources: ['users'], current_password };
    const { secret, ...webhook } = await create('/v1/webhooks', hook);
    assert.ok(secret);
    const path = `/v1/webhooks/${webhook.id}`;
    await send('POST', `${path}/pings`, 202);
    await send('POST', `${path}/secrets`, 201, { current_password });
    await send('POST', `${path}/redeliveries`, 202, { from: '2026-01-31T12:00:00Z' });
    await send('GET', `${path}/deliveries`, 200);
    await send('POST', '/v1/scheduled-jobs/tidy/starts', 202);
  });

  it("names the responses of the operator's declarations", async () => {
    const capital = { title: 'x', shelf: randomUUID().toUpperCase() };
    const refused = await request(service, '/v1/books', { token, json: capital });
    assert.equal(refused.status, 422);
    const exchange = { method: 'POST', path: '/v1/books', status: 422, text: refused.text, json: capital };
    assert.equal(differences(exchange).length, 1, 'the document forbids what the service rejects');

    const book = await create('/v1/books', { title: 'A', shelf: randomUUID() });
    const path = `/v1/books/${book.id}`;
    await send('PUT', path, 200, { ...book, title: 'B', current_password });
    await send('PATCH', path, 200, { title: 'C', current_password });
    await send('POST', `${path}/copies`, 201, { current_password });
    await send('POST', `${path}/loans`, 204, { current_password });
    await send('DELETE', path, 204, { current_password });
    await send('POST', `${path}/restorations`, 200, { current_password });
    await send('POST', '/v1/prints', 202);
    await send('DELETE', '/v1/prints', 204);
  });

  it('names the responses of every GET request without parameters, and 304', async () => {
    const { paths } = JSON.parse(source) as Document;
    for (const [path, { get }] of Object.entries(paths)) {
      if (!get || !('200' in get.responses) || path.includes('{') || path === '/oauth/userinfo') continue;
      const query = path === '/v1/changes' ? '?resources=users' : '';
      let unchanged: Awaited<ReturnType<typeof request>>;
      let attempts = 0;
      do {
        const { headers } = await send('GET', path + query, 200);
        unchanged = await request(service, path + query, {
          token,
          headers: { 'if-none-match': headers.get('etag') ?? '' },
        });
        // A job of the tests above may have changed a row in the meantime.
      } while (unchanged.status === 200 && ++attempts < 20);
      const { status, text } = unchanged;
      assert.equal(status, 304, path);
      assert.deepEqual(differences({ method: 'GET', path: path + query, status, text }), []);
    }
  });

  it('has an example with a dollar sign in its code samples', () => {
    const { paths } = JSON.parse(source);
    const samples: { lang: string; source: string }[] = paths['/v1/books'].post['x-codeSamples'];
    assert.equal(
      samples.find(({ lang }) => lang === 'TypeScript')?.source,
      `const { data } = await gatehouse.resource('books').create({ title: "costs 5 $'" });`,
    );
  });
});

describe('The API reference page', () => {
  const start = services('sqlite');
  const open = browsers();

  it('shows every operation, without other hosts and inline scripts', async () => {
    const { url } = await start();
    const page = await (await open()).newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith('data:')) complaints.push(request.url());
    });
    const response = await page.goto(`${url}/docs`);
    assert.match(
      response?.headers()['content-security-policy'] ?? '',
      /default-src 'none'; style-src 'self'; script-src 'self';/,
    );
    await page.getByRole('heading', { name: 'OAuth' }).waitFor();
    const { paths } = JSON.parse(await (await fetch(`${url}/openapi.json`)).text()) as Document;
    const expected = Object.values(paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
    assert.equal(await page.locator('.entries li').count(), expected);
    await page.goto(`${url}/docs/`);
    await page.getByRole('link', { name: 'OAuth', exact: true }).first().click();
    await page.getByText('/oauth/token').first().waitFor();
    assert.deepEqual(complaints, []);
  });
});
