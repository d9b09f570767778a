import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CommitCounts } from '../database.ts';
import { migrate } from '../migrate.ts';
import { openSqlite } from './sqlite.ts';

describe('SQLite', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-sqlite-'));
  const database = openSqlite(join(dir, 'test.db'), 5);
  after(async () => {
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const changesNow = () => (database.changes() as CommitCounts | undefined) ?? assert.fail();
  const throttle = (key: string) => ({ key, count: 1, expires_at: 1 });
  const keys = async () => {
    const rows = await database.db.selectFrom('throttles').select('key').orderBy('key').execute();
    return rows.map(({ key }) => key);
  };

  it('runs reads during an open transaction, and shows them only committed data', async () => {
    await migrate(database);
    await database.db.transaction().execute(async (tx) => {
      await tx.insertInto('throttles').values(throttle('a')).execute();
      assert.deepEqual(await keys(), []);
    });
    assert.deepEqual(await keys(), ['a']);
  });

  it('combines concurrent writes in one transaction, and each can fail alone', async () => {
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

  it('shows a write to every later read, although reads of one turn share a snapshot', async () => {
    const before = await keys();
    const write = database.db.insertInto('throttles').values(throttle('f')).execute();
    const beside = keys();
    await write;
    assert.deepEqual(database.read('select key from throttles order by key', []), [
      ...before.map((key) => ({ key })),
      { key: 'f' },
    ]);
    await beside;
  });

  it('shows writes of another process after a notification', async () => {
    const file = join(dir, 'test.db');
    let notifications = 0;
    database.bus.subscribe(() => notifications++);
    const count = () =>
      (database.read<{ n: number }>('select count(*) as n from throttles', []) as { n: number }[])[0]?.n;
    await new Promise((resolve) => setImmediate(resolve));
    const before = count() ?? 0;
    // In the same turn: the snapshot was taken above, and this commit is newer.
    const other = new DatabaseSync(file);
    other.exec("insert into throttles (key, count, expires_at) values ('g', 1, 1)");
    other.close();
    assert.equal(count(), before);
    assert.equal(database.bus.isCacheUsable(), true);
    assert.equal(notifications, 1);
    assert.equal(count(), before + 1);
  });

  it('does not use a snapshot from before a request', async () => {
    const count = () => (database.read('select count(*) as n from throttles', []) as { n: number }[])[0]?.n as number;
    const elsewhere = (sql: string) => {
      const other = new DatabaseSync(join(dir, 'test.db'));
      other.exec(sql);
      other.close();
    };
    // Code after a commit continues in the phase of immediates. A snapshot of a read in that phase would still be open for the next
    // requests.
    await new Promise((resolve) => setImmediate(resolve));
    database.bus.isCacheUsable();
    const before = count();
    elsewhere("insert into throttles (key, count, expires_at) values ('h', 1, 1)");
    const { generation: foreign } = changesNow();
    database.bus.endSnapshot();
    assert.equal(count(), before + 1);
    assert.equal(changesNow().generation, foreign + 1);
  });

  it('counts rows when they change and again when they are committed', async () => {
    const changes = () => changesNow().changeCount;
    const before = changes();
    const deleting = database.db.transaction().execute(async (tx) => {
      await tx.deleteFrom('throttles').execute();
      return changes();
    });
    const rows = (await keys()).length;
    const during = await deleting;
    assert.ok(rows > 2 && during >= before + rows, 'after the change');
    assert.ok(changes() >= during + rows, 'after the commit');
  });

  it('starts the write-ahead log anew while requests read in every turn', async () => {
    for (let i = 0; i < 600; i++) {
      await nextTurn();
      const written = database.write(
        `insert into throttles (key, count, expires_at) values (hex(zeroblob(10000)) || ${i}, 1, 1)`,
        [],
      );
      // Opens a snapshot between the write and its commit.
      await database.read('select count(*) as rows from throttles', []);
      await (await written).durable;
    }
    const { size } = statSync(join(dir, 'test.db-wal'));
    assert.ok(size < 10_000_000, `${size} bytes`);
  });
});
