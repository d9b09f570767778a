import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makeArgon2, writeArgon2 } from '../../src/identity/passwords/password-hash.ts';
import { pruneSessions } from '../../src/oauth/sessions/end-sessions.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { oldDatabases } from './old-database.ts';
import { heldByClients, introspect, mappedScopes, refresh, runImport, setClock, whoAmI } from './run-import.ts';

const held = heldByClients('passport10');
const web = { id: '2', secret: held.secretOf('2') };
const machine = { id: '3', secret: held.secretOf('3') };
const password = 'a password of the old service';
const hash = writeArgon2(makeArgon2(Buffer.from(password)));
const login = held.of('login');
const onlyRefresh = held.of('refreshed');
const revokeAccess = () => `update oauth_access_tokens set revoked = 1 where id = '${idOf(onlyRefresh.access_token)}'`;
const personal = held.of('personal').access_token;
const idOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as { jti: string }).jti;

const tokens = (service: Service, form: Record<string, string>) =>
  request<{ access_token: string; scope?: string; error?: string; refresh_token: string }>(service, '/v1/oauth/token', {
    form,
  });
const asClient = ({ id, secret }: { id: string; secret: string }) => ({ client_id: id, client_secret: secret });

onBothEngines('The Passport import', (engine) => {
  const start = services(engine);
  const make = oldDatabases('sqlite');
  const prepared = async (change = 'select 1', env: Record<string, string> = {}) => {
    const [service, old] = [await start({ env }), await make()];
    setClock(service);
    await old.run(change);
    const run = (options: Parameters<typeof runImport>[2] = {}) =>
      runImport(service, old, { scopes: mappedScopes, ...options });
    return { service, old, run };
  };
  const withoutEmpty = { 'orders-read': 'users:read', 'orders-write': 'users:write' };

  it('asks for the meaning of tokens without scopes', async () => {
    const { service, run } = await prepared("update oauth_access_tokens set scopes = '[]' where client_id = 1");
    const asked = await run({ scopes: withoutEmpty });
    assert.match(asked.decisions.join(), /without scopes.*\{"": "\*"\}.*user 1, client 1/s);
    assert.equal((await whoAmI(service, personal)).status, 403);
    assert.match((await run({ scopes: withoutEmpty })).decisions.join(), /without scopes/);
    const decided = await run({ scopes: { ...withoutEmpty, '': '*' } });
    assert.deepEqual(decided.decisions, []);
    assert.equal((await whoAmI(service, personal)).status, 200);
  });

  it('asks about columns that look like a lock or a second factor', async () => {
    const columns = ['ban_expires_at', 'can_login', 'isBlocked', 'account_status', 'is_2fa_enabled', 'totpSecret'];
    const others = ['marital_status', 'last_login_at', 'country_state_id', 'login', 'newsletter_active'];
    const { run } = await prepared(
      `alter table oauth_clients add column scopes text; update oauth_clients set scopes = '["orders-read"]' where id = 2;
       ${[...columns, ...others].map((column) => `alter table users add column ${column} text`).join('; ')}`,
    );
    const { decisions, notes } = await run({ dryRun: true });
    assert.match(decisions.join('\n'), /limited in the old service .*\[client-limits\] \(2 \(Web App\)\)/);
    const asked = columns.map((column) => `users.${column}`);
    assert.match(decisions.join('\n'), new RegExp(`like a lock.*\\(${asked.slice(0, 4).join('; ')}\\)`));
    assert.match(decisions.join('\n'), new RegExp(`second factor.*\\(${asked.slice(4).join('; ')}\\)`));
    assert.match(notes.join('\n'), new RegExp(`not imported: .*${[...columns, ...others].join(', ')}`));
  });

  it('asks for the scopes of clients without a live token', async () => {
    const { service, run } = await prepared('update oauth_access_tokens set revoked = 1 where client_id = 3');
    const asked = await run({ clientScopes: new Map() });
    assert.match(asked.decisions.join(), /--client-scopes.*\(3; 4\)/s);
    await run({
      clientScopes: new Map([
        ['3', 'users:read'],
        ['4', 'none'],
      ]),
    }).then(({ decisions }) => assert.deepEqual(decisions, []));
    const { body } = await tokens(service, { grant_type: 'client_credentials', ...asClient(machine) });
    assert.equal((await introspect(service, body.access_token, machine)).body.scope, 'users:read');
    await assert.rejects(run({ clientScopes: new Map([['3', 'orders:fly']]) }), /not a scope of this service/);
  });

  it('makes old scope names work in requests too', async () => {
    const { service, run } = await prepared(`update users set password = '${hash}'`);
    await run({ scopes: { ...mappedScopes, legacy: [] } });
    const renewed = await tokens(service, {
      grant_type: 'refresh_token',
      refresh_token: held.of('login_scoped').refresh_token as string,
      scope: 'orders-read legacy',
      ...asClient(web),
    });
    assert.deepEqual([renewed.status, renewed.body.scope], [200, 'users:read'], renewed.text);
    const own = await tokens(service, { grant_type: 'client_credentials', scope: 'orders-read', ...asClient(machine) });
    assert.deepEqual([own.status, own.body.scope], [200, 'users:read'], own.text);
    const person = { grant_type: 'password', username: 'ada@example.com', password, ...asClient(web) };
    const signedIn = await tokens(service, { ...person, scope: 'orders-read orders-write' });
    assert.deepEqual([signedIn.status, signedIn.body.scope], [200, 'users:read users:write'], signedIn.text);
    // An empty scope must not become all scopes.
    for (const scope of ['legacy', 'unheard-of', 'orders-read unheard-of']) {
      const { status, body } = await tokens(service, { ...person, scope });
      assert.deepEqual([status, body.error], [400, 'invalid_scope'], scope);
    }
  });

  it('asks until each decision is made or accepted', async () => {
    const { run } = await prepared(
      `insert into users (id, name, email, password, is_admin) values (22, 'Twin', 'ADA@example.com', '${hash}', 1), (23, 'Broken', 'not an address', '${hash}', 1)`,
    );
    const first = await run();
    assert.equal(first.decisions.length, 2, first.decisions.join('\n'));
    for (let i = 0; i < 2; i++) assert.deepEqual((await run()).decisions, first.decisions);
    const accepted = await run({ accept: ['same-identifier', 'bad-email'] });
    assert.deepEqual(accepted.decisions, []);
    assert.match(accepted.notes.join(), /same email/);
    assert.deepEqual((await run()).decisions, first.decisions);
    await assert.rejects(run({ accept: ['missing-table'] }), /no decision "missing-table" that can be accepted/);
  });

  it('ends nothing if a table is unreadable that an earlier pass has read', async () => {
    const { service, old, run } = await prepared(revokeAccess());
    await run();
    await old.run(
      'alter table oauth_refresh_tokens rename to hidden; alter table model_has_roles rename to hidden_roles; update users set name = name || 1',
    );
    const broken = await run();
    assert.match(broken.decisions.join(), /cannot. Nothing was ended/);
    assert.match(broken.decisions.join(), /oauth_refresh_tokens/);
    const me = await request<{ data: { roles: string[] } }>(service, '/v1/users/me', { token: login.access_token });
    assert.deepEqual([me.status, me.body.data.roles], [200, ['admin']]);
    await old.run(
      'alter table hidden rename to oauth_refresh_tokens; alter table hidden_roles rename to model_has_roles',
    );
    assert.deepEqual((await run()).decisions, []);
    assert.equal((await refresh(service, onlyRefresh.refresh_token as string, web)).status, 200);
    assert.equal((await refresh(service, login.refresh_token as string, web)).status, 200);
  });

  it('restores tokens that the old service restores, and none that ended here', async () => {
    const { service, old, run } = await prepared(revokeAccess());
    await run();
    const star = held.of('login_star');
    assert.ok((await request(service, '/v1/logout', { method: 'DELETE', token: star.access_token })).status < 300);
    await old.run(
      `create table kept as select * from oauth_refresh_tokens; create table kept_access as select * from oauth_access_tokens;
       delete from oauth_refresh_tokens; delete from oauth_access_tokens`,
    );
    await run();
    assert.equal((await whoAmI(service, login.access_token)).status, 401);
    // Ended sessions are pruned after a while.
    service.advance(2 * 3_600_000);
    await pruneSessions(service.context);
    await old.run(
      'insert into oauth_refresh_tokens select * from kept; insert into oauth_access_tokens select * from kept_access',
    );
    await run();
    assert.equal((await whoAmI(service, login.access_token)).status, 200);
    assert.equal((await refresh(service, login.refresh_token as string, web)).status, 200);
    assert.equal((await refresh(service, onlyRefresh.refresh_token as string, web)).status, 200);
    assert.equal((await whoAmI(service, star.access_token)).status, 401);
    assert.equal((await refresh(service, star.refresh_token as string, web)).status, 400);

    await old.run('create table kept_users as select * from users; delete from users where id = 1');
    await run();
    assert.equal((await whoAmI(service, personal)).status, 401);
    await old.run('insert into users select * from kept_users where id = 1');
    await run();
    assert.equal((await whoAmI(service, personal)).status, 200);

    await old.run('update oauth_clients set revoked = 1 where id = 1');
    await run();
    assert.equal((await whoAmI(service, personal)).status, 401);
    await old.run('update oauth_clients set revoked = 0 where id = 1');
    await run();
    assert.equal((await whoAmI(service, personal)).status, 200);
  });

  it('lists sessions that were refreshed here and revoked in the old service', async () => {
    const { service, old, run } = await prepared();
    await run();
    assert.equal((await refresh(service, login.refresh_token as string, web)).status, 200);
    await old.run(
      `update oauth_refresh_tokens set revoked = 1 where access_token_id = '${idOf(login.access_token)}'; update oauth_access_tokens set revoked = 1 where id = '${idOf(login.access_token)}'`,
    );
    for (let i = 0; i < 2; i++) assert.match((await run()).decisions.join(), /1 logins were revoked there after/);
    assert.deepEqual((await run({ accept: ['refreshed-here'] })).decisions, []);
  });

  it('keeps client_credentials for password clients, and logins for clients without a secret', async () => {
    const { service, run } = await prepared(
      `update users set password = '${hash}'; insert into oauth_clients (id, name, secret, redirect, personal_access_client, password_client, revoked) values (7, 'Phone', null, '', 0, 1, 0)`,
    );
    await run();
    const own = await tokens(service, { grant_type: 'client_credentials', ...asClient(web) });
    assert.equal(own.status, 200, own.text);
    const phone = { client_id: '7' };
    const signedIn = await tokens(service, { grant_type: 'password', username: 'ada@example.com', password, ...phone });
    assert.equal(signedIn.status, 200, signedIn.text);
    const { refresh_token } = signedIn.body;
    const renewed = await tokens(service, { grant_type: 'refresh_token', refresh_token, ...phone });
    assert.equal(renewed.status, 200, renewed.text);
    assert.equal((await tokens(service, { grant_type: 'client_credentials', ...phone })).status, 400);
  });

  it('reports an expired token as expired, and returns integer times and the issuer of a live one', async () => {
    const { service, run } = await prepared();
    await run();
    const { body } = await request<Record<string, unknown>>(service, '/v1/oauth/introspect', {
      form: { token: login.access_token, ...asClient(web) },
    });
    assert.deepEqual([body.active, body.iss], [true, service.context.config.baseUrl]);
    for (const claim of ['exp', 'iat']) assert.ok(Number.isInteger(body[claim]), `${claim}: ${body[claim]}`);
    service.advance(3 * 86_400_000);
    const late = await request<{ code: string }>(service, '/v1/users/me', { token: login.access_token });
    assert.deepEqual([late.status, late.body.code], [401, 'token_expired']);
  });

  it('counts only unused authorization codes, and accepts role names with capitals', async () => {
    const { service, run } = await prepared(
      `insert into oauth_auth_codes (id, user_id, client_id, scopes, revoked, expires_at) values ('a', 1, 4, '[]', 1, '2026-11-15 14:05:00'), ('b', 1, 4, '[]', 0, '2026-11-15 14:05:00'), ('c', 1, 4, '[]', 0, '2026-11-15 13:05:00');
       insert into roles (id, name, guard_name) values (5, 'Editor', 'api'); insert into model_has_roles values (5, 'App\\Containers\\AppSection\\User\\Models\\User', 1)`,
      { ROLES: 'Editor' },
    );
    const report = await run();
    assert.deepEqual(report.decisions, []);
    assert.equal(report.not_taken.find(({ what }) => /authorization codes/.test(what))?.count, 1);
    const me = await request<{ data: { roles: string[] } }>(service, '/v1/users/me', { token: login.access_token });
    assert.deepEqual(me.body.data.roles.sort(), ['Editor', 'admin']);
  });
});
