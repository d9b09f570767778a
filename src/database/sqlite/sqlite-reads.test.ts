import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Problem } from '../../platform/errors.ts';
import type { Database } from '../database.ts';
import { migrate } from '../migrate.ts';
import type { Reader } from '../reader.ts';
import { openSqlite } from './sqlite.ts';

const endless =
  'with recursive n (i) as (select 1 union all select i + 1 from n where row_walked(1) and i > 0) select max(i) from n';
const count = 'select count(*) as n from throttles where row_walked(1) and count > ?';
const rows = 5000;

const isTooExpensive = (error: unknown) => error instanceof Problem && error.code === 'too_expensive';

describe('Reads of many rows on SQLite', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-reads-'));
  const open: Database[] = [];
  const opened = (seconds: number): Database => {
    const database = openSqlite(join(dir, 'test.db'), seconds);
    open.push(database);
    return database;
  };
  const write = async (database: Database, sql: string, parameters: unknown[]) =>
    (await database.write(sql, parameters)).durable;
  before(async () => {
    const database = opened(60);
    await migrate(database);
    await write(
      database,
      `insert into throttles (key, count, expires_at) with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows}) select 'k' || i, i, 1 from n`,
      [],
    );
  });
  after(async () => {
    for (const database of open) await database.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('run in another thread, with the same result', async () => {
    const database = opened(60);
    const few = database.read<{ key: string }>(
      "select key, count from throttles where row_walked(1) and key = 'k7'",
      [],
    );
    assert.ok(Array.isArray(few), 'short reads run on the main thread');
    assert.deepEqual(few, [{ key: 'k7', count: 7 }]);
    const many = database.read(count, [10]);
    assert.ok(many instanceof Promise, 'long reads run in another thread');
    assert.deepEqual(await many, [{ n: rows - 10 }]);
    assert.deepEqual(await database.readFirst(count, [20]), { n: rows - 20 });
  });

  it('see every write that was acknowledged before', async () => {
    const database = opened(60);
    for (let more = 1; more <= 5; more++) {
      await write(database, 'insert into throttles (key, count, expires_at) values (?, ?, 1)', [`more ${more}`, -more]);
      assert.deepEqual(await database.read(count, [-more - 1]), [{ n: rows + more }]);
    }
    await write(database, 'delete from throttles where count < 0', []);
  });

  /** On a busy machine, the count may reach the time limit of one second too. */
  const readWithRetries = async (database: Database, retries = 10): Promise<unknown> => {
    try {
      return await database.read(count, [0]);
    } catch (error) {
      if (!isTooExpensive(error) || retries === 0) throw error;
      return readWithRetries(database, retries - 1);
    }
  };

  it('end at their time limit, and the thread continues with other reads', async () => {
    const database = opened(1);
    const reads = Array.from({ length: 4 }, () =>
      assert.rejects(async () => database.read(endless, []), isTooExpensive),
    );
    await Promise.all(reads);
    assert.deepEqual(await readWithRetries(database), [{ n: rows }]);
  });

  it('end when their callers have disconnected', async () => {
    const database = opened(600);
    const leaving: (() => void)[] = [];
    const disconnecting: Reader = {
      caller: 'hasty',
      onDisconnect(gone) {
        leaving.push(gone);
        return () => undefined;
      },
    };
    const reads = Array.from({ length: 4 }, () => Promise.resolve(database.read(endless, [], disconnecting)));
    // When this read of another caller is answered, the thread has started the earlier one.
    await database.read(count, [0]);
    for (const leave of leaving) leave();
    for (const read of reads) await assert.rejects(read);
    assert.deepEqual(await database.read(count, [0], disconnecting), [{ n: rows }]);
  });

  it('end when the database is closed', async () => {
    const database = openSqlite(join(dir, 'test.db'), 600);
    const read = Promise.resolve(database.read(endless, []));
    const ended = assert.rejects(read);
    await database.close();
    await ended;
  });

  it('fail like any other read if the SQL is invalid', async () => {
    const database = opened(60);
    await assert.rejects(
      async () => database.read('select * from nothing_here where row_walked(1)', []),
      /no such table/,
    );
  });
});
