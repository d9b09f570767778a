import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { addUser } from '../../../test/harness/accounts.ts';
import { contexts, type TestContext } from '../../../test/harness/contexts.ts';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { findEmailsOutOfForm } from '../../identity/accounts/email-form-store.ts';
import { readLogin } from '../../identity/accounts/identifiers.ts';
import { findUserByLogin } from '../../identity/accounts/user-store.ts';
import { migrate } from '../migrate.ts';

onBothEngines('bringing stored emails to one form', (engine) => {
  const open = contexts(engine);

  /** As an earlier version left it. */
  async function before(emails: readonly string[]): Promise<{ context: TestContext; ids: string[] }> {
    const context = await open();
    const { db } = context.database;
    await sql`drop index users_email_folded`.execute(db);
    await db.deleteFrom('migrations').where('name', '=', '010-emails-in-one-form').execute();
    const ids: string[] = [];
    for (const email of emails) {
      ids.push((await addUser(context, { email })).id);
      context.advance(1);
    }
    return { context, ids };
  }
  const emailsOf = async ({ database }: TestContext) =>
    (await database.db.selectFrom('users').select('email').orderBy('id').execute()).map(({ email }) => email);
  const find = async ({ database }: TestContext, login: string) =>
    (await findUserByLogin(database.db, readLogin(login, ['email']) ?? assert.fail(login)))?.id;

  it('rewrites hosts, keeps what clashes or is no address, says so, and locks nobody out', async () => {
    const stored = [
      'ada@example.com',
      'post@b\u00fccher.example',
      'c3@example.com',
      'c3@example\u3002com',
      'first@caf\u00e9\u3002example',
      'first@caf\u00e9.example',
      'broken@exam\nple.com',
      'a/b@example.com',
    ];
    const { context, ids } = await before(stored);
    const { db } = context.database;
    const link = { purpose: 'confirm_email', created_at: 1, expires_at: 2, used_at: null } as const;
    await db
      .insertInto('one_time_tokens')
      .values({ ...link, id: 'link', user_id: ids[1] as string, email: stored[1] as string })
      .execute();

    const said: string[] = [];
    assert.deepEqual(await migrate(context.database, context.now, (line) => said.push(line)), [
      '010-emails-in-one-form',
    ]);
    assert.deepEqual(await emailsOf(context), [
      'ada@example.com',
      'post@xn--bcher-kva.example',
      'c3@example.com',
      'c3@example\u3002com',
      'first@xn--caf-dma.example',
      'first@caf\u00e9.example',
      'broken@exam\nple.com',
      'a/b@example.com',
    ]);
    const kept = [ids[3], ids[5], ids[6], ids[7]];
    assert.deepEqual(
      said.map((line) => /user (\S+)/.exec(line)?.[1]),
      kept,
    );
    assert.deepEqual(await findEmailsOutOfForm(db), kept);
    for (const [i, email] of stored.entries()) assert.equal(await find(context, email), ids[i], email);
    assert.equal(await find(context, 'POST@xn--bcher-kva.example'), ids[1]);
    const { email } = await db.selectFrom('one_time_tokens').select('email').executeTakeFirstOrThrow();
    assert.equal(email, 'post@xn--bcher-kva.example');

    assert.deepEqual(await migrate(context.database), []);
  });

  it('goes through any number of users in batches', async () => {
    const { context } = await before([]);
    const rows = Array.from({ length: 2500 }, (_, i) => ({
      id: `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`,
      email: i % 100 === 0 ? `user${i}@b\u00fccher.example` : `user${i}@example.com`,
      password_hash: 'none',
      email_confirmed: 0,
      roles: '[]',
      created_at: 1,
      updated_at: 1,
      version: 1,
    }));
    for (let i = 0; i < rows.length; i += 500) {
      await context.database.db
        .insertInto('users')
        .values(rows.slice(i, i + 500))
        .execute();
    }
    await migrate(context.database);
    assert.deepEqual(await findEmailsOutOfForm(context.database.db), []);
  });
});
