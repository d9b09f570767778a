import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { createGatehouse } from '../../client/gatehouse.ts';
import { addApplication } from '../harness/applications.ts';
import { authorizePath } from '../harness/authorizing.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import { onBothEngines } from '../harness/engines.ts';
import { addApp, addPasskey, halfLogin, tryLogin } from '../harness/factors.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { password, registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

interface Held {
  readonly data: { readonly passkeys: number; readonly authenticators: number; readonly recovery_codes: number };
}

const adminLogin = { email: 'admin@example.com', password: 'correct horse battery' };

onBothEngines('Factors of users, and the MFA policy', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });

  it('shows factors to the owner and to administrators, who can remove them after a recent proof', async () => {
    const person = await registerUser(service);
    await addApp(service, person);
    await addPasskey(service, person);
    const stranger = await registerUser(service);
    const path = `/v1/users/${person.id}/factors`;
    const admin = await logIn(service, adminLogin.email, adminLogin.password);
    const held = { passkeys: 1, authenticators: 1, recovery_codes: 10 };
    assert.deepEqual((await request<Held>(service, path, { token: person.token })).body.data, held);
    assert.deepEqual((await request<Held>(service, path, { token: admin })).body.data, held);
    assert.equal((await request(service, path, { token: stranger.token })).status, 404);

    const remove = (token: string) => request(service, path, { method: 'DELETE', token });
    assert.ok([403, 404].includes((await remove(stranger.token)).status));
    assert.equal((await remove(person.token)).status, 403);
    service.advance(901_000);
    const late = await remove(admin);
    assert.deepEqual([late.status, late.body.code], [401, 'proof_too_old']);
    const proof = { json: { password: adminLogin.password }, token: admin };
    assert.equal((await request(service, '/v1/sessions/current/proofs', proof)).status, 201);
    assert.equal((await remove(admin)).status, 204);
    const none = { passkeys: 0, authenticators: 0, recovery_codes: 0 };
    assert.deepEqual((await request<Held>(service, path, { token: admin })).body.data, none);
    // Nothing is left to remove, so this sends no mail and records no event.
    assert.equal((await remove(admin)).status, 204);
    assert.equal((await tryLogin(service, { email: person.email, password })).status, 200);
    assert.equal((await mailsTo(service, 'factors-removed', person.email)).length, 1);
    const { db } = service.context.database;
    const query = db.selectFrom('events').select('user_id').where('type', '=', 'factors.removed');
    assert.deepEqual(await query.execute(), [{ user_id: person.id }]);
  });

  it("lets an administrator remove another user's factor only with all scopes", async () => {
    const person = await registerUser(service);
    const { app } = await addApp(service, person);
    const { response } = await addPasskey(service, person);
    const paths = [`/v1/authenticators/${app.id}`, `/v1/passkeys/${response.body.data.id}`];
    const loginWith = async (scope: string) => (await tryLogin(service, { ...adminLogin, scope })).body.access_token;
    const remove = (path: string, token: string) => request(service, path, { method: 'DELETE', token });
    const scope = 'passkeys:read passkeys:write authenticators:read authenticators:write';
    const narrow = await loginWith(scope);
    for (const path of paths) {
      const { status, body } = await remove(path, narrow);
      assert.deepEqual([status, body.code], [403, 'insufficient_scope'], path);
    }
    const own = await addPasskey(service, { token: narrow });
    assert.equal((await remove(`/v1/passkeys/${own.response.body.data.id}`, narrow)).status, 204, 'an own factor');
    const admin = await loginWith('*');
    for (const path of paths) assert.equal((await remove(path, admin)).status, 204, path);
  });

  it('shows and removes factors at the command line', async () => {
    const person = await registerUser(service);
    await addApp(service, person);
    const { url: DATABASE_URL, dir } = service.database;
    const run = (...more: string[]) =>
      gatehouseHere(['user', 'factors', person.email, ...more], dir, { DATABASE_URL, DATA_DIR: dir });
    const held = async () => {
      const { code, stdout, stderr } = await run('--json');
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };
    assert.deepEqual(await held(), { passkeys: 0, authenticators: 1, recovery_codes: 10 });
    const removed = await run('--remove');
    assert.equal(removed.code, 0, removed.stderr);
    assert.deepEqual(await held(), { passkeys: 0, authenticators: 0, recovery_codes: 0 });
    assert.equal((await tryLogin(service, { email: person.email, password })).status, 200);
  });

  it('with MFA=off, registers passkeys without recovery codes, and refuses recovery codes', async () => {
    const off = await start({ env: { MFA: 'off' } });
    const person = await registerUser(off);
    const { response } = await addPasskey(off, person);
    assert.deepEqual([response.status, response.body.data.recovery_codes], [201, undefined], response.text);
    const codes = await request(off, '/v1/recovery-codes', { token: person.token, method: 'POST', json: {} });
    assert.deepEqual([codes.status, codes.body.code], [403, 'mfa_off']);
    const metadata = await request(off, '/.well-known/oauth-authorization-server');
    assert.ok(!metadata.text.includes('urn:gatehouse:mfa'));
    const step = await tryLogin(off, { mfa_token: 'x', code: '123456' });
    assert.equal(step.body.error, 'unsupported_grant_type', step.text);
    assert.equal((await tryLogin(off, { email: person.email, password })).status, 200);
  });

  it('lets administrators only set up a factor until they have one, with MFA=admins', async () => {
    const strict = await start({ env: { MFA: 'admins' } });
    const person = await registerUser(strict);
    assert.equal((await request(strict, '/v1/users/me', { token: person.token })).status, 200);
    const narrow = await tryLogin(strict, adminLogin);
    assert.equal(narrow.status, 200);
    assert.match(String(narrow.body.scope), /authenticators:write/);
    assert.equal((await request(strict, '/v1/users', { token: narrow.body.access_token })).status, 403);
    const { app } = await addApp(strict, { token: narrow.body.access_token });
    const half = await tryLogin(strict, adminLogin);
    assert.deepEqual([half.status, half.body.error], [403, 'mfa_required']);
    const full = await tryLogin(strict, { mfa_token: half.body.mfa_token, code: app.next() });
    assert.equal((await request(strict, '/v1/users', { token: full.body.access_token })).status, 200);
  });

  it('lets a login without the required factor reach no application, whatever ROLE_SCOPES leaves it', async () => {
    const strict = await start({ env: { MFA: 'required', ROLE_SCOPES: '*=users:read' } });
    const person = await registerUser(strict);
    const application = await addApplication(strict, { trusted: true });
    const visitor = new Visitor(strict);
    assert.equal((await visitor.signIn(person.email, password)).location, '/settings/security');
    for (const path of ['/settings', authorizePath(application.id)])
      assert.equal((await visitor.get(path)).location, '/settings/security', path);
    const { app } = await addApp(strict, person);
    const { mfa_token } = await halfLogin(strict, person);
    const full = await tryLogin(strict, { mfa_token, code: app.next() });
    assert.deepEqual([full.status, full.body.scope], [200, 'users:read'], full.text);
  });

  it('lets users open all pages if ROLE_SCOPES gives them the scopes of factors', async () => {
    const limited = await start({ env: { ROLE_SCOPES: '*=users:read authenticators:read authenticators:write' } });
    const person = await registerUser(limited);
    const visitor = new Visitor(limited);
    assert.equal((await visitor.signIn(person.email, password)).location, '/settings');
    assert.equal((await visitor.get('/settings')).status, 200);
  });

  it('gives an administrator without the required factor no role', async () => {
    const ROUTES_DIR = join(import.meta.dirname, '../proof/routes');
    const strict = await start({ env: { MFA: 'admins', ROUTES_DIR } });
    const { body } = await tryLogin(strict, adminLogin);
    const arm = () => request(strict, '/v1/alarms', { json: {}, token: body.access_token });
    assert.equal((await arm()).status, 403);
    await addApp(strict, { token: body.access_token });
    assert.equal((await arm()).status, 403, 'the session still has only one factor');
  });

  it('lets the typed client ask for the second factor with onSecondFactor', async () => {
    const person = await registerUser(service);
    const { app } = await addApp(service, person);
    const codes = ['000000', app.next()];
    const client = createGatehouse({
      baseUrl: service.url,
      async onSecondFactor({ methods }) {
        assert.deepEqual(methods, ['totp', 'recovery_code']);
        return { code: codes.shift() as string };
      },
    });
    await client.login({ email: person.email, password });
    const { body } = await client.call({ method: 'GET', path: '/v1/users/me' });
    assert.equal((body as { data: { id: string } }).data.id, person.id);
  });
});
