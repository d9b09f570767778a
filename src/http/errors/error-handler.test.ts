import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toProblem } from './error-handler.ts';

describe('An error of PostgreSQL', () => {
  for (const [name, code] of [
    ['a deadlock', '40P01'],
    ['a serialization failure', '40001'],
  ] as const)
    it(`that is ${name} becomes a 503, so that the caller tries again`, () => {
      const { status, headers } = toProblem(Object.assign(new Error('could not serialize'), { code }));
      assert.deepEqual([status, headers['Retry-After']], [503, '1']);
    });

  it('that is a NUL character in a text becomes a 400', () => {
    const { status, code } = toProblem(Object.assign(new Error('invalid byte sequence'), { code: '22021' }));
    assert.deepEqual([status, code], [400, 'encoding_invalid']);
  });
});
