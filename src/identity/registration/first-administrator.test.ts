import assert from 'node:assert/strict';
import { it } from 'node:test';
import { contexts } from '../../../test/harness/contexts.ts';
import { databases, onBothEngines } from '../../../test/harness/engines.ts';
import type { Context } from '../../database/context.ts';
import { createServices } from '../../main/services.ts';
import { createPasswords } from '../passwords/passwords.ts';
import { ensureFirstAdministrator } from './first-administrator.ts';

onBothEngines('The first administrator', (engine) => {
  const createContext = contexts(engine);
  const createDatabase = databases(engine);
  const ensure = async (context: Context) => {
    const { accounts, endThreads } = await createServices(context);
    return ensureFirstAdministrator(accounts).finally(endThreads);
  };
  const users = (context: Context) => context.database.db.selectFrom('users').selectAll().execute();

  it('gets a random password that the database does not contain', async () => {
    const context = await createContext({ env: { ADMIN_EMAIL: 'Boss@Example.com' } });
    const created = await ensure(context);
    assert.equal(created?.email, 'Boss@example.com');
    const password = created?.password ?? '';
    assert.ok(password.length >= 20);
    const [user, ...others] = await users(context);
    assert.deepEqual(others, []);
    assert.equal(user?.roles, '["admin"]');
    assert.equal(user?.email_confirmed, 1);
    assert.equal(await createPasswords(context).verify(password, user?.password_hash ?? ''), true);
    assert.doesNotMatch(JSON.stringify(await users(context)), new RegExp(password));
    assert.equal(await ensure(context), undefined, 'created only once');
  });

  it('gets the configured password, which is not printed', async () => {
    const context = await createContext({ env: { ADMIN_PASSWORD: 'correct horse battery' } });
    assert.deepEqual(await ensure(context), { email: 'admin@localhost', isNew: true });
    const [user] = await users(context);
    assert.equal(await createPasswords(context).verify('correct horse battery', user?.password_hash ?? ''), true);
  });

  it('is not created if another administrator exists, even with another email', async () => {
    const context = await createContext({ env: { ADMIN_EMAIL: 'first@example.com' } });
    await ensure(context);
    const renamed = { ...context, config: { ...context.config, adminEmail: 'second@example.com' } };
    assert.equal(await ensure(renamed), undefined);
    assert.equal((await users(context)).length, 1);
  });

  it('is created once by two instances that start together', async () => {
    const database = await createDatabase();
    const one = await createContext({ database });
    const two = engine === 'postgres' ? await createContext({ database }) : one;
    const created = await Promise.all([ensure(one), ensure(two)]);
    assert.equal(created.filter(Boolean).length, 1);
    assert.equal((await users(one)).length, 1);
  });

  it('stops the start if the settings are invalid', async () => {
    const weak = await createContext({ env: { ADMIN_PASSWORD: 'password1' } });
    await assert.rejects(ensure(weak), { name: 'OperatorError', message: /ADMIN_PASSWORD is a common password/ });
    const odd = createContext({ env: { ADMIN_EMAIL: 'a@b_c' } });
    await assert.rejects(odd, { name: 'OperatorError', message: /ADMIN_EMAIL/ });
    const ordinary = await createContext({ env: { ADMIN_EMAIL: 'ada@example.com' } });
    await ensure(ordinary);
    await ordinary.database.db.updateTable('users').set({ roles: '[]' }).execute();
    await assert.rejects(ensure(ordinary), { name: 'OperatorError', message: /belongs to an ordinary user/ });
    assert.equal((await users(weak)).length, 0);
  });
});
