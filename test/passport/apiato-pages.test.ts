import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';
import { oldDatabases } from './old-database.ts';
import { heldByClients, mappedScopes, runImport, setClock } from './run-import.ts';

const password = 'a long enough password';
const env = { COMPAT: 'apiato13', COMPAT_IDS: 'hashed' };
const fleet = fileURLToPath(new URL('../../examples/fleet/resources', import.meta.url));

onBothEngines('With COMPAT=apiato…, our own pages', (engine) => {
  const start = services(engine);
  const make = oldDatabases('sqlite');
  let service: Service;
  let visitor: Visitor;
  before(async () => {
    service = await start({ env });
    visitor = new Visitor(service);
    await visitor.signIn('admin@example.com', 'correct horse battery');
  });

  /** Apiato 13 wraps the tokens. */
  const logIn = async (email: string, secret: string): Promise<string> => {
    const { body } = await request<{ data: { access_token: string } }>(service, '/v1/clients/web/admin/login', {
      json: { email, password: secret },
    });
    return body.data.access_token;
  };

  it('show and end only the sessions of the administrator who has signed in', async () => {
    const admin = await logIn('admin@example.com', 'correct horse battery');
    await request(service, '/v1/users', { token: admin, json: { email: 'ada@example.com', password } });
    const token = await logIn('ada@example.com', password);
    assert.equal((await request(service, '/v1/users/me', { token })).status, 200);
    await visitor.get('/settings/sessions');
    const { location } = await visitor.send('/settings/sessions/end-others', {});
    assert.equal(location, '/settings/sessions?done=others-ended');
    assert.equal((await request(service, '/v1/users/me', { token })).status, 200);
    assert.equal((await request(service, '/v1/users/me', { token: admin })).status, 401);
  });

  it('show errors at the fields of a form', async () => {
    await visitor.get('/settings');
    const { status, html } = await visitor.send('/settings', {
      email: 'no email',
      current_password: 'correct horse battery',
    });
    assert.equal(status, 422);
    assert.match(html, /id="email"[^>]*aria-invalid="true"/);
  });

  it('export all rows about a user with a hashed id', async () => {
    const imported = await start({ env: { ...env, FRESH_PROOF: '0', RESOURCES_DIR: fleet } });
    setClock(imported);
    await runImport(imported, await make(), { scopes: mappedScopes });
    const token = heldByClients('passport10').of('login').access_token;
    const joan = await request<{ data: { id: string } }>(imported, '/v1/users/4', { token });
    assert.match(joan.body.data.id, /^[A-Za-z0-9]{16}$/, 'hashed');
    const changed = await request(imported, '/v1/users/4', { method: 'PATCH', token, json: { password } });
    assert.equal(changed.status, 200, changed.text);
    const json = { name: 'Joan', user_id: joan.body.data.id };
    assert.equal((await request(imported, '/v1/owners', { token, json })).status, 201);
    const own = new Visitor(imported);
    await own.signIn('joan@example.com', password);
    await own.get('/settings/account');
    const { html } = await own.send('/settings/account/export', {});
    const { owners } = JSON.parse(html) as { owners: { name: string }[] };
    assert.deepEqual(
      owners.map(({ name }) => name),
      ['Joan'],
    );
  });
});
