import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isUuid, uuidv7 } from './uuid.ts';

describe('Ids', () => {
  it('are unique UUIDs of version 7 in the order of the calls', () => {
    const start = Date.now();
    const ids = Array.from({ length: 10_000 }, (_, i) => uuidv7(start + Math.floor(i / 5000)));
    assert.ok(ids.every((id) => isUuid(id) && id[14] === '7'));
    assert.deepEqual(ids, ids.toSorted());
    assert.equal(new Set(ids).size, ids.length);
    const random = ids.map((id) => id.slice(20));
    assert.equal(new Set(random).size, ids.length);
    assert.deepEqual([...new Set(ids.map((id) => id[19]))].sort(), ['8', '9', 'a', 'b']);
  });

  it('contain their creation time', () => {
    const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);
    // Ids never go back in time, and another test in this process may have moved its clock.
    const now = Math.max(Date.now(), timeOf(uuidv7())) + 60_000;
    assert.equal(timeOf(uuidv7(now)), now);
  });
});
