import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProblemError, UnreachableError } from '../../../client/errors.ts';
import { type Progress, runBulk } from './run-bulk.ts';

const rows = (count: number) => Array.from({ length: count }, (_, n) => n);
const { signal } = new AbortController();

test('goes on over rows that fail, and tells which', async () => {
  const seen: Progress[] = [];
  const work = async (row: number) => {
    if (row % 10 === 3) throw new ProblemError(`${row} is in use.`, { status: 409, code: 'conflict' });
  };
  const report = await runBulk({ rows: rows(25), work, signal, onProgress: (progress) => seen.push(progress) });
  assert.equal(report.done, 22);
  assert.deepEqual(
    report.failures.map(({ row }) => row).sort((a, b) => a - b),
    [3, 13, 23],
  );
  assert.equal(report.isStopped, false);
  assert.deepEqual(seen.at(-1), { done: 22, failed: 3, waits: undefined });
});

test('waits as long as the service asks for, and does every row once', async () => {
  const waited: number[] = [];
  let calls = 0;
  const work = async () => {
    if (++calls === 5) throw new ProblemError('Slow down.', { status: 429, code: 'rate_limited', retryAfter: 7 });
  };
  const wait = async (seconds: number) => void waited.push(seconds);
  const report = await runBulk({ rows: rows(12), work, wait, signal, onProgress: () => undefined });
  assert.deepEqual([report.done, report.failures, waited], [12, [], [7]]);
});

test('stops when nobody answers, or when it is told to', async () => {
  const away = async () => {
    throw new UnreachableError('away', { status: 0, code: 'unreachable' });
  };
  const report = await runBulk({ rows: rows(1000), work: away, signal, onProgress: () => undefined });
  assert.equal(report.isStopped, true);
  assert.ok(report.failures.length < 20);

  const stop = new AbortController();
  const work = async (row: number) => void (row === 10 && stop.abort());
  const { done, isStopped } = await runBulk({
    rows: rows(1000),
    work,
    signal: stop.signal,
    onProgress: () => undefined,
  });
  assert.ok(isStopped && done < 30);
});
