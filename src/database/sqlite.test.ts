import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { migrate } from './migrate.ts';
import { openSqlite } from './sqlite.ts';

describe('SQLite', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-sqlite-'));
  const database = openSqlite(join(dir, 'test.db'));
  after(async () => {
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const throttle = (key: string) => ({ key, count: 1, expires_at: 1 });
  const keys = async () => {
    const rows = await database.db.selectFrom('throttles').select('key').orderBy('key').execute();
    return rows.map(({ key }) => key);
  };

  it('lets reads pass a transaction that is open, and shows them only what is committed', async () => {
    await migrate(database);
    await database.db.transaction().execute(async (tx) => {
      await tx.insertInto('throttles').values(throttle('a')).execute();
      assert.deepEqual(await keys(), []);
    });
    assert.deepEqual(await keys(), ['a']);
  });

  it('takes writes that arrive together into one transaction, each failing alone', async () => {
    const results = await Promise.allSettled(
      ['b', 'a', 'c'].map((key) => database.db.insertInto('throttles').values(throttle(key)).execute()),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await keys(), ['a', 'b', 'c']);
    const beside = database.db.insertInto('throttles').values(throttle('d')).execute();
    const undone = database.db.transaction().execute(async (tx) => {
      await tx.insertInto('throttles').values(throttle('e')).execute();
      throw new Error('no');
    });
    await assert.rejects(undone, /no/);
    await beside;
    assert.deepEqual(await keys(), ['a', 'b', 'c', 'd']);
  });
});
