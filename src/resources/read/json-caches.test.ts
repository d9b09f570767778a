import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { garage } from '../../../test/harness/garage.ts';
import { compileResources, type Resource } from '../model/resource.ts';
import type { StoredRow } from '../sql/executor.ts';
import { RowCache } from './json-caches.ts';
import { selectionFor } from './resource-cache.ts';

/** Opens a cache and counts how often rows are serialized. */
function open() {
  const rows = new RowCache();
  let times = 0;
  return {
    written(row: StoredRow, padding = '') {
      const json = JSON.stringify(row) + padding;
      assert.equal(
        rows.getOrSerialize(row, () => {
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
  it('are serialized once while they stay the same', () => {
    const { written } = open();
    const row = { id: 'a', name: 'Ada', seats: 4, owner: null };
    assert.equal(written(row), 1);
    assert.equal(written({ ...row }), 1);
    assert.equal(written({ ...row, seats: 5 }), 2);
    assert.equal(written({ ...row, owner: 'b' }), 3);
    assert.equal(written({ ...row }), 4);
  });

  it('are cached only if the JSON depends only on the row and all fields are requested', () => {
    const resources = compileResources(garage);
    const recent = (name: string, filter?: string) => {
      const resource = resources.get(name) as Resource;
      const fields =
        filter === undefined ? undefined : [...resource.fields.values()].filter((field) => field.name === filter);
      return selectionFor(resource, { fields, includes: [] }).rowCache;
    };
    assert.ok(recent('drivers') instanceof RowCache);
    assert.equal(recent('drivers'), recent('drivers'));
    assert.equal(recent('drivers', 'name'), undefined);
    assert.equal(recent('cars'), undefined, 'a computed field may depend on the time');
  });

  it('are serialized each time if they are large', () => {
    const { written } = open();
    assert.equal(written({ id: 'long' }, ' '.repeat(10_000)), 1);
    assert.equal(written({ id: 'long' }, ' '.repeat(10_000)), 2);
  });

  it('are correct for more rows than the cache holds', () => {
    const { written } = open();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 6000; i++) written({ id: `row ${i}`, round: round >> 1 });
    }
  });

  it('use no more memory than allowed', () => {
    const { written } = open();
    const long = ' '.repeat(8000);
    for (let i = 0; i < 1000; i++) written({ id: `row ${i}` }, long);
    assert.equal(written({ id: 'row 999' }, long), 1000, 'the last row is cached');
    assert.equal(written({ id: 'row 0' }, long), 1001, 'the first row is not cached');
  });
});
