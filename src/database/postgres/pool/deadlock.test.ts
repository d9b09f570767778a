import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { databases } from '../../../../test/harness/engines.ts';
import type { Database } from '../../database.ts';
import { withMigrationLock } from '../../locks/migration-lock.ts';
import { openDatabase } from '../../open-database.ts';

describe('A deadlock on PostgreSQL', () => {
  const create = databases('postgres');
  let database: Database;
  before(async () => {
    const { url, dir } = await create();
    database = await openDatabase({ databaseUrl: url, databasePoolSize: 1, readTimeout: 5, workingDir: dir });
    // A sequence keeps its value when a statement is undone. So three of four calls fail with a deadlock.
    await sql`create sequence tries`.execute(database.db);
    await sql`create function victim() returns bigint language plpgsql as $$
      declare try bigint := nextval('tries');
      begin
        if try % 4 <> 0 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
        return try;
      end $$`.execute(database.db);
  });
  after(() => database.close());

  it('repeats a statement outside of a transaction', async () => {
    assert.deepEqual(await database.read('select victim()::int as try', []), [{ try: 4 }]);
    const { rows } = await sql`select victim()::int as try`.execute(database.db);
    assert.deepEqual(rows, [{ try: 8 }]);
  });

  it('responds 503 after too many deadlocks', async () => {
    await sql`create function lost() returns int language plpgsql as $$
      begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`.execute(database.db);
    await assert.rejects(async () => database.read('select lost()', []), { status: 503 });
  });

  it('repeats a migration', async () => {
    const migrated = await withMigrationLock(database, (tx) => sql`select victim()::int as try`.execute(tx));
    assert.deepEqual(migrated.rows, [{ try: 12 }]);
  });

  it('fails the transaction that it has undone', async () => {
    const inTransaction = database.db.transaction().execute((tx) => sql`select victim()`.execute(tx));
    await assert.rejects(inTransaction, { code: '40P01' });
  });
});
