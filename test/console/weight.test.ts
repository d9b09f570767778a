import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listKilobytes } from '../../bench/pages/entry-size.ts';

test('A browser loads less than 150 kB for the first list', () => {
  const weight = listKilobytes();
  assert.ok(weight > 50, 'no files were found');
  assert.ok(
    weight < 150,
    `the files have ${weight} kB: load more of them later, in console/src/app/lazy-pages.ts or with lazy()`,
  );
});
