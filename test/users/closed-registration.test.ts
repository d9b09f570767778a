import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { password } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

onBothEngines('Closed registration', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start({ env: { REGISTRATION: 'closed' } });
  });

  it('responds 403 to everybody', async () => {
    for (const email of ['new@example.com', 'admin@example.com', 'nonsense']) {
      const { status, body } = await request(service, '/v1/register', { json: { email, password } });
      assert.deepEqual([status, body.code], [403, 'registration_closed']);
    }
    assert.equal((await request(service, '/v1/register', { method: 'POST' })).status, 403);
  });

  it('has no page and no link on the login page', async () => {
    const visitor = new Visitor(service);
    const login = await visitor.get('/login');
    assert.doesNotMatch(login.html, /register/);
    const page = await visitor.get('/register');
    assert.equal(page.status, 403);
    assert.match(page.html, /Registration is closed/);
    await visitor.get('/login');
    assert.equal((await visitor.send('/register', { email: 'new@example.com', password })).status, 403);
  });

  it('lets administrators create users', async () => {
    const token = await logIn(service, 'admin@example.com', 'correct horse battery');
    const made = await request(service, '/v1/users', { json: { email: 'new@example.com', password }, token });
    assert.equal(made.status, 201);
    assert.ok(await logIn(service, 'new@example.com', password));
  });
});

onBothEngines('Open registration', (engine) => {
  const start = services(engine);

  it('is linked from the login page', async () => {
    const visitor = new Visitor(await start());
    assert.match((await visitor.get('/login')).html, /\/register/);
    assert.equal((await visitor.get('/register')).status, 200);
  });
});
