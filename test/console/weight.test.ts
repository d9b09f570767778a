import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryKilobytes } from '../../bench/pages/entry-size.ts';

test('what a browser loads before the console is drawn stays under 250 kB', () => {
  const weight = entryKilobytes();
  assert.ok(weight > 50, 'the entry was found');
  assert.ok(
    weight < 250,
    `the entry weighs ${weight} kB: load something later, in console/src/app/lazy-pages.ts or by lazy()`,
  );
});
