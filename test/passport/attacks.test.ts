import assert from 'node:assert/strict';
import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { generateSync } from 'otplib';
import { writeReport } from '../../extensions/passport/report/report.ts';
import { makeArgon2, writeArgon2 } from '../../src/identity/passwords/password-hash.ts';
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
/** The APP_KEY in app-key.env. */
const appKey = Buffer.from('jEZ89HFotW5N4dGyz/WvHWdCOVEDGEc0hWrUVXLwVf8=', 'base64');

/** Laravel's `encrypt`, with PHP's serialization of a text. */
function encrypt(text: string, key = appKey): string {
  const bytes = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', key, bytes);
  const sealed = Buffer.concat([cipher.update(`s:${text.length}:"${text}";`), cipher.final()]).toString('base64');
  const iv = bytes.toString('base64');
  const mac = createHmac('sha256', key).update(`${iv}${sealed}`).digest('hex');
  return Buffer.from(JSON.stringify({ iv, value: sealed, mac, tag: '' })).toString('base64');
}

const logIn = (service: Service, username: string, client: { id: string; secret: string }, more = {}) =>
  request<{ access_token: string; refresh_token: string; error: string; mfa_token: string }>(
    service,
    '/v1/oauth/token',
    {
      form: { grant_type: 'password', username, password, client_id: client.id, client_secret: client.secret, ...more },
    },
  );

onBothEngines('An import', (engine) => {
  const start = services(engine);
  const make = oldDatabases('sqlite');
  const prepared = async (change: string, env: Record<string, string> = {}) => {
    const [service, old] = [await start({ env }), await make()];
    setClock(service);
    await old.run(change);
    const run = (options: Parameters<typeof runImport>[2] = {}) =>
      runImport(service, old, { scopes: mappedScopes, ...options });
    const rolesOf = async (email: string) =>
      (
        await service.context.database.db
          .selectFrom('users')
          .select('roles')
          .where('email', '=', email)
          .executeTakeFirst()
      )?.roles;
    return { service, old, run, rolesOf };
  };

  for (const column of ['tenant_id', 'team_id', 'organisation']) {
    it(`grants no role that is limited to one ${column}`, async () => {
      const { run, rolesOf } = await prepared(
        `delete from model_has_roles; alter table model_has_roles add column ${column} integer;
         insert into model_has_roles (role_id, model_type, model_id, ${column}) values (1, 'App\\Models\\User', 3, 7), (1, 'App\\Models\\User', 4, null)`,
      );
      const asked = await run();
      assert.match(asked.decisions.join(), new RegExp(`no role was imported.*model_has_roles\\.${column}`, 's'));
      assert.deepEqual([await rolesOf('alan@example.com'), await rolesOf('joan@example.com')], ['[]', '[]']);
      // Every pass reports the decision until it is made.
      assert.deepEqual((await run()).decisions, asked.decisions);
      const decided = await run({ rolesWhere: new Map([[column, 'null']]) });
      assert.deepEqual(decided.decisions, []);
      assert.deepEqual([await rolesOf('alan@example.com'), await rolesOf('joan@example.com')], ['[]', '["admin"]']);
    });
  }

  it('continues despite names that PostgreSQL cannot store, and prints no control characters', async () => {
    const bad = "'a' || char(0, 27) || '[31mb'";
    const { service, run } = await prepared(
      `update oauth_clients set name = ${bad} where id = 2; update oauth_access_tokens set name = ${bad}; update roles set name = ${bad}`,
    );
    const report = await run();
    assert.equal((await whoAmI(service, held.of('login').access_token)).status, 200);
    assert.ok(report.notes.concat(report.decisions).join().includes('\x1b'));
    assert.doesNotMatch(writeReport(report), /[^\P{Cc}\n]/u);
  });

  it('keeps the roles if the new ones are ambiguous', async () => {
    const { old, run, rolesOf } = await prepared('select 1');
    await run();
    const before = await rolesOf('ada@example.com');
    assert.equal(before, '["admin"]');
    await old.run(
      "alter table model_has_roles add column tenant_id integer; update users set name = 'A.' where id = 1",
    );
    await run();
    assert.equal(await rolesOf('ada@example.com'), before);
    await old.run('alter table model_has_roles drop column tenant_id; alter table roles add column tenant_id integer');
    assert.match((await run()).decisions.join(), /roles\.tenant_id/);
    assert.equal(await rolesOf('ada@example.com'), before);
  });

  it('limits a client to the users of its provider', async () => {
    const { service, run } = await prepared(
      `create table admins as select * from users; update admins set email = 'admin-' || email;
       update users set password = '${hash}'; update admins set password = '${hash}';
       update oauth_clients set provider = 'admins', password_client = 1 where id = 3`,
    );
    const report = await run({ providers: new Map([['admins', 'admins']]) });
    assert.deepEqual(report.decisions, []);
    // Like PHP: 400, which does not reveal whether the user exists.
    for (const [email, client] of [
      ['ada@example.com', machine],
      ['admin-ada@example.com', web],
    ] as const) {
      const { status, body } = await logIn(service, email, client);
      assert.deepEqual([status, body.error], [400, 'invalid_grant'], email);
    }
    const user = await logIn(service, 'ada@example.com', web);
    const admin = await logIn(service, 'admin-ada@example.com', machine);
    assert.deepEqual([user.status, admin.status], [200, 200], user.text + admin.text);
    assert.equal((await refresh(service, admin.body.refresh_token, machine)).status, 200);
    const { body } = await request<{ data: { realm: string }[] }>(service, '/v1/users?search=realm:admins', {
      token: user.body.access_token,
    });
    assert.deepEqual([...new Set(body.data.map(({ realm }) => realm))], ['admins']);
    const client = await request<{ data: { realm: string } }>(service, '/v1/clients/3', {
      token: user.body.access_token,
    });
    assert.equal(client.body.data.realm, 'admins');
    const change = await request(service, '/v1/clients/3', {
      method: 'PATCH',
      token: user.body.access_token,
      json: { realm: 'users' },
    });
    assert.ok(change.status >= 400, change.text);
  });

  it('ends sessions through a client that now belongs to another provider', async () => {
    const { service, old, run } = await prepared(`update users set password = '${hash}'`);
    await run();
    const { body } = await logIn(service, 'ada@example.com', web);
    assert.equal((await whoAmI(service, body.access_token)).status, 200);
    await old.run(
      "create table admins as select * from users; update admins set email = 'admin-' || email; update oauth_clients set provider = 'admins' where id = 2",
    );
    const { signed_out } = await run({ providers: new Map([['admins', 'admins']]) });
    assert.deepEqual(
      signed_out.filter(({ logins }) => logins > 0).map(({ cause }) => cause),
      ['their client belongs to another provider now'],
    );
    assert.equal((await whoAmI(service, body.access_token)).status, 401);
    assert.equal((await introspect(service, body.access_token, web)).body.active, false);
    assert.equal((await refresh(service, body.refresh_token, web)).status, 400);
  });

  it('reports columns that look like a lock, and disables locked users', async () => {
    const { service, old, run } = await prepared(
      `alter table users add column is_active tinyint(1) default 1; alter table users add column banned_at datetime; alter table users add column shoe_size integer;
       update users set password = '${hash}'; update users set is_active = 0 where id = 1; update users set banned_at = '2026-01-01 00:00:00' where id = 4`,
    );
    const asked = await run();
    assert.match(asked.decisions.join(), /look like a lock.*users\.is_active; users\.banned_at/s);
    assert.equal(asked.notes.filter((note) => /not imported:.*shoe_size/.test(note)).length, 1);
    assert.equal((await logIn(service, 'ada@example.com', web)).status, 200);

    const decided = await run({ disableWhere: ['is_active=0', 'banned_at'] });
    assert.deepEqual(decided.decisions, []);
    assert.deepEqual(
      decided.signed_out.map(({ cause, people }) => [cause, people]),
      [['their account is locked (--disable-where), or disabled or deleted here', 2]],
    );
    for (const email of ['ada@example.com', 'joan@example.com']) {
      assert.equal((await logIn(service, email, web)).status, 400, email);
    }
    assert.equal((await logIn(service, 'alan@example.com', web)).status, 200);
    const { access_token, refresh_token } = held.of('login');
    assert.equal((await whoAmI(service, access_token)).status, 401);
    assert.equal((await refresh(service, refresh_token as string, web)).status, 400);
    assert.equal((await whoAmI(service, held.of('login_star').access_token)).status, 401);

    // A pass without the decision reports it again, and enables nobody.
    await old.run("update users set name = name || '.'");
    assert.deepEqual((await run()).decisions, asked.decisions);
    assert.equal((await logIn(service, 'joan@example.com', web)).status, 400);
    await run({ disableWhere: ['is_active=0'] });
    assert.equal((await logIn(service, 'joan@example.com', web)).status, 400);

    await old.run('update users set is_active = 1');
    await run({ disableWhere: ['is_active=0', 'banned_at'] });
    assert.equal((await logIn(service, 'ada@example.com', web)).status, 200);
    assert.equal((await whoAmI(service, access_token)).status, 200);
    assert.equal((await refresh(service, refresh_token as string, web)).status, 200);
    await assert.rejects(run({ disableWhere: ['active=0'] }), /no table of users has a column "active"/);
  });

  it('counts a locked user with only an access token, and counts a login with two tokens once', async () => {
    const { jti } = JSON.parse(
      Buffer.from(held.of('login').access_token.split('.')[1] as string, 'base64url').toString(),
    );
    const change = `alter table users add column is_active integer default 1; update users set is_active = 0 where id = 1; delete from oauth_access_tokens where id <> '${jti}'`;
    for (const tables of ['select 1', 'delete from oauth_refresh_tokens']) {
      const { run } = await prepared(`${change}; ${tables}`);
      const { signed_out } = await run({ disableWhere: ['is_active=0'] });
      assert.deepEqual(
        signed_out.map(({ people, logins }) => [people, logins]),
        [[1, 1]],
        tables,
      );
    }
  });

  it('imports the second factors of Fortify', async () => {
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    const { service, old, run } = await prepared(
      `alter table users add column two_factor_secret text; alter table users add column two_factor_recovery_codes text; alter table users add column two_factor_confirmed_at datetime;
       update users set password = '${hash}';
       update users set two_factor_secret = '${encrypt(secret)}', two_factor_confirmed_at = '2026-01-01 00:00:00' where id = 1;
       update users set two_factor_secret = '${encrypt(secret, randomBytes(32))}', two_factor_confirmed_at = '2026-01-01 00:00:00' where id = 3`,
    );
    const report = await run();
    assert.match(report.decisions.join(), /decrypted with APP_KEY.*users 3/s);
    assert.doesNotMatch(report.decisions.join(), /users 1/);
    const first = await logIn(service, 'ada@example.com', web);
    assert.deepEqual([first.status, first.body.error], [403, 'mfa_required'], first.text);
    const second = (code: string, mfa_token: string) =>
      request(service, '/v1/oauth/token', {
        form: {
          grant_type: 'urn:gatehouse:mfa',
          mfa_token,
          code,
          client_id: web.id,
          client_secret: web.secret,
        },
      });
    const epoch = Math.floor(service.context.now() / 1000);
    const code = generateSync({ secret, epoch });
    assert.equal((await second(code === '000000' ? '000001' : '000000', first.body.mfa_token)).status, 400);
    assert.equal((await second(code, first.body.mfa_token)).status, 200);
    // Nothing changed: a second pass adds no second app, and reports the same decision.
    assert.deepEqual((await run()).decisions, report.decisions);
    const apps = () => service.context.database.db.selectFrom('authenticators').select('id').execute();
    assert.equal((await apps()).length, 1);
    await old.run('update users set two_factor_secret = null, two_factor_confirmed_at = null');
    assert.deepEqual((await run()).decisions, []);
    assert.equal((await apps()).length, 0);
    assert.equal((await logIn(service, 'ada@example.com', web)).status, 200);
  });
});
