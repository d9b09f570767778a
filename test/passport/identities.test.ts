import assert from 'node:assert/strict';
import { it } from 'node:test';
import { databases, onBothEngines } from '../harness/engines.ts';
import { type Service, services } from '../harness/service.ts';
import { oldDatabases } from './old-database.ts';
import { mappedScopes, runImport, setClock } from './run-import.ts';

const env = {
  PROVIDER_GOOGLE_ID: 'id',
  PROVIDER_GOOGLE_SECRET: 'a secret of google',
  PROVIDER_GITHUB_ID: 'id',
  PROVIDER_GITHUB_SECRET: 'a secret of github',
};
const table =
  'create table social_accounts (id integer primary key, user_id integer, provider_name varchar, provider_id varchar)';

onBothEngines('Accounts of Socialite', (engine) => {
  const start = services(engine);
  const create = databases(engine);
  const make = oldDatabases('sqlite');

  it('are linked if their provider is configured, and follow the old service', async () => {
    const [service, old] = [await start({ env }), await make()];
    setClock(service);
    await old.run(
      `alter table users add column provider varchar; alter table users add column provider_id varchar;
       update users set provider = 'google', provider_id = '1001' where id = 1;
       ${table};
       insert into social_accounts values (1, 3, 'GitHub', '77'), (2, 4, 'google', '1001'), (3, 4, 'microsoft', 'm-1'), (4, 99, 'google', '5')`,
    );
    const run = (social = new Map<string, string>()) => runImport(service, old, { scopes: mappedScopes, social });
    const { db } = service.context.database;
    const linked = async () =>
      (
        await db
          .selectFrom('identities')
          .innerJoin('users', 'users.id', 'identities.user_id')
          .select(['users.email', 'issuer', 'subject'])
          .orderBy('subject')
          .execute()
      ).map(({ email, issuer, subject }) => `${email} ${issuer} ${subject}`);
    const both = [
      'ada@example.com https://accounts.google.com 1001',
      'alan@example.com https://github.com/login/oauth 77',
    ];

    const first = await run();
    assert.deepEqual(await linked(), both);
    // An identity that does not clearly belong to an account is reported, never guessed.
    assert.match(first.decisions.join('\n'), /belong to two users.*google 1001/);
    assert.match(first.decisions.join('\n'), /"microsoft" were not imported.*users 4/);
    assert.deepEqual((await run()).decisions, first.decisions);
    assert.deepEqual(await linked(), both);

    // An identity that was unlinked here stays unlinked. One that was unlinked there is removed.
    await db.deleteFrom('identities').where('subject', '=', '77').execute();
    await old.run('update users set provider = null, provider_id = null; delete from social_accounts where id > 1');
    assert.deepEqual((await run()).decisions, []);
    assert.deepEqual(await linked(), []);
  });

  it('of users who were deleted here are left out', async () => {
    const [service, old] = [await start({ env }), await make()];
    setClock(service);
    const { db } = service.context.database;
    await old.run(`${table}; insert into social_accounts values (1, 3, 'github', '77')`);
    await runImport(service, old, { scopes: mappedScopes });
    await db.deleteFrom('users').where('email', '=', 'alan@example.com').execute();
    await old.run("insert into social_accounts values (2, 3, 'google', '1003'), (3, 4, 'google', '1004')");
    await runImport(service, old, { scopes: mappedScopes });
    const identities = await db.selectFrom('identities').select('subject').execute();
    assert.deepEqual(identities, [{ subject: '1004' }]);
  });

  it('stay linked if their provider is no longer configured, or if many users are missing', async () => {
    const [database, old] = [await create(), await make()];
    const subjects = async ({ context }: Service) =>
      (await context.database.db.selectFrom('identities').select('subject').execute()).map(({ subject }) => subject);
    const first = await start({ database, env });
    setClock(first);
    const users = Array.from({ length: 60 }, (_, i) => `(${i + 100}, 'U${i}', 'u${i}@example.com', 'x', 1)`);
    await old.run(
      `insert into users (id, name, email, password, is_admin) values ${users.join(', ')};
       ${table}; insert into social_accounts values (1, 3, 'github', '77')`,
    );
    await runImport(first, old, { scopes: mappedScopes });
    assert.deepEqual(await subjects(first), ['77']);
    await first.close();

    const second = await start({ database });
    setClock(second);
    const { decisions } = await runImport(second, old, { scopes: mappedScopes });
    assert.match(decisions.join(), /"github" were not imported/);
    assert.deepEqual(await subjects(second), ['77']);

    await old.run('delete from users where id >= 100; delete from social_accounts');
    assert.match((await runImport(second, old, { scopes: mappedScopes })).decisions.join(), /--confirm-gone/);
    assert.deepEqual(await subjects(second), ['77']);
    await runImport(second, old, { scopes: mappedScopes, confirmGone: true });
    assert.deepEqual(await subjects(second), []);
  });

  it('are linked once if the table has a row twice', async () => {
    const [service, old] = [await start({ env }), await make()];
    setClock(service);
    await old.run(`${table}; insert into social_accounts values (1, 3, 'github', '77'), (2, 3, 'GitHub', '77')`);
    for (let i = 0; i < 2; i++) {
      assert.deepEqual((await runImport(service, old, { scopes: mappedScopes })).decisions, []);
      const identities = await service.context.database.db.selectFrom('identities').select('subject').execute();
      assert.deepEqual(identities, [{ subject: '77' }]);
    }
  });
});
