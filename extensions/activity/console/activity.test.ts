import assert from 'node:assert/strict';
import { test } from 'node:test';
import { periods, seriesOf } from './activity.ts';

const now = new Date(2026, 4, 20, 15, 30);
const at = (...parts: [number, number, number, number]) => new Date(...parts).toISOString();

test('a day is shown by the hour, and a month by the day', () => {
  const hours = [
    { at: at(2026, 4, 1, 8), sign_ins: 100 },
    { at: at(2026, 4, 19, 9), sign_ins: 5, sessions: 7 },
    { at: at(2026, 4, 19, 17), sign_ins: 3, sessions: 9 },
    { at: at(2026, 4, 20, 15), sign_ins: 2, failures: 1 },
  ];
  const day = seriesOf(hours, periods[0], now);
  assert.equal(day.at.length, 24);
  assert.deepEqual([day.totals.sign_ins, day.totals.failures, day.of.sign_ins.at(-1)], [5, 1, 2]);
  const month = seriesOf(hours, periods[2], now);
  assert.equal(month.at.length, 30);
  assert.deepEqual(month.of.sign_ins.slice(-2), [8, 2]);
  assert.deepEqual(month.of.sessions.slice(-2), [9, null]);
  assert.equal(month.totals.sign_ins, 110);
});
