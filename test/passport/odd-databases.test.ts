import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { oldDatabases } from './old-database.ts';
import { heldByClients, introspect, mappedScopes, refresh, runImport, setClock, whoAmI } from './run-import.ts';

const held = heldByClients('passport10');
const web = { id: '2', secret: held.secretOf('2') };
const login = held.of('login');
const hash = '$2b$04$2l36tI6.pTKUcfgfRlyQN.HLbiuNVfBpPUEWwNOrqHrB1aXr5AQeC';

describe('Unusual databases', () => {
  const start = services('sqlite');
  const make = oldDatabases('sqlite');
  const taken = async (change: string, options: Parameters<typeof runImport>[2] = {}) => {
    const [service, old] = [await start(), await make()];
    setClock(service);
    await old.run(change);
    const report = await runImport(service, old, { scopes: mappedScopes, ...options });
    const findUsers = () => service.context.database.db.selectFrom('users').selectAll().execute();
    return { service, old, report, findUsers };
  };
  const leftOf = ({ report }: Awaited<ReturnType<typeof taken>>, table: string) =>
    report.tables.find((one) => one.table === table)?.left;

  it('can have a table prefix', async () => {
    const names = ['oauth_access_tokens', 'oauth_refresh_tokens', 'oauth_clients', 'users', 'roles', 'model_has_roles'];
    const { service, report } = await taken(names.map((name) => `alter table ${name} rename to app_${name}`).join(';'));
    assert.deepEqual(report.decisions, []);
    const me = await request<{ data: { roles: string[] } }>(service, '/v1/users/me', { token: login.access_token });
    assert.deepEqual(me.body.data.roles, ['admin']);
    assert.equal((await refresh(service, login.refresh_token as string, web)).status, 200);
  });

  it('can be from Passport 8, or upgraded to Passport 13', async () => {
    const old = await taken('alter table oauth_clients drop column provider');
    assert.equal((await whoAmI(old.service, login.access_token)).status, 200);
    const upgraded = await taken(
      "alter table oauth_clients add column grant_types text; alter table oauth_clients add column redirect_uris text; alter table oauth_clients add column owner_type text; alter table oauth_clients add column owner_id integer; update oauth_clients set grant_types = '[\"client_credentials\"]', redirect_uris = '[]' where id = 3; drop table oauth_personal_access_clients",
    );
    assert.equal((await refresh(upgraded.service, login.refresh_token as string, web)).status, 200);
    const list = await request<{ data: { type: string; name: string }[] }>(upgraded.service, '/v1/tokens', {
      token: held.of('login_star').access_token,
    });
    assert.equal(list.status, 200);
    const personal = await whoAmI(upgraded.service, held.of('personal').access_token);
    assert.equal(personal.status, 200);
    // A client with a list of grants refreshes only if the list contains that grant.
    await upgraded.old.run('update oauth_clients set grant_types = \'["password"]\' where id = 2');
    await runImport(upgraded.service, upgraded.old, { scopes: mappedScopes });
    const star = held.of('login_star');
    assert.equal((await refresh(upgraded.service, star.refresh_token as string, web)).status, 400);
    assert.equal((await whoAmI(upgraded.service, star.access_token)).status, 200);
  });

  it('can lack refresh tokens and roles', async () => {
    const { service, report } = await taken(
      'drop table oauth_refresh_tokens; drop table model_has_roles; drop table roles',
    );
    assert.deepEqual(report.decisions, []);
    assert.equal((await whoAmI(service, login.access_token)).status, 200);
    assert.equal((await refresh(service, login.refresh_token as string, web)).status, 400);
  });

  it('can contain invalid dates, missing expiry times and unreadable scopes', async () => {
    const { service, report } = await taken(
      `update oauth_access_tokens set created_at = '0000-00-00 00:00:00', expires_at = null; update oauth_refresh_tokens set expires_at = '0000-00-00 00:00:00';
       update users set created_at = null, email_verified_at = '0000-00-00 00:00:00';
       update oauth_access_tokens set scopes = 'orders-read' where user_id = 4 and scopes = '["*"]'`,
    );
    assert.equal((await whoAmI(service, login.access_token)).status, 200);
    assert.match(report.decisions.join(), /scopes cannot be read/);
    // An unreadable scope becomes no scope, so the session may do nothing.
    assert.equal((await whoAmI(service, held.of('login_star').access_token)).status, 403);
    assert.equal((await refresh(service, login.refresh_token as string, web)).status, 200);
    service.advance(2 * 86_400_000);
    // The row has no expiry time, but the token has one.
    assert.equal((await whoAmI(service, login.access_token)).status, 401);
    assert.equal((await refresh(service, held.of('refreshed').refresh_token as string, web)).status, 200);
  });

  it('can contain users without email or password, and emails that differ only by case', async () => {
    const { service, report, findUsers } = await taken(
      `insert into users (id, name, email, password, is_admin) values (20, 'Social', null, '', 1), (21, 'Md5', 'md5@example.com', 'd41d8cd98f00b204e9800998ecf8427e', 1),
       (22, 'Twin', 'ADA@example.com', '${hash}', 1), (23, 'Broken', 'not an address', '${hash}', 1);
       update oauth_access_tokens set user_id = 22 where user_id = 4; update oauth_access_tokens set user_id = 20 where id in (select id from oauth_access_tokens where user_id = 1 and client_id = 1)`,
    );
    assert.equal(report.tables.find(({ table }) => table === 'users')?.taken, 8);
    assert.match(report.decisions.join('\n'), /same email[\s\S]*users 22: ADA@example\.com/i);
    assert.match(report.decisions.join('\n'), /Invalid email addresses[\s\S]*users 23/);
    const twin = await whoAmI(service, held.of('login_star').access_token);
    assert.deepEqual([twin.status, twin.body.data.email], [200, null]);
    const social = await whoAmI(service, held.of('personal').access_token);
    assert.equal(social.status, 200);
    for (const { email, password_hash } of await findUsers()) {
      if (email === 'md5@example.com') assert.match(password_hash, /^\$argon2id\$/);
    }
    // An invalid hash matches no password, and the error does not reveal that it is invalid.
    for (const password of ['', 'd41d8cd98f00b204e9800998ecf8427e']) {
      const form = {
        grant_type: 'password',
        username: 'md5@example.com',
        password,
        client_id: web.id,
        client_secret: web.secret,
      };
      assert.equal((await request(service, '/v1/oauth/token', { form })).status, 400);
    }
  });

  it('are imported without deleted users and their tokens', async () => {
    const outcome = await taken(
      "alter table users add column deleted_at datetime; update users set deleted_at = '2026-11-01 00:00:00' where id = 1; update users set deleted_at = '0000-00-00 00:00:00' where id = 4",
    );
    assert.deepEqual(leftOf(outcome, 'users'), { 'deleted there': 1 });
    assert.equal((await whoAmI(outcome.service, login.access_token)).status, 401);
    assert.equal((await refresh(outcome.service, login.refresh_token as string, web)).status, 400);
    assert.equal((await whoAmI(outcome.service, held.of('login_star').access_token)).status, 200);
  });

  it('are imported without revoked or deleted clients and their tokens', async () => {
    const { service } = await taken(
      'update oauth_clients set revoked = 1 where id = 2; delete from oauth_clients where id = 1',
    );
    assert.equal((await whoAmI(service, login.access_token)).status, 401);
    assert.equal((await whoAmI(service, held.of('personal').access_token)).status, 401);
    assert.equal((await refresh(service, login.refresh_token as string, web)).status, 401);
    const machine = { id: '3', secret: held.secretOf('3') };
    assert.equal((await introspect(service, held.of('machine').access_token, machine)).body.active, true);
  });

  it('are refused if the table of a provider is unknown, and can have two tables of users', async () => {
    const change = `create table admins as select * from users; update admins set email = 'admin-' || email, name = 'Admin ' || name;
      update oauth_clients set provider = 'admins' where id = 2; insert into model_has_roles values (1, 'App\\Models\\Admin', 4)`;
    const refused = await taken(`${change}; alter table users add column is_active integer`);
    assert.equal(refused.report.dry_run, true);
    assert.match(refused.report.decisions.join('\n'), /--provider admins=TABLE \[providers\] \(client 2\)/);
    assert.match(refused.report.decisions.join('\n'), /look like a lock.*users\.is_active/, 'all other decisions');
    assert.equal((await whoAmI(refused.service, held.of('personal').access_token)).status, 401);
    const { service, report } = await taken(change, { providers: new Map([['admins', 'admins']]) });
    assert.deepEqual(report.decisions, []);
    const holders = report.tables.find(({ table }) => table === 'model_has_roles');
    assert.deepEqual([holders?.read, holders?.taken, holders?.left], [2, 2, {}], 'each row is counted once');
    const me = await request<{ data: { email: string; roles: string[] } }>(service, '/v1/users/me', {
      token: held.of('login_star').access_token,
    });
    assert.deepEqual([me.body.data.email, me.body.data.roles], ['admin-joan@example.com', ['admin']]);
    // The personal access client has no provider, so its users are in the default table.
    assert.equal((await whoAmI(service, held.of('personal').access_token)).body.data.email, 'ada@example.com');
  });

  it('give roles only by guard, class and team', async () => {
    const { service, old, report, findUsers } = await taken(
      `insert into roles (id, name, guard_name) values (2, 'admin', 'web'), (3, 'editor', 'api');
       delete from model_has_roles; alter table model_has_roles add column team_id integer;
       insert into model_has_roles (role_id, model_type, model_id, team_id) values (2, 'App\\Models\\User', 2, null), (3, 'App\\Models\\User', 1, null), (1, 'App\\Models\\Team', 4, null), (1, 'App\\Models\\User', 3, 7)`,
      { rolesWhere: new Map([['team_id', 'null']]) },
    );
    for (const { roles, email } of await findUsers()) {
      if (email !== 'admin@example.com') assert.equal(roles, '[]', email ?? '');
    }
    const decisions = report.decisions.join('\n');
    assert.match(decisions, /more than one guard/);
    assert.match(decisions, /do not exist in Gatehouse[^\n]*editor/);
    assert.match(decisions, /App\\Models\\Team/);
    // With two tables of users, Spatie stores the roles of each under a separate guard.
    await runImport(service, old, {
      scopes: mappedScopes,
      rolesWhere: new Map([['team_id', 'null']]),
      guards: ['api', 'web'],
    });
    const admins = (await findUsers()).filter(({ roles }) => roles === '["admin"]').map(({ name }) => name);
    assert.equal(admins.length, 2, admins.join());
  });
});
