import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { makeArgon2, writeArgon2 } from '../../src/identity/passwords/password-hash.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { mariadbInstalled } from './mariadb-server.ts';
import { type OldDatabase, oldDatabases } from './old-database.ts';
import { heldByClients, mappedScopes, runImport, setClock } from './run-import.ts';

const held = heldByClients('passport10');
const password = 'a password of the old service';
const hash = writeArgon2(makeArgon2(Buffer.from(password)));
const model = 'App\\Containers\\AppSection\\User\\Models\\User';

const rolesOf = async ({ context }: Service, email: string) => {
  const user = context.database.db.selectFrom('users').select('roles').where('email', '=', email);
  return (await user.executeTakeFirst())?.roles;
};

describe('An administrator role', () => {
  const start = services('sqlite');
  const make = oldDatabases('sqlite');
  const prepared = async (change: string, old?: OldDatabase) => {
    const [service, source] = [await start(), old ?? (await make())];
    setClock(service);
    await source.run(change);
    const run = (options: Parameters<typeof runImport>[2] = {}, from = source) =>
      runImport(service, from, { scopes: mappedScopes, ...options });
    return { service, old: source, run };
  };
  const logIn = async (service: Service, username: string, id: string) => {
    const client = { client_id: id, client_secret: held.secretOf(id) };
    return (await request(service, '/oauth/token', { form: { grant_type: 'password', username, password, ...client } }))
      .status;
  };

  it('is not imported from the model class of an earlier version or another package', async () => {
    const { service, old, run } = await prepared(
      `insert into model_has_roles (role_id, model_type, model_id) values (1, 'App\\User', 3), (1, 'Forum\\Models\\User', 4)`,
    );
    const asked = await run();
    assert.match(
      asked.decisions.join(),
      /several classes could belong to the table users.*App\\User; Forum\\Models\\User/,
    );
    for (const email of ['ada@example.com', 'alan@example.com', 'joan@example.com'])
      assert.equal(await rolesOf(service, email), '[]', email);
    const decided = await run({ models: new Map([[model, 'users']]) });
    assert.deepEqual(decided.decisions, []);
    assert.deepEqual(
      [await rolesOf(service, 'ada@example.com'), await rolesOf(service, 'alan@example.com')],
      ['["admin"]', '[]'],
    );
    // A second pass without the decision removes no role, and reports the decision again.
    await old.run("update users set name = 'A.'");
    assert.match((await run()).decisions.join(), /several classes/);
    assert.equal(await rolesOf(service, 'ada@example.com'), '["admin"]');
    // A single other class is ignored as well.
    await old.run("delete from model_has_roles where model_id = 4; update users set name = 'B.'");
    assert.deepEqual((await run({ models: new Map([[model, 'users']]) })).decisions, []);
    assert.equal(await rolesOf(service, 'alan@example.com'), '[]');
  });

  it('is not imported if an unknown, generated or deletion column may limit it', async () => {
    for (const [table, column] of [
      ['model_has_roles', 'tenant_id integer generated always as (7) virtual'],
      ['model_has_roles', 'Franchise text'],
      ['roles', "deleted_at datetime default '2026-01-01 00:00:00'"],
      ['roles', 'club text'],
    ] as const) {
      const { service, run } = await prepared(`alter table ${table} add column ${column}`);
      const { decisions } = await run();
      assert.match(decisions.join(), new RegExp(`\\(${table}\\.${column.split(' ')[0]}\\)`), column);
      assert.equal(await rolesOf(service, 'ada@example.com'), '[]', column);
    }
  });

  it('is not imported from the tables of another service in the same database', async () => {
    const names = ['oauth_access_tokens', 'oauth_refresh_tokens', 'oauth_clients', 'users'];
    const { service, run } = await prepared(
      names.map((name) => `alter table ${name} rename to shop_${name}`).join(';'),
    );
    await run();
    assert.equal(await rolesOf(service, 'ada@example.com'), '[]');
  });

  it('stays with the users of its table when a later pass no longer names that table', async () => {
    const { service, old, run } = await prepared(
      `create table admins as select * from users; update admins set email = 'admin-' || email;
       update users set password = '${hash}'; update admins set password = '${hash}';
       update oauth_clients set provider = 'admins', password_client = 1 where id = 3`,
    );
    await run({ providers: new Map([['admins', 'admins']]) });
    assert.deepEqual(
      [await logIn(service, 'admin-ada@example.com', '3'), await logIn(service, 'admin-ada@example.com', '2')],
      [200, 400],
    );
    await old.run('update oauth_clients set revoked = 1 where id = 3');
    await run();
    assert.deepEqual(
      [await logIn(service, 'admin-ada@example.com', '2'), await logIn(service, 'ada@example.com', '2')],
      [400, 200],
    );
  });

  describe('on PostgreSQL', () => {
    const makePostgres = oldDatabases('postgres');
    it('is not imported if the database user may not see a column that limits it', async () => {
      const old = await makePostgres();
      const reader = `reader_${randomBytes(6).toString('hex')}`;
      const { service, run } = await prepared(
        `alter table model_has_roles add column tenant_id bigint; update model_has_roles set tenant_id = 7;
         create role ${reader} login password 'r'; grant select on all tables in schema public to ${reader};
         revoke select on model_has_roles from ${reader};
         grant select (role_id, model_type, model_id) on model_has_roles to ${reader}`,
        old,
      );
      try {
        const url = Object.assign(new URL(old.url), { username: reader, password: 'r' }).href;
        assert.match((await run({}, { ...old, url })).decisions.join(), /\(model_has_roles\.tenant_id\)/);
        assert.equal(await rolesOf(service, 'ada@example.com'), '[]');
      } finally {
        await old.run(`drop owned by ${reader}; drop role ${reader}`);
      }
    });
  });

  describe('on MariaDB', { skip: mariadbInstalled() ? false : 'no MariaDB is installed' }, () => {
    const makeMariadb = mariadbInstalled() ? oldDatabases('mariadb') : undefined;
    it('is imported with BIT columns as locks and with invalid dates', async () => {
      const { service, run } = await prepared(
        `set session sql_mode = ''; alter table users add column locked bit(1) not null default b'0', add column banned_at timestamp null, add column bio text character set latin1;
         update users set password = '${hash}', name = 'Zoë 🐎', bio = 'Café', created_at = '0000-00-00 00:00:00', email_verified_at = '0000-00-00 00:00:00';
         update users set locked = b'1' where id = 3; alter table model_has_roles add column tenant_id bigint unsigned null; update model_has_roles set tenant_id = 7`,
        await makeMariadb?.(),
      );
      const { decisions } = await run();
      assert.match(decisions.join(), /\(model_has_roles\.tenant_id\).*\(users\.locked; users\.banned_at\)/s);
      const options = { rolesWhere: new Map([['tenant_id', 'null']]), disableWhere: ['locked=1', 'banned_at'] };
      assert.deepEqual((await run(options)).decisions, []);
      assert.deepEqual(
        [await logIn(service, 'ada@example.com', '2'), await logIn(service, 'alan@example.com', '2')],
        [200, 400],
      );
      const { db } = service.context.database;
      const ada = await db.selectFrom('users').selectAll().where('email', '=', 'ada@example.com').executeTakeFirst();
      assert.deepEqual([ada?.name, ada?.email_confirmed, ada?.roles], ['Zoë 🐎', 0, '[]']);
    });
  });
});
