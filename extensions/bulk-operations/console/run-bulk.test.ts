import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProblemError, UnreachableError } from '../../../client/errors.ts';
import { type Operation, type Progress, runBulk } from './run-bulk.ts';

const rows = (count: number) => Array.from({ length: count }, (_, n) => String(n));
const remove = (id: string): Operation => ({ operation: 'delete', id });
const { signal } = new AbortController();
const problem = (status: number, retryAfter?: number) =>
  new ProblemError(`It answers ${status}.`, { status, code: 'a_code', retryAfter });
const quiet = { signal, onProgress: () => undefined, operationOf: remove };
const done = (operations: readonly Operation[]) => operations.map(() => ({ status: 204 }));
const idOf = (operation: Operation | undefined) => operation?.id ?? '';

test('goes on over rows that fail, and tells which; what is gone is deleted', async () => {
  const seen: Progress[] = [];
  const sizes: number[] = [];
  const send = async (operations: Operation[]) => {
    sizes.push(operations.length);
    return operations.map((operation) => {
      const status = idOf(operation).endsWith('3') ? 409 : idOf(operation).endsWith('4') ? 404 : 204;
      return status === 204 ? { status } : { status, error: problem(status) };
    });
  };
  const report = await runBulk({ ...quiet, rows: rows(250), send, onProgress: (progress) => seen.push(progress) });
  assert.deepEqual([report.succeeded, report.failures.length, report.isStopped], [225, 25, false]);
  assert.partialDeepStrictEqual(report.failures[0], { row: '3', message: 'It answers 409.' });
  assert.deepEqual(sizes, [100, 100, 50]);
  assert.deepEqual(seen.at(-1), { succeeded: 225, failed: 25, waits: undefined });
});

test('waits as long as the service asks for, and sends again only what was refused for the moment', async () => {
  const waited: number[] = [];
  const sent: string[] = [];
  let calls = 0;
  const send = async (operations: Operation[]) => {
    if (++calls === 1) throw problem(429, 7);
    sent.push(...operations.map(idOf));
    if (calls > 2) return done(operations);
    return operations.map((_, n) => (n < 10 ? { status: 503, error: problem(503, 2) } : { status: 204 }));
  };
  const wait = async (seconds: number) => void waited.push(seconds);
  const report = await runBulk({ ...quiet, rows: rows(12), send, wait });
  assert.deepEqual([report.succeeded, report.failures, waited], [12, [], [7, 2]]);
  assert.deepEqual(sent, [...rows(12), ...rows(10)]);
});

test('waits before it would take what other work needs', async () => {
  const waited: number[] = [];
  const busy = [0, 30, 0];
  const wait = async (seconds: number) => void waited.push(seconds);
  const report = await runBulk({
    ...quiet,
    rows: rows(300),
    send: async (all) => done(all),
    secondsToWait: () => busy.shift() ?? 0,
    wait,
  });
  assert.deepEqual([report.succeeded, waited], [300, [30]]);
});

test('stops when nobody answers, or when it is told to', async () => {
  const send = async () => {
    throw new UnreachableError('away', { status: 0, code: 'unreachable' });
  };
  const report = await runBulk({ ...quiet, rows: rows(1000), send });
  assert.deepEqual([report.isStopped, report.failures.length], [true, 100]);

  const stop = new AbortController();
  const stopping = async (operations: Operation[]) => {
    stop.abort();
    return done(operations);
  };
  const { succeeded: count, isStopped } = await runBulk({
    ...quiet,
    rows: rows(1000),
    send: stopping,
    signal: stop.signal,
  });
  assert.deepEqual([count, isStopped], [100, true]);
});

test('sends no more at once than the service takes, and no row twice in one request', async () => {
  const sizes: number[] = [];
  const send = async (operations: Operation[]) => {
    sizes.push(operations.length);
    return done(operations);
  };
  const wide = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`f${n}`, n]));
  const create = (): Operation => ({ operation: 'create', data: wide });
  await runBulk({ ...quiet, rows: rows(25), operationOf: create, send });
  const long = (): Operation => ({ operation: 'create', data: { text: 'x'.repeat(400_000) } });
  await runBulk({ ...quiet, rows: rows(3), operationOf: long, send });
  await runBulk({ ...quiet, rows: ['a', 'b', 'a', 'c'], send });
  assert.deepEqual(sizes, [10, 10, 5, 2, 1, 2, 2]);
});
