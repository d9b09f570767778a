import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { browsers } from './harness/browser.ts';
import { onBothEngines } from './harness/engines.ts';
import { openApiProblems } from './harness/openapi-problems.ts';
import { type Service, services } from './harness/service.ts';

interface Document {
  openapi: string;
  paths: Record<string, Record<string, { security?: unknown[]; operationId?: string; responses: object }>>;
}

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
