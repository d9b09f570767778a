import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { SharedSnapshot } from './shared-snapshot.ts';

const dir = mkdtempSync(join(tmpdir(), 'gatehouse-snapshot-'));
let files = 0;

/** Opens a file with one connection that reads it through a snapshot, and another that writes to it. */
function open() {
  const path = join(dir, `${files++}.db`);
  const writer = new DatabaseSync(path);
  writer.exec('pragma journal_mode = wal; create table rows (n integer)');
  const reader = new DatabaseSync(path, { readOnly: true });
  const snapshot = new SharedSnapshot(reader);
  const count = reader.prepare('select count(*) as n from rows');
  return {
    reader,
    snapshot,
    insert: () => writer.exec('insert into rows values (1)'),
    read: () => {
      snapshot.join();
      return count.get()?.n;
    },
  };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('A shared snapshot', () => {
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('is shared by all reads of one turn and ends with the turn', async () => {
    const { read, insert, reader } = open();
    assert.equal(read(), 0);
    insert();
    assert.equal(read(), 0);
    await nextTurn();
    assert.equal(reader.isTransaction, false);
    assert.equal(read(), 1);
  });

  it('ends immediately for a reader that has learned of a commit', async () => {
    const { snapshot, read, insert, reader } = open();
    read();
    insert();
    snapshot.end();
    assert.equal(read(), 1);
    insert();
    snapshot.end();
    assert.equal(read(), 2);
    await nextTurn();
    assert.equal(reader.isTransaction, false, 'the turn ends a snapshot that was opened again within it');
  });

  it('works after a transaction that SQLite ended itself', async () => {
    const { snapshot, read, reader } = open();
    read();
    reader.exec('rollback');
    snapshot.end();
    assert.equal(read(), 0);
    await nextTurn();
    assert.equal(reader.isTransaction, false);
  });

  it('causes no error after the connection was closed', async () => {
    const { read, reader } = open();
    read();
    reader.close();
    // An error at the end of a turn would fail the test.
    await assert.doesNotReject(nextTurn());
    assert.throws(() => read(), /finalized|not open/);
  });
});
