import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe } from '../../../console/src/data/descriptions.ts';
import { chosenChanges, differencesOf, firstChoice } from './versions.ts';

const { fields } = describe({
  name: 'cars',
  fields: {
    plate: { type: 'text' },
    seats: { type: 'integer' },
    tags: { type: 'list' },
    updated_at: { type: 'timestamp', readOnly: true },
  },
});
const before = { plate: 'A 1', seats: 4, tags: ['a'], updated_at: '1' };

test('two versions differ where somebody changed something, and are contested where both did', () => {
  const theirs = { ...before, plate: 'A 2', seats: 5, updated_at: '2' };
  const found = differencesOf(fields, before, theirs, { plate: 'A 3', tags: ['b'] });
  assert.deepEqual(
    found.map(({ field, isContested }) => [field.name, isContested]),
    [
      ['plate', true],
      ['seats', false],
      ['tags', false],
    ],
  );
  assert.deepEqual(found.map(firstChoice), ['mine', 'theirs', 'mine']);
  assert.deepEqual(chosenChanges(found, {}), { plate: 'A 3', tags: ['b'] });
  assert.deepEqual(chosenChanges(found, { plate: 'theirs', seats: 'mine' }), { seats: 4, tags: ['b'] });
});

test('the same change by both is no quarrel', () => {
  const [only] = differencesOf(fields, before, { ...before, seats: 5 }, { seats: 5 });
  assert.equal(only?.isContested, false);
});
