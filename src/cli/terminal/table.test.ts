import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { printableLines, tableOf } from './table.ts';

const rows = [
  {
    id: '01a28159-57c1-7711-beb3-4e82840871f3',
    email: 'ada@example.com',
    phone: null,
    name: 'Ada, Countess of Lovelace',
    created_at: '2026-11-15T08:30:12.345Z',
  },
  {
    id: '01a28159-57c1-7711-beb3-4e82840871f4',
    email: 'grace@example.com',
    phone: null,
    name: 'Grace',
    created_at: '2026-11-15T08:30:12.345Z',
  },
];
const on = (columns: number, key?: string) => {
  const { lines, hiddenColumns } = tableOf(rows, key, { isTTY: true, columns });
  return { lines: lines.map(stripVTControlCharacters), hiddenColumns };
};

test('a table fits the terminal: it cuts wide columns, omits empty ones, and omits the last ones if necessary', () => {
  for (const columns of [40, 60, 80, 120]) {
    const { lines, hiddenColumns } = on(columns);
    assert.equal(lines.length, 3);
    for (const line of lines) assert.ok([...line].length <= columns, line);
    assert.doesNotMatch(lines[0] as string, /phone/);
    for (const { id } of rows)
      assert.ok(
        lines.some((line) => line.startsWith(id)),
        'ids are never cut, because commands take them',
      );
    const shown = ['id', 'email', 'name', 'created_at'].filter((name) => !hiddenColumns.includes(name));
    assert.deepEqual((lines[0] as string).split(/ +/), shown);
  }
  assert.deepEqual(on(120).hiddenColumns, []);
  assert.deepEqual(on(60).hiddenColumns, ['created_at']);
  assert.deepEqual(on(0), on(80), 'the width is 80 if the terminal does not report one');
  assert.match(on(120).lines[1] as string, / 2026-11-15 08:30Z$/);
});

test('the key of a table can be any column', () => {
  const [, first, second] = on(60, 'email').lines;
  assert.match(first as string, /^01a28159.*… +ada@example\.com /);
  assert.match(second as string, / grace@example\.com /);
  const { lines, hiddenColumns } = on(20, 'email');
  assert.deepEqual(
    lines,
    ['email', 'ada@example.com', 'grace@example.com'],
    'on a narrow terminal, only the key column is left',
  );
  assert.deepEqual(hiddenColumns, ['id', 'name', 'created_at']);
});

test('a pipe gets every column and every character', () => {
  const [heading, first] = tableOf(rows, undefined, {}).lines;
  assert.match(heading as string, /id +email +phone +name +created_at/);
  assert.match(
    first as string,
    /^01a28159-57c1-7711-beb3-4e82840871f3 .*Ada, Countess of Lovelace +2026-11-15T08:30:12.345Z$/,
  );
});

test('a text of several lines moves no cursor and keeps its line breaks', () => {
  assert.equal(printableLines('one\u001b[2J\n\ttwo\u009b\r'), 'one\\u{1b}[2J\n\ttwo\\u{9b}\\u{d}');
});
