import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { tableLines } from './table.ts';

const rows = [
  {
    id: '01a28159-57c1-7711-beb3-4e82840871f3',
    email: 'ada@example.com',
    phone: null,
    name: 'Ada, Countess of Lovelace',
  },
  { id: '01a28159-57c1-7711-beb3-4e82840871f4', email: 'grace@example.com', phone: null, name: 'Grace' },
];

test('a table fits the terminal: wide columns are cut, empty ones left out', () => {
  for (const columns of [60, 80, 120]) {
    const lines = tableLines(rows, { isTTY: true, columns });
    assert.equal(lines.length, 3);
    for (const line of lines) assert.ok([...stripVTControlCharacters(line)].length <= columns, line);
    assert.doesNotMatch(lines[0] as string, /phone/);
    assert.match(lines[1] as string, /ada@example\.com/);
  }
  assert.deepEqual(
    tableLines(rows, { isTTY: true, columns: 0 }),
    tableLines(rows, { isTTY: true, columns: 80 }),
    'a terminal that does not know its width',
  );
  assert.match(tableLines(rows, { isTTY: true, columns: 60 })[1] as string, /…/);
});

test('a program gets every column and every character', () => {
  const [heading, first] = tableLines(rows, {});
  assert.match(heading as string, /id +email +phone +name/);
  assert.match(first as string, /^01a28159-57c1-7711-beb3-4e82840871f3 .*Ada, Countess of Lovelace$/);
});
