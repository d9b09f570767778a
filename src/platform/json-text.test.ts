import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { showValue } from './json-text.ts';
import { redactSecrets } from './log.ts';

describe('A value in a message', () => {
  it('is JSON, so that the password in a URL can be hidden', () => {
    const shown = redactSecrets(showValue([new URL('smtp://me:hunter2secret@example.com')]));
    assert.match(shown, /^\["smtp:/);
    assert.doesNotMatch(shown, /hunter2secret/);
  });

  it('is JavaScript if JSON cannot represent it', () => {
    assert.deepEqual([1n, [2n], undefined].map(showValue), ['1n', '[ 2n ]', 'undefined']);
  });
});
