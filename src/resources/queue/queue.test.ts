import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { after, it, mock } from 'node:test';
import { fileURLToPath } from 'node:url';
import { contexts, type TestContext } from '../../../test/harness/contexts.ts';
import { databases, onBothEngines } from '../../../test/harness/engines.ts';
import { openKeyRing } from '../../database/keys/key-ring.ts';
import type { Job } from './job.ts';
import { leaseDueJobs, retryJob } from './job-store.ts';
import { Queue } from './queue.ts';

const dying = fileURLToPath(new URL('../../../test/harness/dying-queue.ts', import.meta.url));

onBothEngines('The queue', (engine) => {
  const context = contexts(engine);
  const database = databases(engine);
  const queues: Queue[] = [];
  after(async () => {
    for (const queue of queues) await queue.stop();
  });
  const open = async (on: TestContext): Promise<Queue> => {
    const queue = new Queue(on, await openKeyRing(on));
    queues.push(queue);
    return queue;
  };
  const rows = ({ database: { db } }: TestContext) => db.selectFrom('queued_jobs').selectAll().orderBy('id').execute();

  it('runs committed jobs immediately, and no job of a transaction that was rolled back', async () => {
    const on = await context();
    const queue = await open(on);
    const done: unknown[] = [];
    let begun: () => void = () => undefined;
    const beginning = new Promise<void>((resolve) => {
      begun = resolve;
    });
    queue.handle('greet', ({ data }) => {
      done.push(data);
      begun();
    });
    const { db } = on.database;
    await assert.rejects(
      db.transaction().execute(async (tx) => {
        await queue.enqueue(tx, { name: 'greet', data: 'undone' });
        throw new Error('undone');
      }),
      /undone/,
    );
    assert.deepEqual(await rows(on), []);
    // No interval runs, so only the commit can start the job.
    mock.timers.enable({ apis: ['setInterval'] });
    queue.start();
    mock.timers.reset();
    await db.transaction().execute((tx) => queue.enqueue(tx, { name: 'greet', data: { to: 'Ada' } }));
    await beginning;
    await queue.runDueJobs();
    assert.deepEqual(done, [{ to: 'Ada' }]);
    assert.deepEqual(await rows(on), [], 'a finished job is deleted');
  });

  it('runs a job that becomes due at any moment of a pass', async () => {
    const on = await context();
    const queue = await open(on);
    let done = 0;
    queue.handle('count', () => {
      done++;
    });
    for (let moment = 0; moment < 60; moment++) {
      await queue.enqueue(on.database.db, { name: 'count', after: 1 });
      const pass = queue.runDueJobs();
      for (let i = 0; i < moment; i++) await undefined;
      on.advance(1000);
      await Promise.all([pass, queue.runDueJobs()]);
      assert.equal(done, moment + 1, `${moment} turns after the pass began`);
    }
  });

  it('retries after growing pauses with the same key, and keeps jobs that finally failed', async () => {
    const on = await context();
    const queue = await open(on);
    const attempts: Pick<Job, 'key' | 'attempt'>[] = [];
    queue.handle('flaky', ({ key, attempt }) => {
      attempts.push({ key, attempt });
      if (attempt <= 3) throw new Error('not yet');
    });
    queue.handle('hopeless', () => Promise.reject(new Error('never', { cause: new Error('no such host') })), {
      attempts: 2,
    });
    const key = await queue.enqueue(on.database.db, { name: 'flaky' });
    await queue.enqueue(on.database.db, { name: 'hopeless', data: { a: 1 } });
    const pauses: number[] = [];
    for (let i = 0; i < 4; i++) {
      await queue.runDueJobs();
      const [row] = (await rows(on)).filter(({ name }) => name === 'flaky');
      if (!row) break;
      assert.equal(row.last_error, 'not yet');
      pauses.push(row.next_attempt_at - on.now());
      on.advance(row.next_attempt_at - on.now() - 1);
      await queue.runDueJobs();
      assert.equal(attempts.length, i + 1, 'before its time');
      on.advance(1);
    }
    assert.deepEqual(
      attempts,
      [1, 2, 3, 4].map((attempt) => ({ key, attempt })),
    );
    assert.equal(pauses.length, 3);
    for (const [i, pause] of pauses.entries()) {
      const full = 15_000 * 2 ** i;
      assert.ok(pause >= full * 0.8 && pause <= full, `${pause} is about ${full}`);
    }
    const [kept] = await rows(on);
    assert.deepEqual([kept?.name, kept?.attempts, kept?.last_error], ['hopeless', 2, 'never: no such host']);
    assert.ok(kept?.failed_at);
    const events = await on.database.db.selectFrom('events').select('type').execute();
    assert.deepEqual(events, [{ type: 'job.failed' }]);
    on.advance(31 * 86_400_000);
    await queue.runDueJobs();
    assert.equal((await rows(on)).length, 1, 'a failed job is not retried automatically');
    await queue.prune();
    assert.deepEqual(await rows(on), [], 'a failed job is deleted after a while');
  });

  it('counts a job as waiting only when it is due and does not run', async () => {
    const on = await context();
    const queue = await open(on);
    const figures = async () => {
      await queue.prune();
      const { values } = await on.metrics.jobs.get();
      return Object.fromEntries(values.map(({ labels, value }) => [labels.state, value]));
    };
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    queue.handle('slow', () => {
      begin();
      return released;
    });
    queue.handle('hopeless', () => Promise.reject(new Error('never')), { attempts: 1 });
    await queue.enqueue(on.database.db, { name: 'hopeless' });
    await queue.runDueJobs();
    for (const name of ['slow', 'of nobody', 'mail']) await queue.enqueue(on.database.db, { name });
    await queue.enqueue(on.database.db, { name: 'mail', after: 60 });
    const run = queue.runDueJobs();
    await begun;
    assert.deepEqual(await figures(), { waiting: 2, running: 1, scheduled: 1, failed: 1 });
    release();
    await run;
    assert.deepEqual(await figures(), { waiting: 2, running: 0, scheduled: 1, failed: 1 });
    assert.equal((await on.metrics.mailQueue.get()).values[0]?.value, 2);
    on.advance(60_000);
    assert.equal((await figures()).waiting, 3);
  });

  it('runs a job once at its time, on an instance that has a handler, and encrypts its data', async () => {
    const shared = await database();
    const one = await context({ database: shared });
    // On SQLite, two queues of one service compete. On PostgreSQL, two services do.
    const two = engine === 'postgres' ? await context({ database: shared }) : one;
    const [first, second] = [await open(one), await open(two)];
    let atOnce = 0;
    let most = 0;
    const done: unknown[] = [];
    const handle = async ({ data }: Job) => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce--;
      done.push(data);
    };
    for (const queue of [first, second]) queue.handle('count', handle);
    for (let i = 0; i < 30; i++) await first.enqueue(one.database.db, { name: 'count', data: i });
    await Promise.all([first.runDueJobs(), second.runDueJobs(), first.runDueJobs()]);
    assert.deepEqual(
      [...(done as number[])].sort((a, b) => a - b),
      Array.from({ length: 30 }, (_, i) => i),
    );
    assert.ok(most <= 10, `${most} jobs ran at once on two instances`);

    await first.enqueue(one.database.db, { name: 'count', data: 'later', after: 60 });
    await first.enqueue(one.database.db, { name: 'unknown', data: { pin: 'hunter2' }, sealed: true });
    await Promise.all([first.runDueJobs(), second.runDueJobs()]);
    const waiting = await rows(one);
    assert.equal(waiting.length, 2);
    assert.doesNotMatch(JSON.stringify(waiting), /hunter2/);
    for (const each of new Set([one, two])) each.advance(60_000);
    second.handle('unknown', handle);
    await second.runDueJobs();
    assert.deepEqual(done.slice(30), ['later', { pin: 'hunter2' }]);
  });

  it('leaves room for other jobs, aborts jobs at their time limit, and releases jobs when it stops', async () => {
    const on = await context();
    const queue = await open(on);
    let hanging = 0;
    let other: () => void = () => undefined;
    const otherDone = new Promise<void>((resolve) => {
      other = resolve;
    });
    queue.handle('hang', () => {
      hanging++;
      return new Promise(() => undefined);
    });
    queue.handle('slow', () => new Promise(() => undefined), { timeout: 0.01 });
    queue.handle('other', () => other());
    for (let i = 0; i < 20; i++) await queue.enqueue(on.database.db, { name: 'hang' });
    await queue.enqueue(on.database.db, { name: 'slow' });
    await queue.enqueue(on.database.db, { name: 'other' });
    queue.start();
    await otherDone;
    assert.equal(hanging, 5);
    await queue.stop();
    const left = await rows(on);
    const [slow] = left.filter(({ name }) => name === 'slow');
    assert.match(slow?.last_error ?? '', /longer than 0\.01 seconds/);
    const begun = left.filter(({ name, last_error }) => name === 'hang' && last_error !== null);
    assert.equal(begun.length, 5);
    assert.ok(
      begun.every(({ lease, next_attempt_at }) => lease === null && next_attempt_at <= on.now()),
      'another instance takes the released jobs immediately',
    );
    assert.ok(
      begun.every(({ attempts, last_error }) => attempts === 0 && last_error === 'the service stopped'),
      'an attempt that the service itself has interrupted does not count',
    );
  });

  it('fails a job whose process ended during the last attempt', async () => {
    const on = await context();
    const queue = await open(on);
    const attempts: number[] = [];
    queue.handle('deadly', ({ attempt }) => void attempts.push(attempt), { attempts: 2 });
    const { db } = on.database;
    const key = await queue.enqueue(db, { name: 'deadly' });
    /** A process that begins an attempt and is killed. */
    const beginAttempt = async () => {
      const [now, until] = [on.now(), on.now() + 30_000];
      const leased = await leaseDueJobs(db, { name: 'deadly', lease: randomUUID(), now, until, limit: 1 });
      assert.deepEqual(
        leased.map(({ id }) => id),
        [key],
      );
      on.advance(31_000);
    };
    await beginAttempt();
    await beginAttempt();
    await queue.runDueJobs();
    assert.deepEqual(attempts, [], 'both attempts are used');
    const [kept] = await rows(on);
    assert.deepEqual([kept?.attempts, kept?.lease], [2, null]);
    assert.match(kept?.last_error ?? '', /the process ended during the last attempt/);
    assert.ok(kept?.failed_at);
    assert.equal((await db.selectFrom('events').select('type').execute()).at(0)?.type, 'job.failed');
    await db.transaction().execute((tx) => retryJob(tx, key, on.now()));
    await beginAttempt();
    await queue.runDueJobs();
    assert.deepEqual(attempts, [2], 'the last attempt runs');
    assert.deepEqual(await rows(on), []);
  });

  it('loses no job if a process is killed between the commit and the end of the job', async () => {
    const shared = await database();
    const on = await context({ database: shared });
    const child: ChildProcess = spawn(process.execPath, [dying, shared.url, shared.dir], { stdio: 'inherit' });
    const [, signal] = await once(child, 'exit');
    assert.equal(signal, 'SIGKILL');
    const queue = await open(on);
    const done: Pick<Job, 'data' | 'attempt'>[] = [];
    for (const name of ['begun', 'untouched'])
      queue.handle(name, ({ data, attempt }) => void done.push({ data, attempt }));
    await queue.runDueJobs();
    assert.deepEqual(done, [{ data: 2, attempt: 1 }], 'a started job may still be running');
    on.advance(31_000);
    await queue.runDueJobs();
    assert.deepEqual(done[1], { data: 1, attempt: 2 });
    assert.deepEqual(await rows(on), []);
  });
});
