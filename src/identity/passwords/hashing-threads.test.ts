import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, it } from 'node:test';
import type { HashingPriority } from './hashing-thread.ts';
import { HashingThreads } from './passwords.ts';

const job = { kind: 'hash', password: 'correct horse battery' } as const;

/** The 19th value of `stat` (proc(5)). The name before the values may contain spaces and ends with a parenthesis. */
const niceOf = (task: string): number => {
  const stat = readFileSync(`/proc/self/task/${task}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
};

describe('Password hashing threads', () => {
  it('run with the lowest priority, except for one', { skip: process.platform !== 'linux' }, async (test) => {
    // Otherwise it would get idle threads of an earlier service in this process (`quick-threads.ts`).
    process.env.TEST_REAL_PASSWORDS = 'new threads';
    test.after(() => void delete process.env.TEST_REAL_PASSWORDS);
    const tasks = () => readdirSync('/proc/self/task');
    const others = new Set(tasks());
    const threads = new HashingThreads(3);
    try {
      await Promise.all([1, 2, 3].map(() => threads.request(job)));
      const steps = tasks().flatMap((task) => (others.has(task) ? [] : niceOf(task) - getPriority()));
      assert.deepEqual(
        steps.filter((step) => step > 0).sort((a, b) => a - b),
        [5, 15, 15],
      );
    } finally {
      await threads.end();
    }
  });

  it('get fewer passwords if they are slow', async () => {
    const requestCounts: Record<HashingPriority, number> = { low: 0, lowest: 0 };
    const threads = new HashingThreads(2, (priority) => ({
      load: 0,
      async request() {
        requestCounts[priority]++;
        // The thread with the lowest priority is starved.
        const until = performance.now() + (priority === 'low' ? 1 : 100);
        while (performance.now() < until);
        return 'hash';
      },
      end: async () => undefined,
    }));
    while (requestCounts.lowest === 0) await threads.request(job);
    const before = { ...requestCounts };
    for (let n = 0; n < 20; n++) await threads.request(job);
    assert.deepEqual([requestCounts.low - before.low, requestCounts.lowest - before.lowest], [20, 0]);
  });

  it('get no password while they are starved', async () => {
    const done: Record<HashingPriority, (() => void)[]> = { low: [], lowest: [] };
    const threads = new HashingThreads(2, (priority) => ({
      get load() {
        return done[priority].length;
      },
      request: () => new Promise((resolve) => done[priority].push(() => resolve('hash'))),
      end: async () => undefined,
    }));
    const requests = [threads.request(job), threads.request(job)];
    assert.equal(done.lowest.length, 1);
    for (let n = 0; n < 20; n++) {
      // The thread with the lowest priority works on its first password for much longer.
      const until = performance.now() + 2;
      while (performance.now() < until);
      done.low.shift()?.();
      await requests[0];
      requests[0] = threads.request(job);
      assert.equal(done.lowest.length, 1);
    }
    for (const resolve of [...done.low, ...done.lowest]) resolve();
    await Promise.all(requests);
  });
});
