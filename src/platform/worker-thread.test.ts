import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMainThread, threadId } from 'node:worker_threads';
import { serveRequests, WorkerThread } from './worker-thread.ts';

const start = (idleMs?: number) =>
  new WorkerThread<number, number>('worker-thread.test', import.meta.url, idleMs === undefined ? {} : { idleMs });

/** This file is the thread's script, too. */
function doubles(): void {
  serveRequests((number: number): number => {
    if (number === 13) throw new Error('not that one');
    if (number === 66) process.exit(1);
    if (number === 0) return threadId;
    return number * 2;
  });
}

function tests(): void {
  it('answers each request with its own response', async () => {
    const thread = start();
    const responses = [1, 2, 3, 4].map((number) => thread.request(number));
    assert.equal(thread.load, 4);
    assert.deepEqual(await Promise.all(responses), [2, 4, 6, 8]);
    assert.equal(thread.load, 0);
  });

  it('fails one request and answers the next', async () => {
    const thread = start();
    await assert.rejects(thread.request(13), /not that one/);
    assert.equal(await thread.request(4), 8);
  });

  it('ends when it is idle, and is replaced at the next request', async () => {
    const thread = start(1);
    const first = await thread.request(0);
    let next = first;
    // The timer of one millisecond ends the thread at some time between two requests.
    while (next === first) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      next = await thread.request(0);
    }
    assert.notEqual(next, first);
  });

  it('fails the waiting requests when it crashes, and is replaced', async () => {
    const thread = start();
    const results = await Promise.allSettled([thread.request(66), thread.request(2)]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await thread.request(5), 10);
  });
}

if (isMainThread) describe('A worker thread', tests);
else doubles();
