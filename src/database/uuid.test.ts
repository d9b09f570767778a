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
    const now = Date.now() + 60_000;
    assert.equal(Number.parseInt(uuidv7(now).replace('-', '').slice(0, 12), 16), now);
  });
});
