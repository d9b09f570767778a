import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { progressBar } from './progress-bar.ts';

test('a person sees a bar in one line that is taken away in the end', () => {
  const written: string[] = [];
  const screen = { isTTY: true, columns: 60, write: (text: string) => written.push(text) };
  const bar = progressBar(1000, 'users', screen);
  bar.advance(500, 'sessions');
  bar.end();
  assert.match(written[0] as string, /█{12}░{12} {2}50 % sessions/);
  assert.ok(written.every((text) => !text.includes('\n') && text.length < 70));
  assert.equal(written.at(-1), '\r\u001b[K');
});

test('a log gets a line at each tenth, whatever the steps are', () => {
  const said: string[] = [];
  const { mock: spy } = mock.method(console, 'error', (line: string) => said.push(line));
  try {
    const bar = progressBar(2000, 'users', { write: () => assert.fail('a log has no bar') });
    for (let i = 0; i < 400; i++) bar.advance(5);
    bar.end();
  } finally {
    spy.restore();
  }
  assert.equal(said.length, 10);
  assert.equal(said[3], ' 40 % users (800 of 2,000)');
});
