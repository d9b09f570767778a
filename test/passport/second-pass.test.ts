import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addClientSecret } from '../../src/oauth/clients/secrets/client-secrets.ts';
import { pruneSessions } from '../../src/oauth/sessions/end-sessions.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { oldDatabases } from './old-database.ts';
import { heldByClients, mappedScopes, refresh, runImport, setClock, whoAmI } from './run-import.ts';

const held = heldByClients('passport10');
const web = { id: '2', secret: held.secretOf('2') };
const idOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as { jti: string }).jti;
const login = held.of('login');
const star = held.of('login_star');

onBothEngines('A second pass', (engine) => {
  const start = services(engine);
  const make = oldDatabases('sqlite');
  const taken = async () => {
    const [service, old] = [await start(), await make()];
    setClock(service);
    await runImport(service, old, { scopes: mappedScopes });
    return { service, old, again: () => runImport(service, old, { scopes: mappedScopes }) };
  };
  const tallyOf = (report: Awaited<ReturnType<typeof runImport>>, table: string) =>
    report.tables.find((one) => one.table === table);

  it('changes nothing if nothing has changed', async () => {
    const { service, again } = await taken();
    const report = await again();
    for (const { taken: fresh, updated, ended, table } of report.tables) {
      assert.deepEqual([fresh, updated, ended], [0, 0, 0], table);
    }
    for (const table of ['roles', 'model_has_roles']) assert.ok((tallyOf(report, table)?.unchanged ?? 0) > 0, table);
    assert.equal((await whoAmI(service, login.access_token)).status, 200);
  });

  it('ends tokens that were revoked or deleted since, each separately', async () => {
    const { service, old, again } = await taken();
    await old.run(`update oauth_access_tokens set revoked = 1 where id = '${idOf(login.access_token)}'`);
    await old.run(`update oauth_refresh_tokens set revoked = 1 where access_token_id = '${idOf(star.access_token)}'`);
    const gone = held.of('refreshed');
    await old.run(`delete from oauth_access_tokens where id = '${idOf(gone.access_token)}'`);
    await old.run(`delete from oauth_refresh_tokens where access_token_id = '${idOf(gone.access_token)}'`);
    const report = await again();
    assert.deepEqual(
      [tallyOf(report, 'oauth_access_tokens')?.ended, tallyOf(report, 'oauth_refresh_tokens')?.ended],
      [2, 2],
    );
    const { status, body } = await whoAmI(service, login.access_token);
    assert.deepEqual([status, body.code], [401, 'token_revoked']);
    // Only the access token was revoked. Passport refreshes such a session, and so does Gatehouse.
    assert.equal((await refresh(service, login.refresh_token as string, web)).status, 200);
    assert.equal((await whoAmI(service, star.access_token)).status, 200);
    assert.equal((await refresh(service, star.refresh_token as string, web)).status, 400);
    assert.equal((await whoAmI(service, gone.access_token)).status, 401);
    assert.equal((await refresh(service, gone.refresh_token as string, web)).status, 400);
  });

  it('recognizes a session whose access token was deleted and restored', async () => {
    const [service, old] = [await start(), await make()];
    setClock(service);
    const again = () => runImport(service, old, { scopes: mappedScopes });
    const isLoginToken = `id = '${idOf(login.access_token)}'`;
    await old.run(`create table kept as select * from oauth_access_tokens where ${isLoginToken};
      delete from oauth_access_tokens where ${isLoginToken}`);
    await again();
    assert.equal((await whoAmI(service, login.access_token)).status, 401);
    await old.run('insert into oauth_access_tokens select * from kept');
    await again();
    assert.equal((await whoAmI(service, login.access_token)).status, 200);
    assert.equal((await refresh(service, login.refresh_token as string, web)).status, 200);
  });

  it('updates users, passwords, roles and clients', async () => {
    const { service, old, again } = await taken();
    const bcrypt = '$2b$04$2l36tI6.pTKUcfgfRlyQN.HLbiuNVfBpPUEWwNOrqHrB1aXr5AQeC';
    await old.run(`update users set email = 'lovelace@example.com', password = '${bcrypt}' where id = 1`);
    await old.run("update users set name = 'Joan Clarke' where id = 4");
    await old.run('delete from model_has_roles');
    await old.run(
      "insert into users (id, name, email, password, is_admin) values (9, 'New', 'new@example.com', 'x', 1)",
    );
    await old.run("update oauth_clients set secret = 'another-secret-of-the-machine' where id = 3");
    const report = await again();
    assert.deepEqual([tallyOf(report, 'users')?.taken, tallyOf(report, 'users')?.updated], [1, 2]);
    const me = await request<{ data: { email: string; roles: string[] } }>(service, '/v1/users/me', {
      token: login.access_token,
    });
    assert.deepEqual([me.body.data.email, me.body.data.roles], ['lovelace@example.com', []]);
    const token = (secret: string) =>
      request(service, '/v1/oauth/token', {
        form: { grant_type: 'client_credentials', client_id: '3', client_secret: secret },
      });
    assert.equal((await token(held.secretOf('3'))).status, 401);
    assert.equal((await token('another-secret-of-the-machine')).status, 200);
  });

  it('ends all access of deleted users, and restores it when they are restored', async () => {
    const { service, old, again } = await taken();
    await old.run('alter table users add column deleted_at datetime');
    await old.run("update users set deleted_at = '2026-11-15 13:00:00' where id = 1");
    await old.run('update oauth_clients set revoked = 1 where id = 3');
    const report = await again();
    assert.equal(tallyOf(report, 'users')?.ended, 1);
    const { taken: added, left } = tallyOf(report, 'model_has_roles') ?? {};
    assert.deepEqual([added, left], [0, { 'its user was deleted there': 1 }]);
    assert.equal((await whoAmI(service, login.access_token)).status, 401);
    assert.equal((await whoAmI(service, held.of('personal').access_token)).status, 401);
    assert.equal((await refresh(service, login.refresh_token as string, web)).status, 400);
    assert.equal((await whoAmI(service, star.access_token)).status, 200);
    const form = { grant_type: 'client_credentials', client_id: '3', client_secret: held.secretOf('3') };
    assert.equal((await request(service, '/v1/oauth/token', { form })).status, 401);
  });

  it('counts the logins that it ends, with their cause', async () => {
    const { service, old } = await taken();
    const options = { scopes: mappedScopes };
    const causesOf = (report: Awaited<ReturnType<typeof runImport>>) =>
      report.signed_out.map(({ cause, people, logins }) => [cause, people, logins]);
    assert.deepEqual(causesOf(await runImport(service, old, options)), []);
    // Live here alone, because the old service does not know the new tokens.
    await refresh(service, login.refresh_token as string, web);
    await old.run('alter table users add column deleted_at datetime');
    await old.run("update users set deleted_at = '2026-11-15 13:00:00' where id = 1");
    await old.run('update oauth_clients set revoked = 1 where id = 2');
    const live = (column: 'user_id' | 'client_id', values: (string | null)[]) =>
      service.context.database.db
        .selectFrom('sessions')
        .select(['id', 'user_id', 'client_id'])
        .where('revoked_at', 'is', null)
        .where(column, 'in', values)
        .execute();
    const { db } = service.context.database;
    const owners = await db.selectFrom('legacy_ids').selectAll().where('source', '=', 'users').execute();
    const newIdOf = (id: string) => owners.find(({ old_id }) => old_id === id)?.new_id ?? '';
    const ofAda = await live('user_id', [newIdOf('1')]);
    const ofWeb = (await live('client_id', ['2'])).filter(({ user_id }) => user_id !== newIdOf('1'));
    const people = new Set(ofWeb.map(({ user_id }) => user_id).filter((id) => id !== null));
    assert.ok(ofAda.length > 1 && people.size > 0);
    const expected = [
      ['their account was deleted in the old service', 1, ofAda.length],
      ['their client was revoked or deleted in the old service', people.size, ofWeb.length],
    ];
    assert.deepEqual(causesOf(await runImport(service, old, { ...options, dryRun: true })), expected);
    assert.deepEqual(causesOf(await runImport(service, old, options)), expected);
    assert.deepEqual(causesOf(await runImport(service, old, options)), []);
  });

  it('counts each login of a user who is locked since once', async () => {
    const { service, old } = await taken();
    // One more login, which is live here alone.
    await refresh(service, login.refresh_token as string, web);
    const { db } = service.context.database;
    const { id } = await db
      .selectFrom('users')
      .select('id')
      .where('email', '=', 'ada@example.com')
      .executeTakeFirstOrThrow();
    const live = await db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', id)
      .where('revoked_at', 'is', null)
      .execute();
    await old.run('alter table users add column locked integer default 0; update users set locked = 1 where id = 1');
    const options = { scopes: mappedScopes, disableWhere: ['locked=1'] };
    const expected = [['their account is locked (--disable-where), or disabled or deleted here', 1, live.length]];
    for (const dryRun of [true, false]) {
      const { signed_out } = await runImport(service, old, { ...options, dryRun });
      assert.deepEqual(
        signed_out.map(({ cause, people, logins }) => [cause, people, logins]),
        expected,
      );
    }
  });

  it('keeps clients whose owner is disabled, and leaves out clients that were deleted or replaced here', async () => {
    const { service, old, again } = await taken();
    const { db } = service.context.database;
    await old.run("update oauth_clients set secret = 'another-secret-of-the-machine' where id = 3");
    const alan = db.selectFrom('users').select('id').where('email', '=', 'alan@example.com');
    const { id: owner } = await alan.executeTakeFirstOrThrow();
    const disable = (disabled: number) => db.updateTable('users').set({ disabled }).where('id', '=', owner).execute();
    await db.updateTable('clients').set({ user_id: owner }).where('id', '=', '3').execute();
    await disable(1);
    await db.deleteFrom('clients').where('id', '=', '1').execute();
    await db.updateTable('clients').set({ type: 'personal' }).where('id', '=', '2').execute();
    const clients = () =>
      db.selectFrom('clients').select(['id', 'type']).where('id', 'in', ['1', '2', '3']).orderBy('id');
    const expected = [
      { id: '2', type: 'personal' },
      { id: '3', type: 'personal' },
    ];
    for (let i = 0; i < 2; i++) {
      const report = await again();
      assert.equal(tallyOf(report, 'oauth_clients')?.ended, 0);
      assert.deepEqual(await clients().execute(), expected);
    }
    await disable(0);
    const form = { grant_type: 'client_credentials', client_id: '3', client_secret: 'another-secret-of-the-machine' };
    assert.equal((await request(service, '/v1/oauth/token', { form })).status, 200);
  });

  it('keeps a secret that was created here, unless the secret in the old service changes', async () => {
    const { service, old, again } = await taken();
    const { context, keys } = service;
    const secret = await context.database.db
      .transaction()
      .execute((tx) => addClientSecret(context, keys, tx, () => undefined, { clientId: '3' }));
    const statusOf = async (client_secret: string) =>
      (
        await request(service, '/v1/oauth/token', {
          form: { grant_type: 'client_credentials', client_id: '3', client_secret },
        })
      ).status;
    await old.run("update oauth_clients set name = 'Renamed' where id = 3");
    assert.equal(tallyOf(await again(), 'oauth_clients')?.updated, 1);
    assert.deepEqual([await statusOf(secret), await statusOf(held.secretOf('3'))], [200, 401]);
    await old.run("update oauth_clients set secret = 'another-secret-of-the-machine' where id = 3");
    await again();
    assert.deepEqual([await statusOf(secret), await statusOf('another-secret-of-the-machine')], [401, 200]);
  });

  it('imports clients of users who were deleted here, without an owner', async () => {
    const { service, old, again } = await taken();
    const { db } = service.context.database;
    await db.deleteFrom('users').where('email', '=', 'alan@example.com').execute();
    await old.run(
      "insert into oauth_clients (id, user_id, name, secret, redirect, personal_access_client, password_client, revoked) values (7, 3, 'Of Alan', 'a secret', '', 0, 0, 0)",
    );
    await again();
    const client = db.selectFrom('clients').select(['name', 'user_id']).where('id', '=', '7');
    assert.deepEqual(await client.executeTakeFirst(), { name: 'Of Alan', user_id: null });
  });

  it('does not change sessions that continued or ended here', async () => {
    const { service, again } = await taken();
    const { body } = await refresh(service, login.refresh_token as string, web);
    assert.equal((await whoAmI(service, body.access_token)).status, 200);
    const out = await request(service, '/v1/logout', { method: 'DELETE', token: star.access_token });
    assert.ok(out.status < 300);
    // Ended sessions are pruned, and must not return with the next pass.
    service.advance(2 * 3_600_000);
    await pruneSessions(service.context);
    await again();
    assert.equal((await whoAmI(service, star.access_token)).status, 401);
    assert.equal((await refresh(service, star.refresh_token as string, web)).status, 400);
    assert.equal((await refresh(service, body.refresh_token, web)).status, 200);
  });

  it('asks before it ends most sessions of a service', async () => {
    const { service, old } = await taken();
    const rows = Array.from({ length: 60 }, (_, i) => `(${i + 100}, 'U${i}', 'u${i}@example.com', 'x', 1)`);
    await old.run(`insert into users (id, name, email, password, is_admin) values ${rows.join(', ')}`);
    await runImport(service, old, { scopes: mappedScopes });
    await old.run('delete from users where id >= 100; delete from oauth_access_tokens');
    const report = await runImport(service, old, { scopes: mappedScopes });
    assert.match(report.decisions.join(), /60 of 64 users.*--confirm-gone/s);
    assert.equal((await whoAmI(service, login.access_token)).status, 200);
    const confirmed = await runImport(service, old, { scopes: mappedScopes, confirmGone: true });
    assert.equal(tallyOf(confirmed, 'users')?.ended, 60);
    assert.equal((await whoAmI(service, login.access_token)).status, 401);
  });
});
