import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { progressBar } from './progress-bar.ts';
import { progressLine } from './progress-line.ts';

test('the progress line fits the terminal and shows the remaining time', () => {
  const line = progressLine({ completed: 500, total: 1000, step: 'sessions', ms: 60_000, movedAt: 59_000 }, 80);
  assert.match(line, /^█{12}░{12} {2}50 % sessions, 58 s left$/);
  const state = { completed: 0, total: 2, step: 'an index', ms: 5000, movedAt: 0 };
  assert.match(progressLine(state, 80), /0 % an index, 5 s so far$/);
  assert.match(
    progressLine({ ...state, completed: 1, movedAt: 1000 }, 80),
    /50 % an index, 5 s so far$/,
    'the step takes longer than estimated, so the elapsed time is shown',
  );
  assert.match(progressLine({ ...state, completed: 1, movedAt: 4000, ms: 70_000 }, 80), /1 min 10 s so far$/);
  const nearly = { ...state, completed: 99, total: 100, movedAt: 9900 };
  for (const ms of [9950, 10_400, 11_000])
    assert.match(progressLine({ ...nearly, ms }, 80), /99 % an index, 1 s left$/);
  const narrow = progressLine({ ...state, step: 'make the index "cars_by_name_and_color"' }, 50);
  assert.match(narrow, /… *, 5 s so far$/);
  assert.ok(narrow.length < 50);
});

/** A file in place of a terminal, so that the output can be read. */
function screen(t: test.TestContext): { readonly fd: number; text(): string; shows(what: RegExp): void } {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-screen-'));
  const file = join(dir, 'screen');
  const fd = openSync(file, 'w');
  t.after(() => {
    closeSync(fd);
    rmSync(dir, { recursive: true });
  });
  const text = () => readFileSync(file, 'utf8');
  return {
    fd,
    text,
    // Blocks this thread, like SQLite while it works.
    shows(what) {
      const cell = new Int32Array(new SharedArrayBuffer(4));
      for (let tries = 0; !what.test(text()); tries++) {
        assert.ok(tries < 3000, `the screen never showed ${what}: ${text()}`);
        Atomics.wait(cell, 0, 0, 10);
      }
    },
  };
}

test('a terminal shows the bar in one line, even while the process is busy, and clears it at the end', (t) => {
  const { fd, text, shows } = screen(t);
  const bar = progressBar(1000, 'users', { screen: { isTTY: true, columns: 60, fd }, quietMs: 0 });
  shows(/0 % users/);
  bar.advance(500, 'sessions');
  shows(/█{12}░{12} {2}50 % sessions/);
  bar.end();
  assert.ok(!text().includes('\n'));
  assert.ok(text().endsWith('\r\u001b[K'));
});

test('a terminal shows no bar for work of less than a second', (t) => {
  const { fd, text } = screen(t);
  const bar = progressBar(1000, 'users', { screen: { isTTY: true, columns: 60, fd }, quietMs: 3_600_000 });
  bar.advance(1000);
  bar.end();
  assert.equal(text(), '');
});

test('a log gets one line for each tenth, and none for work of less than a second', () => {
  const lines: string[] = [];
  const { mock: spy } = mock.method(console, 'error', (line: string) => lines.push(line));
  try {
    for (const quietMs of [3_600_000, 0]) {
      const bar = progressBar(2000, 'users', { screen: {}, quietMs });
      for (let i = 0; i < 400; i++) bar.advance(5);
      bar.end();
    }
  } finally {
    spy.restore();
  }
  assert.equal(lines.length, 10);
  assert.equal(lines[3], ' 40 % users (800 of 2,000)');
});
