import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../test/harness/code-points.ts';
import { isIsoDate } from '../platform/is-iso-date.ts';
import { fold, prefixUpperBound } from './declaration/fields/folding.ts';
import { formatTimestamp, parseTimestamp } from './declaration/fields/timestamps.ts';

const earliest = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');
const timestamps = fc.integer({ min: earliest, max: latest });

it('timestamps are written as toISOString does, and read back', () => {
  fc.assert(
    fc.property(timestamps, (ms) => {
      assert.equal(formatTimestamp(ms), new Date(ms).toISOString());
      assert.equal(parseTimestamp(formatTimestamp(ms)), ms);
    }),
  );
  for (const ms of [0, -1, 1, 86_400_000, -86_400_000, earliest, latest]) {
    assert.equal(formatTimestamp(ms), new Date(ms).toISOString());
  }
});

it('timestamps are parsed only in the format of RFC 3339', () => {
  assert.equal(parseTimestamp('2026-01-31T12:00:00.5+01:30'), Date.parse('2026-01-31T10:30:00.500Z'));
  assert.equal(parseTimestamp('2026-01-31t12:00:00z'), Date.parse('2026-01-31T12:00:00Z'));
  assert.equal(parseTimestamp('2026-01-31T12:00:00.123456789Z'), Date.parse('2026-01-31T12:00:00.123Z'));
  for (const invalid of [
    '2026-01-31',
    '2026-01-31T12:00:00',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '',
    'now',
  ]) {
    assert.equal(parseTimestamp(invalid), undefined, invalid);
  }
});

it('only existing days are accepted', () => {
  for (const day of ['2024-02-29', '0001-01-01', '9999-12-31', '0099-12-31']) assert.ok(isIsoDate(day), day);
  for (const day of ['2023-02-29', '2026-13-01', '2026-00-10', '0000-01-01', '26-01-01', '2026-1-1'])
    assert.ok(!isIsoDate(day), day);
});

const bytes = (text: string) => Buffer.from(text);
const words = fc.string({ unit: codePoint, minLength: 1, maxLength: 5 }).filter((text) => text.isWellFormed());

it('a prefix matches exactly the range up to the text after it', () => {
  fc.assert(
    fc.property(words, words, (prefix, text) => {
      const end = prefixUpperBound(prefix);
      for (const candidate of [text, prefix + text]) {
        const inRange =
          Buffer.compare(bytes(candidate), bytes(prefix)) >= 0 &&
          (end === undefined || Buffer.compare(bytes(candidate), bytes(end)) < 0);
        assert.equal(inRange, candidate.startsWith(prefix));
      }
    }),
  );
});

it('folding ignores case and the encoding of accents, and is stable', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => assert.equal(fold(fold(text)), fold(text))));
  for (const [a, b] of [
    ['É', 'e\u0301'],
    ['ΟΔΟΣ', 'οδος'],
    ['ΟΔΟς', 'ΟΔΟΣ'],
    ['Straße', 'STRAßE'],
  ] as const) {
    assert.equal(fold(a), fold(b));
  }
});
