import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecentRows } from './recent-rows.ts';
import type { RowShape } from './row-json.ts';

const shape = (lasting = true) => ({ lasting }) as RowShape;

/** Rows with a count of how often they were written. */
function open() {
  const rows = new RecentRows();
  let times = 0;
  return {
    written(of: RowShape, row: Record<string, unknown>, padding = '') {
      const json = JSON.stringify(row) + padding;
      assert.equal(
        rows.of(of, row, () => {
          times++;
          return { json, etag: json };
        }).json,
        json,
      );
      return times;
    },
  };
}

describe('Recent rows', () => {
  it('are written once while they stay the same', () => {
    const { written } = open();
    const plain = shape();
    const row = { id: 'a', name: 'Ada', seats: 4, owner: null };
    assert.equal(written(plain, row), 1);
    assert.equal(written(plain, { ...row }), 1);
    assert.equal(written(plain, { ...row, seats: 5 }), 2);
    assert.equal(written(plain, { ...row, owner: 'b' }), 3);
    assert.equal(written(plain, { ...row }), 4);
  });

  it('are written again where other fields are asked for', () => {
    const { written } = open();
    const [one, other] = [shape(), shape()];
    assert.equal(written(one, { id: 'a' }), 1);
    assert.equal(written(other, { id: 'a' }), 2);
    assert.equal(written(one, { id: 'a' }), 3);
  });

  it('are written each time where that does not depend on the row alone, or takes much room', () => {
    const { written } = open();
    const passing = shape(false);
    assert.equal(written(passing, { id: 'a' }), 1);
    assert.equal(written(passing, { id: 'a' }), 2);
    const plain = shape();
    assert.equal(written(plain, { id: 'long' }, ' '.repeat(10_000)), 3);
    assert.equal(written(plain, { id: 'long' }, ' '.repeat(10_000)), 4);
  });

  it('are right for more rows than are remembered', () => {
    const { written } = open();
    const plain = shape();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 1200; i++) written(plain, { id: `row ${i}`, round: round >> 1 });
    }
  });
});
