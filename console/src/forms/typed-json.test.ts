import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatJson, parseTypedJson, validateJson } from './typed-json.ts';

test('what is typed stays as it is typed, and means what it says', () => {
  const typed = parseTypedJson('{"a": [1,  2]}');
  assert.equal(formatJson(typed), '{"a": [1,  2]}');
  assert.equal(JSON.stringify({ equipment: typed }), '{"equipment":{"a":[1,2]}}');
  assert.equal(validateJson(typed), undefined);
});

test('half of it is refused before it is sent, and never taken for a text', () => {
  assert.match(validateJson(parseTypedJson('{"a": ')) ?? '', /not JSON/);
  assert.equal(validateJson(parseTypedJson('"a text"')), undefined);
});

test('a stored value is shown so that it can be read back', () => {
  for (const value of [{ a: 1 }, ['x'], 'text', 5, false]) {
    assert.deepEqual(JSON.parse(JSON.stringify(parseTypedJson(formatJson(value)))), value);
  }
  assert.equal(formatJson(null), '');
  assert.equal(parseTypedJson('  '), null);
});
