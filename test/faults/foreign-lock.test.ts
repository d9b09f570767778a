import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { createTestDatabase } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { trials } from '../harness/trial.ts';

const writers = 24;
/** The time limit of a write, plus a margin for a busy machine. */
const limitMs = 5000 + 4000;

describe('A write lock of another program on the SQLite file', () => {
  const begin = trials();

  for (const WORKERS of ['1', '2']) {
    it(`makes every write fail with 503 in time, and blocks no read (WORKERS=${WORKERS})`, async (t) => {
      const database = await createTestDatabase('sqlite');
      t.after(() => database.remove());
      const { oracle, start } = await begin({ DATABASE_URL: database.url });
      const { url } = await start({ WORKERS });
      oracle.begin(writers);
      await oracle.succeeds(50);
      const other = new DatabaseSync(database.url.replace('sqlite:', ''), { timeout: 5000 });
      other.exec('begin immediate');
      const answered = { writes: 0, reads: 0 };
      const slowest = { write: 0, read: 0 };
      const until = performance.now() + 15_000;
      const timed = async (kind: 'write' | 'read', request: () => Promise<{ status: number }>, expected: number) => {
        while (performance.now() < until) {
          const begun = performance.now();
          assert.equal((await request()).status, expected);
          slowest[kind] = Math.max(slowest[kind], performance.now() - begun);
          answered[`${kind}s`]++;
        }
      };
      const json = { email: 'ada@example.com', password: 'a long enough password', name: 'Ada' };
      await Promise.all([
        ...[1, 2, 3, 4].map((n) =>
          timed('write', () => request({ url }, '/v1/register', { json: { ...json, email: `${n}@example.com` } }), 503),
        ),
        timed('read', () => request({ url }, '/.well-known/jwks.json'), 200),
      ]);
      other.exec('rollback');
      other.close();
      await oracle.succeeds(50);
      await oracle.end();
      t.diagnostic(
        `${answered.writes} writes refused, the slowest after ${slowest.write.toFixed(0)} ms; ` +
          `${answered.reads} reads, the slowest after ${slowest.read.toFixed(0)} ms; ${await oracle.check()}`,
      );
      assert.ok(slowest.write < limitMs, String(slowest.write));
    });
  }
});
