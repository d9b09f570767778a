import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { garage } from '../../../test/harness/garage.ts';
import { compileResources, type Resource } from '../model/resource.ts';
import type { StoredRow } from '../sql/executor.ts';
import { RecentRows } from './recent-rows.ts';
import { selectionFor } from './remembered.ts';

/** Opens a cache and counts how often rows are serialized. */
function open() {
  const rows = new RecentRows();
  let times = 0;
  return {
    written(row: StoredRow, padding = '') {
      const json = JSON.stringify(row) + padding;
      assert.equal(
        rows.of(row, () => {
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
    const row = { id: 'a', name: 'Ada', seats: 4, owner: null };
    assert.equal(written(row), 1);
    assert.equal(written({ ...row }), 1);
    assert.equal(written({ ...row, seats: 5 }), 2);
    assert.equal(written({ ...row, owner: 'b' }), 3);
    assert.equal(written({ ...row }), 4);
  });

  it('are remembered where what is shown depends on the row alone, and all of it is asked for', () => {
    const resources = compileResources(garage);
    const recent = (name: string, filter?: string) => {
      const resource = resources.get(name) as Resource;
      const fields =
        filter === undefined ? undefined : [...resource.fields.values()].filter((field) => field.name === filter);
      return selectionFor(resource, { fields, includes: [] }).recent;
    };
    assert.ok(recent('drivers') instanceof RecentRows);
    assert.equal(recent('drivers'), recent('drivers'));
    assert.equal(recent('drivers', 'name'), undefined);
    assert.equal(recent('cars'), undefined, 'a computed field may look at a clock');
  });

  it('are written each time where they take much room', () => {
    const { written } = open();
    assert.equal(written({ id: 'long' }, ' '.repeat(10_000)), 1);
    assert.equal(written({ id: 'long' }, ' '.repeat(10_000)), 2);
  });

  it('are right for more rows than are remembered', () => {
    const { written } = open();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 6000; i++) written({ id: `row ${i}`, round: round >> 1 });
    }
  });

  it('take no more room than they may', () => {
    const { written } = open();
    const long = ' '.repeat(8000);
    for (let i = 0; i < 1000; i++) written({ id: `row ${i}` }, long);
    assert.equal(written({ id: 'row 999' }, long), 1000, 'the last is remembered');
    assert.equal(written({ id: 'row 0' }, long), 1001, 'the first is not');
  });
});
