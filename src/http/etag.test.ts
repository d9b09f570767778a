import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashOf, matchesEtag, RecentHashes } from './etag.ts';

describe('Recent hashes', () => {
  it('match the text, even if the key had another text before', () => {
    const hashes = new RecentHashes();
    for (const text of ['one', 'two', 'two', 'one', '', 'x'.repeat(10_000), 'x'.repeat(10_000), 'é\u{1f600}']) {
      assert.equal(hashes.hashOf('key', text), hashOf(text));
    }
  });

  it('are correct for more keys than the cache holds', () => {
    const hashes = new RecentHashes();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 1200; i++) assert.equal(hashes.hashOf(`key ${i}`, `text ${i}`), hashOf(`text ${i}`));
    }
  });
});

describe('If-None-Match', () => {
  it('accepts lists, weak tags and the asterisk', () => {
    for (const header of ['"a"', 'W/"a"', '"b", "a"', '"b",W/"a"', ' * ', '*'])
      assert.ok(matchesEtag(header, '"a"'), header);
    for (const header of ['"b"', 'a', '"A"', '', '"b", "c"', '"*"']) assert.ok(!matchesEtag(header, '"a"'), header);
  });
});
