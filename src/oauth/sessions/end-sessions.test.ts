import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { addClient, addUser } from '../../../test/harness/accounts.ts';
import { contexts, type TestContext } from '../../../test/harness/contexts.ts';
import { createSessions } from '../../../test/harness/create-sessions.ts';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { openSession, refreshSession } from '../../../test/harness/sessions.ts';
import { commitAndInvalidate } from '../../database/bus.ts';
import { openKeyRing } from '../../database/keys/key-ring.ts';
import { systemSource as source } from '../../http/request-source.ts';
import { endSessions, pruneSessions } from './end-sessions.ts';

async function stage(context: TestContext) {
  const keys = await openKeyRing(context);
  const { id: userId } = await addUser(context);
  const { id: clientId } = await addClient({ context, keys }, { type: 'password' });
  const { sessions } = createSessions(context, keys);
  const open = () => openSession({ context, sessions }, { userId, clientId, scopes: ['*'], source });
  return {
    context,
    open,
    async refresh(session: Awaited<ReturnType<typeof open>>) {
      const refreshToken = sessions.makeRefreshToken(session);
      return (await refreshSession(sessions, { refreshToken, clientId, source })).session;
    },
    end: (sessionId: string) =>
      commitAndInvalidate(context.database, (tx, invalidate) =>
        endSessions(sessions, tx, invalidate, { sessionId }, 'test'),
      ),
  };
}

onBothEngines('Sessions', (engine) => {
  const make = contexts(engine);

  it('are pruned in batches, and only if they have ended or expired', async () => {
    const on = await stage(await make());
    const { db } = on.context.database;
    const old = await Promise.all(Array.from({ length: 450 }, () => on.open()));
    on.context.advance(on.context.config.refreshTokenTtl * 1000);
    const ended = await on.open();
    await on.end(ended.id);
    on.context.advance(3_600_001);
    const live = await on.open();
    assert.equal(await pruneSessions(on.context), old.length + 1);
    assert.deepEqual(await db.selectFrom('sessions').select('id').execute(), [{ id: live.id }]);
  });

  it('are pruned when they expire after a refresh, and not before', async () => {
    const on = await stage(await make());
    const { db } = on.context.database;
    const ttl = on.context.config.refreshTokenTtl * 1000;
    const first = await on.open();
    on.context.advance(ttl - 1000);
    const second = await on.refresh(first);
    on.context.advance(2000);
    assert.equal(await pruneSessions(on.context), 0);
    const [row] = await db.selectFrom('sessions').select(['id', 'prune_at', 'expires_at']).execute();
    assert.deepEqual([row?.id, row?.prune_at], [second.id, row?.expires_at]);
    on.context.advance(ttl);
    assert.equal(await pruneSessions(on.context), 1);
  });

  it('are pruned in batches that also contain refreshed sessions', async () => {
    const on = await stage(await make());
    const { db } = on.context.database;
    const ttl = on.context.config.refreshTokenTtl * 1000;
    const opened = await Promise.all(Array.from({ length: 240 }, () => on.open()));
    on.context.advance(ttl - 1000);
    const kept = opened.filter((_, i) => i % 2 === 0);
    for (const session of kept) await on.refresh(session);
    on.context.advance(2000);
    assert.equal(await pruneSessions(on.context), 120);
    const left = await db.selectFrom('sessions').select('id').orderBy('id').execute();
    assert.deepEqual(
      left.map(({ id }) => id),
      kept.map(({ id }) => id).sort(),
    );
    assert.equal(await pruneSessions(on.context), 0);
  });

  it('are pruned at their end if a refresh has moved it forward', async () => {
    const on = await stage(await make());
    const ttl = on.context.config.refreshTokenTtl * 1000;
    const imported = await on.open();
    const year = { expires_at: on.context.now() + 12 * ttl, prune_at: on.context.now() + 12 * ttl };
    await on.context.database.db.updateTable('sessions').set(year).execute();
    await on.refresh(imported);
    assert.equal(await pruneSessions(on.context), 0);
    on.context.advance(ttl + 1);
    assert.equal(await pruneSessions(on.context), 1);
  });

  it('change no indexed column when they are refreshed', async () => {
    const on = await stage(await make());
    const { db } = on.context.database;
    const read = () => db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    const session = await on.open();
    const before = await read();
    on.context.advance(1000);
    await on.refresh(session);
    const after = await read();
    const changed = Object.keys(after).filter((name) => after[name as 'id'] !== before[name as 'id']);
    assert.ok(changed.includes('expires_at'));
    const indexedColumns =
      engine === 'sqlite'
        ? sql<{
            name: string;
          }>`select column.name from pragma_index_list('sessions') as list, pragma_index_info(list.name) as column`
        : sql<{ name: string }>`select attname as name from pg_index join pg_attribute on attrelid = indexrelid
            where indrelid = 'sessions'::regclass`;
    const indexed = (await indexedColumns.execute(db)).rows.map(({ name }) => name);
    assert.ok(indexed.includes('prune_at'));
    assert.deepEqual(
      changed.filter((name) => indexed.includes(name)),
      [],
    );
  });
});
