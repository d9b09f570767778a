import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mustBeJson, shownJson, typedJson } from './typed-json.ts';

test('what is typed stays as it is typed, and means what it says', () => {
  const typed = typedJson('{"a": [1,  2]}');
  assert.equal(shownJson(typed), '{"a": [1,  2]}');
  assert.equal(JSON.stringify({ equipment: typed }), '{"equipment":{"a":[1,2]}}');
  assert.equal(mustBeJson(typed), undefined);
});

test('half of it is refused before it is sent, and never taken for a text', () => {
  assert.match(mustBeJson(typedJson('{"a": ')) ?? '', /not JSON/);
  assert.equal(mustBeJson(typedJson('"a text"')), undefined);
});

test('a stored value is shown so that it can be read back', () => {
  for (const value of [{ a: 1 }, ['x'], 'text', 5, false]) {
    assert.deepEqual(JSON.parse(JSON.stringify(typedJson(shownJson(value)))), value);
  }
  assert.equal(shownJson(null), '');
  assert.equal(typedJson('  '), null);
});
