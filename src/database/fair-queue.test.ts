import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../platform/errors.ts';
import { FairQueue } from './fair-queue.ts';
import type { Reader } from './reader.ts';

const limits = { concurrency: 2, concurrencyPerCaller: 1, maxWaiting: 4, maxWaitingPerCaller: 3, timeoutSeconds: 60 };
const reader = (caller: string): Reader => ({ caller, onDisconnect: () => () => undefined });

/** A job that the test ends. */
function job(name: string, begun: string[]) {
  const ending = Promise.withResolvers<string>();
  return {
    end: () => ending.resolve(name),
    run(): Promise<string> {
      begun.push(name);
      return ending.promise;
    },
  };
}

const isTooExpensive = (error: unknown) => error instanceof Problem && error.code === 'too_expensive';
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('A fair queue', () => {
  it('runs a job of one caller before the waiting jobs of another', async () => {
    const queue = new FairQueue(limits);
    const begun: string[] = [];
    const [a1, a2, b1] = [job('a1', begun), job('a2', begun), job('b1', begun)];
    const all = [queue.run(reader('a'), a1.run), queue.run(reader('a'), a2.run), queue.run(reader('b'), b1.run)];
    assert.deepEqual(begun, ['a1', 'b1']);
    a1.end();
    await turn();
    assert.deepEqual(begun, ['a1', 'b1', 'a2']);
    for (const each of [a2, b1]) each.end();
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'b1']);
  });

  it('serves callers in turn, regardless of how many jobs each has waiting', async () => {
    const queue = new FairQueue({ ...limits, concurrency: 1 });
    const begun: string[] = [];
    const jobs = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => ({ caller: name.charAt(0), ...job(name, begun) }));
    const all = jobs.map(({ caller, run }) => queue.run(reader(caller), run));
    for (const each of jobs) each.end();
    await Promise.all(all);
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  it('refuses too many jobs of one caller, and of all callers together', async () => {
    const queue = new FairQueue(limits);
    const begun: string[] = [];
    const jobs = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map((name) => ({ caller: name.charAt(0), ...job(name, begun) }));
    const all = jobs.map(({ caller, run }) => queue.run(reader(caller), run));
    await assert.rejects(queue.run(reader('a'), job('a5', begun).run), isTooExpensive);
    await assert.rejects(queue.run(reader('b'), job('b3', begun).run), isTooExpensive);
    for (const each of jobs) each.end();
    assert.equal((await Promise.all(all)).length, 6);
    const last = job('a6', begun);
    last.end();
    assert.equal(await queue.run(reader('a'), last.run), 'a6');
  });

  it('aborts a waiting or running job at its time limit, and frees its place when it has ended', async () => {
    const queue = new FairQueue({ ...limits, concurrency: 1, timeoutSeconds: 0.01 });
    const begun: string[] = [];
    const signals: AbortSignal[] = [];
    const slow = job('slow', begun);
    const running = queue.run(reader('a'), (signal) => {
      signals.push(signal);
      return slow.run();
    });
    const waiting = queue.run(reader('b'), job('waiting', begun).run);
    await assert.rejects(running, isTooExpensive);
    await assert.rejects(waiting, isTooExpensive);
    assert.equal(signals[0]?.aborted, true);
    const next = job('next', begun);
    await assert.rejects(queue.run(reader('b'), next.run), isTooExpensive);
    assert.deepEqual(begun, ['slow']);
    slow.end();
    await turn();
    next.end();
    assert.equal(await queue.run(reader('b'), next.run), 'next');
  });

  it('aborts a job whose caller has disconnected', async () => {
    const queue = new FairQueue({ ...limits, concurrency: 1 });
    const begun: string[] = [];
    const leaving: (() => void)[] = [];
    const disconnecting: Reader = {
      caller: 'a',
      onDisconnect(gone) {
        leaving.push(gone);
        return () => undefined;
      },
    };
    const signals: AbortSignal[] = [];
    const slow = job('slow', begun);
    const running = queue.run(disconnecting, (signal) => {
      signals.push(signal);
      return slow.run();
    });
    const waiting = queue.run(disconnecting, job('waiting', begun).run);
    for (const leave of leaving) leave();
    await assert.rejects(running);
    await assert.rejects(waiting);
    assert.equal(signals[0]?.aborted, true);
    slow.end();
    await turn();
    assert.deepEqual(begun, ['slow']);
    assert.equal(queue.waiting, 0);
  });
});
