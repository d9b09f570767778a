import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pruneInBatches } from './prune-in-batches.ts';

describe('Pruning in batches', () => {
  it('continues until a batch is not full', async () => {
    const rows = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 7];
    const limits: number[] = [];
    const total = await pruneInBatches({}, async (limit) => {
      limits.push(limit);
      return Math.min(limit, rows.shift() ?? 0);
    });
    const [limit = 0] = limits;
    assert.deepEqual([total, limits], [2 * limit + 7, [limit, limit, limit]]);
  });

  it('ends after the running batch when the service stops', async () => {
    const stop = new AbortController();
    let batches = 0;
    await pruneInBatches({ stopping: stop.signal }, async (limit) => {
      if (++batches === 2) stop.abort();
      return limit;
    });
    assert.equal(batches, 2);
  });
});
