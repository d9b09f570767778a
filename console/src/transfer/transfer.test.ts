import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CsvReader, csvLine } from './csv.ts';
import { JsonRowReader } from './json-rows.ts';

const inPieces = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));

test('what is written as CSV is read back, whatever the pieces it arrives in', () => {
  const rows = [
    ['plate', 'model', 'note'],
    ['AB 1', 'Fiat, "Panda"', 'two\r\nlines'],
    ['=SUM(A1)', "'=x", '-5'],
    ['', 'Zoë', '@home'],
  ];
  const text = `\ufeff${rows.map(csvLine).join('')}`;
  assert.match(text, /'=SUM\(A1\)/, 'no spreadsheet takes it for a formula');
  assert.match(text, /,"-5"\r\n/, 'a number stays a number');
  for (const size of [1, 3, 1000]) {
    const reader = new CsvReader();
    const read = [...inPieces(text, size).flatMap((piece) => [...reader.read(piece)]), ...reader.read('', true)];
    assert.deepEqual(read, rows);
  }
});

test('rows are read out of JSON in each of its shapes', () => {
  const rows = [
    { plate: 'A "1" [', tags: ['x', { y: 1 }] },
    { plate: '}{', data: [] },
  ];
  for (const text of [
    JSON.stringify(rows),
    JSON.stringify({ data: rows }, null, 2),
    rows.map((row) => JSON.stringify(row)).join('\n'),
  ]) {
    for (const size of [1, 7, 1000]) {
      const reader = new JsonRowReader();
      assert.deepEqual(
        inPieces(text, size).flatMap((piece) => [...reader.read(piece)]),
        rows,
      );
    }
  }
});
