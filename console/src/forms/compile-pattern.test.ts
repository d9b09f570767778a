import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePattern } from './compile-pattern.ts';

test('a pattern that the browser cannot compile is left to the service', () => {
  assert.equal(compilePattern('^[a-z]+$')?.test('ab'), true);
  assert.equal(compilePattern('^[\\w-.]+$'), undefined);
});
