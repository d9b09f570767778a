import assert from 'node:assert/strict';
import { test } from 'node:test';
import { icons } from '../../../src/resources/declaration/icon.ts';
import drawings from '../../icons/icons.json' with { type: 'json' };

test('every icon that a declaration may name has a drawing', () => {
  const drawn = Object.keys(drawings).filter((name) => /^[a-z]/.test(name));
  assert.deepEqual(drawn.sort(), [...icons].sort());
});
