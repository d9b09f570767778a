import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../../platform/errors.ts';
import { type HashingLane, HashingQueue } from './hashing-queue.ts';

/** A queue that runs one job at a time. The test ends the first job when all others are waiting. */
function busyQueue(waiting: number) {
  const figures: number[] = [];
  const queue = new HashingQueue({ running: 1, waiting }, (jobs) => figures.push(jobs));
  const order: string[] = [];
  const refused: string[] = [];
  let release = () => {};
  const jobs: Promise<void>[] = [
    queue.run('sign-in', 'first', () => new Promise<void>((resolve) => (release = resolve))),
  ];
  const join = (lane: HashingLane, source: string, name = source) => {
    const job = queue.run(lane, source, async () => void order.push(name));
    jobs.push(
      job.catch((error) => {
        assert.ok(error instanceof Problem && error.status === 503 && Number(error.headers['Retry-After']) > 0);
        refused.push(name);
      }),
    );
  };
  const settle = async () => {
    release();
    await Promise.all(jobs);
    return order;
  };
  return { join, settle, refused, figures };
}

describe('The hashing queue', () => {
  it('lets a limited number of jobs wait, and refuses the rest immediately with Retry-After', async () => {
    const { join, settle, refused, figures } = busyQueue(1);
    join('sign-in', 'a', 'second');
    join('sign-in', 'a', 'third');
    assert.deepEqual(await settle(), ['second']);
    assert.deepEqual(refused, ['third']);
    assert.equal(Math.max(...figures), 2);
    assert.equal(figures.at(-1), 0);
  });

  it('serves sources in turn: a new source waits for at most one job of a flooding source', async () => {
    const { join, settle } = busyQueue(200);
    for (let i = 0; i < 100; i++) join('sign-in', 'storm');
    join('sign-in', 'quiet');
    join('sign-in', 'other');
    const order = await settle();
    assert.ok(order.indexOf('quiet') <= 1 && order.indexOf('other') <= 2, String(order.slice(0, 4)));
    assert.equal(order.length, 102);
  });

  it('runs sign-ins first, but starves no other job', async () => {
    const { join, settle } = busyQueue(200);
    for (let i = 0; i < 50; i++) join('other', `register${i}`, 'register');
    for (let i = 0; i < 10; i++) join('sign-in', `sign in ${i}`, 'sign-in');
    const order = await settle();
    assert.ok(order.lastIndexOf('sign-in') <= 12, String(order.slice(0, 14)));
    assert.ok(order.indexOf('register') <= 4);
  });

  it('refuses the newest job of the longest line when it is full', async () => {
    const { join, settle, refused } = busyQueue(10);
    for (let i = 0; i < 10; i++) join('other', 'storm', `storm ${i}`);
    join('other', 'quiet');
    join('other', 'storm', 'storm 10');
    join('sign-in', 'storm', 'sign-in');
    const order = await settle();
    assert.deepEqual(refused.sort(), ['storm 10', 'storm 9']);
    assert.equal(order[0], 'sign-in');
    assert.ok(order.includes('quiet'));
  });

  it('has room as long as a new source would be served, even during a flood from one network', async () => {
    const queue = new HashingQueue({ running: 1, waiting: 2 });
    const { promise, resolve } = Promise.withResolvers<void>();
    const join = (source: string) => queue.run('sign-in', source, () => promise).catch(() => undefined);
    const jobs = ['storm', 'storm', 'storm'].map(join);
    assert.equal(queue.hasRoom, true, 'a job of the flooding source would be refused instead');
    jobs.push(join('quiet'));
    assert.equal(queue.hasRoom, false);
    resolve();
    await Promise.all(jobs);
    assert.equal(queue.hasRoom, true);
  });

  it('continues after a failed job', async () => {
    const queue = new HashingQueue({ running: 1, waiting: 5 });
    const failing = queue.run('other', 'a', async () => {
      throw new Error('broken');
    });
    const next = queue.run('other', 'a', async () => 'fine');
    await assert.rejects(failing, /broken/);
    assert.equal(await next, 'fine');
  });
});
