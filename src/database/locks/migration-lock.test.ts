import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { contexts } from '../../../test/harness/contexts.ts';
import { withMigrationLock } from './migration-lock.ts';

describe('A migration on PostgreSQL', () => {
  const make = contexts('postgres');

  it('does not block other users of the table, even if a transaction stays open', async () => {
    const { database, testDatabase } = await make();
    const [holder, reader] = [0, 1].map(() => new pg.Client({ connectionString: testDatabase.url })) as [
      pg.Client,
      pg.Client,
    ];
    await Promise.all([holder.connect(), reader.connect()]);
    try {
      await holder.query('begin');
      await holder.query('select 1 from users');
      let begun: () => void = () => undefined;
      const waiting = new Promise<void>((resolve) => {
        begun = resolve;
      });
      let attempts = 0;
      const changed = withMigrationLock(database, async (tx) => {
        attempts++;
        begun();
        await sql`alter table users add column of_a_test integer`.execute(tx);
      });
      await waiting;
      // This read waits behind the migration, which waits for the holder. Both wait forever unless the migration gives up.
      while (attempts < 2) await reader.query('select count(*) from users');
      await holder.query('commit');
      await changed;
      assert.ok(attempts > 1);
      await reader.query('select of_a_test from users');
    } finally {
      await Promise.all([holder.end(), reader.end()]);
    }
  });

  it('runs on one instance at a time', async () => {
    const { database } = await make();
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 4 }, () =>
        withMigrationLock(database, async (tx) => {
          most = Math.max(most, ++inside);
          await sql`select pg_sleep(0.02)`.execute(tx);
          inside--;
        }),
      ),
    );
    assert.equal(most, 1);
  });
});
