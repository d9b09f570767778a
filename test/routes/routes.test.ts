import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadRoutes } from '../../extensions/custom-routes/load-routes.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type RequestOptions, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const project = fileURLToPath(new URL('project', import.meta.url));

onBothEngines('Endpoints and pages of the operator', (engine) => {
  const start = services(engine);
  let service: Service;
  let user: { id: string; email: string };
  before(async () => {
    const env = { ROUTES_DIR: join(project, 'routes'), VIEWS_DIR: join(project, 'views') };
    service = await start({ env });
    user = await addLogin(service);
  });
  const login = async (scope = '') => {
    const form = { email: user.email, password, ...(scope ? { scope } : {}) };
    return String((await request(service, '/v1/clients/web/admin/login', { form })).body.access_token);
  };
  const api = (method: string, path: string, options: RequestOptions = {}) =>
    request(service, path, { method, ...options });

  it('require a token with the scope', async () => {
    assert.equal((await api('GET', '/v1/reports?year=2026')).status, 401);
    const narrow = await login('reports:read');
    assert.equal((await api('GET', '/v1/reports?year=2026', { token: narrow })).status, 200);
    assert.equal((await api('POST', '/v1/reports', { token: narrow, json: { title: 'x' } })).status, 403);
    assert.equal((await api('GET', '/v1/reports', { token: narrow, headers: { accept: 'text/html' } })).status, 406);
    assert.equal((await api('DELETE', '/v1/reports', { token: narrow })).status, 405);
  });

  it('validate input by the schemas, refuse other input, and return only declared members', async () => {
    const token = await login();
    const { status, body, headers } = await api('GET', '/v1/reports?year=2026', { token });
    assert.deepEqual([status, body], [200, { year: 2026, reader: user.id }]);
    assert.ok(headers.get('etag'));
    for (const query of ['', '?year=1999', '?year=soon', '?year=2026&moth=1']) {
      assert.equal((await api('GET', `/v1/reports${query}`, { token })).status, 400, query);
    }
    const unknown = await api('GET', '/v1/reports?year=2026&moth=1', { token });
    assert.deepEqual(
      [unknown.body.code, unknown.body.detail],
      ['parameter_unknown', 'The parameter "moth" is unknown. Allowed: year.'],
    );
    const filtered = await api('GET', '/v1/filtered-reports?by_year=2026');
    assert.deepEqual([filtered.status, filtered.body], [200, { by_year: '2026' }]);
    // As in lists, an empty parameter means the same as an absent one.
    assert.match(String((await api('GET', '/v1/reports?year=', { token })).body.detail), /year is required/);
    assert.equal((await api('POST', '/v1/reports', { token, json: { titel: 'x' } })).status, 422);
    const refused = await api('POST', '/v1/reports', { token, json: { title: 'nonsense' } });
    assert.deepEqual([refused.status, refused.body.code], [400, 'nonsense']);
    assert.deepEqual((await api('GET', '/v1/pings/7')).body, { id: '7' });
  });

  it('write in a transaction that a revocation ends, with events and mail', async () => {
    const token = await login();
    const made = await api('POST', '/v1/reports', { token, form: { title: 'Rents' } });
    assert.deepEqual([made.status, made.body], [201, { title: 'Rents' }]);
    const events = await service.context.database.db
      .selectFrom('events')
      .select(['type', 'user_id'])
      .where('type', '=', 'report.made')
      .execute();
    assert.deepEqual(events, [{ type: 'report.made', user_id: user.id }]);
    await service.accounts.mail.settle();
    const folder = join(service.context.config.dataDir, 'mail');
    const mails = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    assert.ok(mails.some((text) => /Subject: A report/.test(text) && text.includes('Rents')));
    await api('DELETE', '/v1/logout', { token });
    assert.equal((await api('POST', '/v1/reports', { token, json: { title: 'x' } })).status, 401);
  });

  it('show pages after a login, with every value escaped', async () => {
    const anonymous = await fetch(`${service.url}/status`, { redirect: 'manual' });
    assert.equal(anonymous.status, 302);
    assert.match(anonymous.headers.get('location') ?? '', /^\/login\?/);
    const visitor = new Visitor(service);
    assert.equal((await visitor.signIn(user.email, password, '/status')).location, '/status');
    const { html } = await visitor.get('/status');
    assert.match(html, /<title>&lt;Status&gt;<\/title>/);
    assert.ok(html.includes(user.id));
  });

  it('are in the API reference, and clients can request their scopes', async () => {
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { summary?: string; security?: object[] }>>;
      components: { securitySchemes: Record<string, { in?: string; name?: string }> };
    };
    assert.equal(document.paths['/v1/reports']?.get?.summary, 'Reports of a year');
    assert.deepEqual(document.paths['/v1/mine']?.get?.security, [{ session: [] }]);
    const { session } = document.components.securitySchemes;
    assert.deepEqual([session?.in, session?.name], ['cookie', 'session']);
    const bySession = Object.keys(document.paths).filter((path) =>
      Object.values(document.paths[path] ?? {}).some(({ security = [] }) => security.some((one) => 'session' in one)),
    );
    assert.deepEqual(bySession, ['/v1/mine']);
    const { scopes_supported } = (await (
      await fetch(`${service.url}/.well-known/oauth-authorization-server`)
    ).json()) as { scopes_supported: string[] };
    assert.ok(scopes_supported.includes('reports:write'));
  });
});

describe('A declared route', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-routes-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  const refused: [what: string, route: string, message: RegExp][] = [
    [
      'an unknown key',
      "method: 'GET', path: '/v1/a', auth: 'public', scop: 'a:b', handle() {}",
      /"scop".*Did you mean "scope"/,
    ],
    [
      'an unknown method',
      "method: 'GETT', path: '/v1/a', auth: 'public', handle() {}",
      /a\.mjs: method: expected one of "GET".*"GETT"/,
    ],
    [
      'no guard',
      "method: 'GET', path: '/v1/a', handle() {}",
      /auth: it is missing\. Expected one of: public, auth:api, auth:web/,
    ],
    [
      'a name in capitals',
      "method: 'GET', path: '/v1/Reports', auth: 'public', handle() {}",
      /"Reports" is not a name/,
    ],
    ['an extension', "method: 'GET', path: '/v1/a.json', auth: 'public', handle() {}", /no extension/],
    ['a path that is too deep', "method: 'GET', path: '/v1/a/:b/c/:d', auth: 'public', handle() {}", /too deep/],
    ['no handler', "method: 'GET', path: '/v1/a', auth: 'public'", /handle: it is missing/],
    [
      'an unknown guard',
      "method: 'GET', path: '/v1/a', auth: 'auth-api', handle() {}",
      /auth: "auth-api" is not known\. Did you mean "auth:api"\?/,
    ],
    [
      'an invalid status',
      "method: 'GET', path: '/v1/a', auth: 'public', status: 'ok', handle() {}",
      /status: expected a status/,
    ],
    [
      'an invalid schema',
      "method: 'POST', path: '/v1/a', auth: 'public', body: { title: 'string' }, handle() {}",
      /body: expected a TypeBox schema/,
    ],
    [
      'a parameter that is not in the path',
      "method: 'GET', path: '/v1/a/:id', auth: 'public', params: { type: 'object', properties: { ida: {} } }, handle() {}",
      /params\.ida: the path has no ":ida"\. Did you mean "id"\?/,
    ],
    ['a wildcard path', "method: 'GET', path: '/v1/:a', auth: 'public', handle() {}", /after \/v1 comes a plural noun/],
    [
      'a parameter twice',
      "method: 'GET', path: '/a/:id/b/:id.json', auth: 'public', handle() {}",
      /path: it has the parameter :id twice/,
    ],
    ['an empty part', "method: 'GET', path: '/a//b', auth: 'public', handle() {}", /path: expected a path/],
  ];
  for (const [index, [what, route, message]] of refused.entries()) {
    it(`is refused for ${what}`, async () => {
      const folder = mkdtempSync(join(dir, `${index}-`));
      writeFileSync(join(folder, 'a.mjs'), `export default { kind: 'route', route: { ${route} } };`);
      await assert.rejects(loadRoutes(folder), message);
    });
  }

  it('is refused if its path is taken, or its schema is empty', async () => {
    const start = services('sqlite');
    for (const [route, says] of [
      ["path: '/v1/users'", /a\.mjs: GET \/v1\/users already exists/],
      ["path: '/v1/users/:name'", /a\.mjs: GET \/v1\/users\/:name already exists/],
      ["path: '/settings'", /a\.mjs: GET \/settings already exists/],
      [
        "path: '/v1/a', query: { type: 'object', properties: { a: { type: 'strng' } } }",
        /^OperatorError: \S*a\.mjs: GET \/v1\/a: query: .*type must be .*strng/,
      ],
      [
        "path: '/v1/a', response: { type: 'strng' }",
        /^OperatorError: \S*a\.mjs: GET \/v1\/a: response: schema is invalid/,
      ],
    ] as const) {
      const folder = mkdtempSync(join(dir, 'taken-'));
      const declared = `{ kind: 'route', route: { method: 'GET', auth: 'public', handle() {}, ${route} } }`;
      writeFileSync(join(folder, 'a.mjs'), `export default ${declared};`);
      await assert.rejects(start({ env: { ROUTES_DIR: folder } }), says);
    }
  });

  it('is refused if the schema of an action is empty', async () => {
    const folder = mkdtempSync(join(dir, 'action-'));
    const action =
      "{ name: 'wash', summary: 'Washes a car', body: { type: 'object', properties: { a: { type: 'strng' } } }, run() {} }";
    const declared = `{ name: 'cars', fields: { plate: text() }, access: { read: 'auth:api', write: 'auth:api' }, actions: [${action}] }`;
    const imported = "import { defineResource, text } from 'gatehouse-server/resources';";
    writeFileSync(join(folder, 'cars.ts'), `${imported}\nexport default defineResource(${declared});`);
    await assert.rejects(
      services('sqlite')({ env: { RESOURCES_DIR: folder } }),
      /^OperatorError: \S*cars\.ts: POST \/v1\/cars\/:id\/wash: body: .*type must be .*strng/,
    );
  });

  it('can be one of several exports, but the default export must be a route', async () => {
    const folder = mkdtempSync(join(dir, 'exports-'));
    const declared = "{ kind: 'route', route: { method: 'GET', path: '/v1/a', auth: 'public', handle() {} } }";
    writeFileSync(join(folder, 'a.mjs'), `export const a = ${declared}; export const limit = 3;`);
    assert.equal((await loadRoutes(folder)).length, 1);
    writeFileSync(join(folder, 'b.mjs'), `export const a = ${declared}; export default { path: '/v1/b' };`);
    await assert.rejects(loadRoutes(folder), /b\.mjs: it must `export default defineRoute/);
    writeFileSync(join(folder, 'b.mjs'), `export default { kind: 'route', route: null };`);
    await assert.rejects(loadRoutes(folder), /b\.mjs: it must `export default defineRoute/);
  });
});
