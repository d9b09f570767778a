import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine } from './csv.ts';
import { readRows } from './read-rows.ts';

const valuesOf = (name: string, text: string) => readRows(name, text).map(({ values }) => values);

test('a CSV file that was written here is read back', () => {
  const rows = [
    ['AB 1', 'Fiat, "Panda"', 'two\r\nlines'],
    ['=SUM(A1)', "'=x", '-5'],
    ['', 'Zoë', '@home'],
    ['＝1', ';=1', '\n=1'],
  ];
  const text = `\ufeff${csvLine(['plate', 'model', 'note'])}${rows.map(csvLine).join('')}`;
  assert.match(text, /'=SUM\(A1\)/, 'no spreadsheet takes it for a formula');
  assert.match(text, /,"-5"\r\n/, 'a number gets no apostrophe');
  assert.deepEqual(
    valuesOf('cars.csv', text),
    rows.map(([plate, model, note]) => ({ plate, model, note })),
  );
  assert.deepEqual(
    readRows('cars.csv', text).map(({ number }) => number),
    [2, 3, 4, 5],
    'the header is row 1',
  );
});

test('semicolons and tabs separate cells as commas do', () => {
  assert.deepEqual(valuesOf('cars.csv', 'plate;model\nA;B'), [{ plate: 'A', model: 'B' }]);
  assert.deepEqual(valuesOf('cars.tsv', 'plate\tmodel\nA, 1\tB'), [{ plate: 'A, 1', model: 'B' }]);
});

test('rows are read from each form of JSON', () => {
  const rows = [
    { plate: 'A "1" [', tags: ['x', { y: 1 }] },
    { plate: '}{', data: [] },
  ];
  for (const text of [
    JSON.stringify(rows),
    JSON.stringify({ data: rows }, null, 2),
    rows.map((row) => JSON.stringify(row)).join('\n'),
  ]) {
    assert.deepEqual(valuesOf('cars.json', text), rows);
  }
  assert.throws(() => readRows('cars.json', 'plate,model'));
});
