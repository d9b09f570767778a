import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { Problem } from './errors.ts';
import { createKeyedSemaphore } from './keyed-semaphore.ts';

/** A job that runs until it is ended. */
function startedJobs(run: ReturnType<typeof createKeyedSemaphore>) {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string, key = 'a') =>
    run(key, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(name, resolve);
      running.push(name);
      await promise;
      running.splice(running.indexOf(name), 1);
      return name;
    });
  const end = (name: string) => ends.get(name)?.();
  return { running, start, end };
}

const isUnavailable = (error: unknown) => error instanceof Problem && error.status === 503 && error.message === 'Full.';
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('A keyed semaphore', () => {
  it('runs a few jobs of a key at a time, in the order of their arrival', async () => {
    const { running, start, end } = startedJobs(createKeyedSemaphore({ concurrency: 2, maxWaiting: 9 }));
    const jobs = ['1', '2', '3', '4'].map((name) => start(name));
    const other = start('other', 'b');
    await turn();
    assert.deepEqual(running, ['1', '2', 'other']);
    end('2');
    await turn();
    assert.deepEqual(running, ['1', 'other', '3']);
    for (const name of ['1', '3', 'other']) end(name);
    await turn();
    end('4');
    assert.deepEqual(await Promise.all([...jobs, other]), ['1', '2', '3', '4', 'other']);
  });

  it('runs the next job after one that fails', async () => {
    const run = createKeyedSemaphore({ concurrency: 1, maxWaiting: 9 });
    const failed = assert.rejects(
      run('a', () => Promise.reject(new Error('failed'))),
      /failed/,
    );
    assert.equal(await run('a', async () => 'next'), 'next');
    await failed;
  });

  it('rejects a job if too many are waiting', async () => {
    const { start, end } = startedJobs(createKeyedSemaphore({ concurrency: 1, maxWaiting: 1, message: 'Full.' }));
    const jobs = [start('1'), start('2')];
    await assert.rejects(start('3'), isUnavailable);
    end('1');
    await turn();
    const last = start('4');
    end('2');
    await turn();
    end('4');
    assert.deepEqual(await Promise.all([...jobs, last]), ['1', '2', '4']);
  });

  it('rejects a job that has waited too long, which never runs', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const limits = { concurrency: 1, maxWaiting: 9, timeoutMs: 1000, message: 'Full.' };
      const { running, start, end } = startedJobs(createKeyedSemaphore(limits));
      const first = start('1');
      const late = assert.rejects(start('late'), isUnavailable);
      mock.timers.tick(999);
      const second = start('2');
      mock.timers.tick(1);
      await late;
      end('1');
      await first;
      await turn();
      assert.deepEqual(running, ['2']);
      mock.timers.tick(5000);
      end('2');
      assert.equal(await second, '2');
    } finally {
      mock.timers.reset();
    }
  });
});
