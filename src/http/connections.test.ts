import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnsentResponses } from './connections.ts';

describe('Responses that callers do not read', () => {
  const connection = (writableLength: number) => ({
    writableLength,
    ended: false,
    destroy() {
      this.ended = true;
      this.writableLength = 0;
    },
  });

  it('are limited for one caller over all its connections, and in total', () => {
    const unsent = new UnsentResponses({ perCaller: 100, total: 250 });
    const ada = [60, 30, 50].map(connection);
    for (const one of ada) unsent.track(one, 'ada');
    unsent.check();
    assert.deepEqual(
      ada.map(({ ended }) => ended),
      [true, false, false],
    );
    const others = ['ben', 'eve'].map((name) => {
      const one = connection(95);
      unsent.track(one, name);
      return one;
    });
    unsent.check();
    assert.deepEqual([...ada.slice(1), ...others].filter(({ ended }) => ended).length, 1);
    assert.equal(others.filter(({ ended }) => ended).length, 1);
  });

  it('are no longer counted after they are read', () => {
    const unsent = new UnsentResponses({ perCaller: 100, total: 250 });
    const read = connection(90);
    unsent.track(read, 'ada');
    read.writableLength = 0;
    unsent.track(connection(90), 'ada');
    unsent.check();
    assert.equal(read.ended, false);
  });
});
