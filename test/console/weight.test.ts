import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listKilobytes } from '../../bench/pages/entry-size.ts';

test('A browser loads less than 150 kB for the first list', () => {
  const weight = listKilobytes();
  assert.ok(weight > 50, 'the files were found');
  assert.ok(
    weight < 150,
    `the files weigh ${weight} kB: load something later, in console/src/app/lazy-pages.ts or by lazy()`,
  );
});
