import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { contentOf } from '../harness/content.ts';
import { onBothEngines } from '../harness/engines.ts';
import { holdBack } from '../harness/raw-http.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

onBothEngines('A form whose body arrives later than its headers', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  before(async () => {
    service = await start();
    admin = await logIn(service, (await addLogin(service, { roles: ['admin'] })).email, password);
  });

  const forms: readonly [string, string, Record<string, string>][] = [
    ['/settings', '/settings', { name: 'Eve' }],
    ['/settings/password', '/settings/password', { current_password: password, password: 'another long password' }],
    ['/settings/tokens', '/settings/tokens/new', { name: 'mine', days: '7', access: 'all' }],
    ['/settings/applications', '/settings/applications/new', { name: 'mine', access: 'all' }],
    ['/logout', '/settings', {}],
  ];

  async function hold(path: string, page: string, fields: Record<string, string>) {
    const { id, email } = await addLogin(service);
    const sent = path === '/settings' ? { email, ...fields } : fields;
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    const { html } = await visitor.get(page);
    const csrf = /name="_csrf" value="([^"]+)"/.exec(html)?.[1] as string;
    const held = await holdBack(service.url, {
      method: 'POST',
      path,
      body: new URLSearchParams({ _csrf: csrf, ...sent }).toString(),
      headers: {
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
        cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
    return { id, held };
  }

  for (const [path, page, fields] of forms) {
    it(`changes nothing if the user was signed out in between: ${path}`, async () => {
      const { id, held } = await hold(path, page, fields);
      const json = { password: 'set by an administrator' };
      assert.equal((await request(service, `/v1/users/${id}`, { method: 'PATCH', json, token: admin })).status, 200);
      const left = await contentOf(service);
      const response = await held.finish({ byteByByte: true });
      assert.equal(response.status, 302);
      assert.match(response.headers.get('location') ?? '', /^\/login/);
      assert.equal(await contentOf(service), left);
    });

    it(`takes effect if the user is still signed in: ${path}`, async () => {
      const { held } = await hold(path, page, fields);
      const left = await contentOf(service);
      const { status, body } = await held.finish();
      assert.ok(status === 200 || status === 303, `${status} ${body}`);
      assert.notEqual(await contentOf(service), left);
    });
  }

  it('gives the console no token if the user was signed out in between', async () => {
    const { email } = await addLogin(service, { roles: ['admin'] });
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const held = await holdBack(service.url, {
      method: 'POST',
      path: '/admin/token',
      body: '{}',
      headers: { 'content-type': 'application/json', cookie },
    });
    await visitor.get('/settings');
    assert.equal((await visitor.send('/logout', {})).status, 303);
    const response = await held.finish();
    assert.equal(response.status, 302);
    assert.ok(!response.body.includes('access_token'));
  });
});
