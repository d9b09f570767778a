import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { SharedCommits } from './shared-commits.ts';

const dir = mkdtempSync(join(tmpdir(), 'gatehouse-commits-'));
let files = 0;

/** Opens a file that counts its commits, and a second connection that sees only committed data. */
function open(timeoutMs?: number, clock = () => performance.now()) {
  const path = join(dir, `${files++}.db`);
  const file = new DatabaseSync(path, { timeout: 0 });
  file.exec('pragma journal_mode = wal; create table rows (n integer primary key)');
  let committed = 0;
  const other = new DatabaseSync(path, { timeout: 0 });
  const commits = new SharedCommits(file, { afterCommit: () => committed++, timeoutMs, clock });
  return {
    file,
    other,
    commits,
    write: async (job: () => void) => (await commits.run(job)).durable,
    insert: (n: number) => void file.prepare('insert into rows values (?)').run(n),
    seen: () =>
      other
        .prepare('select n from rows order by n')
        .all()
        .map(({ n }) => n as number),
    count: () => committed,
  };
}

describe('Shared commits', () => {
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('call a listener directly before they wait for the disk', async () => {
    const file = new DatabaseSync(join(dir, 'before.db'));
    file.exec('pragma journal_mode = wal; create table rows (n integer primary key)');
    const open: boolean[] = [];
    const commits = new SharedCommits(file, { beforeCommit: () => open.push(file.isTransaction) });
    await (await commits.run(() => void file.prepare('insert into rows values (1)').run())).durable;
    assert.deepEqual(open, [true]);
    file.close();
  });

  it('return the result of a job immediately, and report when it is on disk', async () => {
    const { commits, insert, seen } = open();
    const { result, durable } = await commits.run(() => {
      insert(1);
      return 'inserted';
    });
    assert.deepEqual([result, seen()], ['inserted', []]);
    await durable;
    assert.deepEqual(seen(), [1]);
  });

  it('commit concurrent writes once, and report no write before the commit', async () => {
    const { write, insert, seen, count } = open();
    const seenAtEnd = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => write(() => insert(n)).then(() => seen().includes(n))),
    );
    assert.deepEqual(seenAtEnd, [true, true, true, true, true]);
    assert.equal(count(), 1);
  });

  it('undo only the failed job', async () => {
    const { write, insert, seen } = open();
    const results = await Promise.allSettled([write(() => insert(1)), write(() => insert(1)), write(() => insert(2))]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(seen(), [1, 2]);
  });

  it('fail every job of a failed commit, and continue with the next', async () => {
    const { write, file, insert, seen } = open();
    const results = Promise.allSettled([
      write(() => insert(1)),
      write(() => {
        insert(2);
        // Like an I/O error: SQLite rolls the transaction back without a call of ours.
        file.exec('rollback');
        throw new Error('disk I/O error');
      }),
    ]);
    assert.deepEqual(
      (await results).map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await write(() => insert(3));
    assert.deepEqual(seen(), [3]);
  });

  it('wait for another writing process without blocking this one', async () => {
    const { write, insert, other, seen } = open();
    other.exec('begin immediate; insert into rows values (100)');
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 1);
    const writing = write(() => insert(1));
    const waitForTicks = async () => {
      while (ticks < 10) await new Promise((resolve) => setImmediate(resolve));
    };
    await waitForTicks();
    other.exec('commit');
    await writing;
    clearInterval(ticking);
    assert.deepEqual(seen(), [1, 100]);
  });

  it('time out for all waiting jobs at the same time, not one after another', async () => {
    const { write, insert, other } = open(20);
    other.exec('begin immediate');
    let refused = 0;
    const refuse = (error: { status?: number; errcode?: number }) => {
      assert.ok(error.status === 503 || error.errcode === 5, String(error));
      refused++;
    };
    const writes = [1, 2, 3, 4, 5].map((n) => write(() => insert(n)).catch(refuse));
    await writes[0];
    await new Promise((resolve) => setImmediate(resolve));
    other.exec('rollback');
    assert.equal(refused, 5);
  });

  it('time out if another process never finishes, and let the next job try', async () => {
    const { write, insert, other, seen } = open(20);
    other.exec('begin immediate');
    await assert.rejects(
      write(() => insert(1)),
      { errcode: 5 },
    );
    other.exec('rollback');
    await write(() => insert(2));
    assert.deepEqual(seen(), [2]);
  });

  describe('of many writes', () => {
    /** Each write takes a millisecond, and other requests take `othersMs` in each turn. The test counts the turns of the event loop. */
    const openSlow = (othersMs = 0) => {
      let now = 0;
      const opened = open(undefined, () => now);
      const turns: number[] = [];
      let turn = 0;
      const count = () => {
        turn++;
        now += othersMs;
        counting = setImmediate(count);
      };
      let counting = setImmediate(count);
      const write = (n: number) =>
        opened.write(() => {
          opened.insert(n);
          now += 1;
          turns.push(turn);
        });
      return { ...opened, write, turns, pass: () => now++, end: () => clearImmediate(counting) };
    };

    it('let other requests run in between', async () => {
      const { write, turns, count, end } = openSlow();
      await Promise.all([1, 2, 3, 4, 5].map(write));
      end();
      assert.equal(new Set(turns).size, 5);
      assert.equal(count(), 1);
    });

    it('get a quarter of the time that other requests take, so that many reads do not delay them', async () => {
      const { write, turns, count, end } = openSlow(10);
      await Promise.all(Array.from({ length: 7 }, (_, n) => write(n)));
      end();
      assert.equal(new Set(turns).size, 3);
      assert.equal(count(), 1);
    });

    it('do not wait for later writes', async () => {
      const { write, seen, end } = openSlow();
      const first = [1, 2, 3].map(write);
      await new Promise((resolve) => setImmediate(resolve));
      const later = write(4);
      await first[2];
      assert.deepEqual(seen(), [1, 2, 3]);
      await later;
      end();
      assert.deepEqual(seen(), [1, 2, 3, 4]);
    });

    it('continue after a job that took several turns and more than its share', async () => {
      const { commits, pass, write, seen, end } = openSlow();
      await commits.waitForTurn();
      for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
      pass();
      const left = commits.finishJob();
      const next = write(1);
      await Promise.all([left, next]);
      end();
      assert.deepEqual(seen(), [1]);
    });
  });

  it('are drained when no job is running', async () => {
    const { write, commits, insert, seen } = open();
    const writes = [1, 2, 3].map((n) => write(() => insert(n)));
    await commits.waitUntilIdle();
    assert.deepEqual(seen(), [1, 2, 3]);
    await Promise.all(writes);
  });

  it('keep all successful jobs and no failed ones, in any order of events', async () => {
    const step = fc.record({ fails: fc.boolean(), steps: fc.nat(3), pause: fc.nat(2), took: fc.nat(1) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (jobs) => {
        let now = 0;
        const { file, commits, insert, seen } = open(undefined, () => now);
        const outcomes = await Promise.all(
          jobs.map(async ({ fails, steps, pause, took }, n) => {
            for (let i = 0; i < pause; i++) await new Promise((resolve) => setImmediate(resolve));
            await commits.waitForTurn();
            file.exec('savepoint job');
            insert(n);
            now += took;
            for (let i = 0; i < steps; i++) await new Promise((resolve) => setImmediate(resolve));
            if (fails) {
              file.exec('rollback to job; release job');
              commits.abandonJob();
              return false;
            }
            file.exec('release job');
            await commits.finishJob();
            assert.ok(seen().includes(n), 'a job is reported only when it is durable');
            return true;
          }),
        );
        assert.deepEqual(
          seen(),
          outcomes.flatMap((kept, n) => (kept ? [n] : [])),
        );
      }),
      { numRuns: 40 },
    );
  });
});
