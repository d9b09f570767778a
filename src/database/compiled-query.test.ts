import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { databases, onBothEngines } from '../../test/harness/engines.ts';
import { compiledQuery } from './compiled-query.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open-database.ts';

const insert = compiledQuery((db, values: { key: string; count: number }) =>
  db.insertInto('throttles').values({ key: values.key, count: values.count, expires_at: 1000 }),
);
const atLeast = compiledQuery((db, { count }: { count: number }) =>
  db.selectFrom('throttles').selectAll().where('count', '>=', count).where('expires_at', '=', 1000).orderBy('key'),
);

onBothEngines('Compiled queries', (engine) => {
  const create = databases(engine);
  const open = async () => {
    const { url } = await create();
    const database = await openDatabase({ databaseUrl: url, databasePoolSize: 2, workingDir: '/' });
    await migrate(database);
    return database;
  };

  it('bind separate values for each run, in addition to the constants of the query', async () => {
    const database = await open();
    await database.db.transaction().execute(async (tx) => {
      for (const [i, key] of ['a', 'b', 'c'].entries()) await insert.run(tx, { key, count: i });
    });
    const found = async (count: number) => (await atLeast.read(database, { count })).map((row) => [row.key, row.count]);
    assert.deepEqual(await found(1), [
      ['b', 1],
      ['c', 2],
    ]);
    assert.deepEqual(await found(2), [['c', 2]]);
    assert.deepEqual(await atLeast.run(database.db, { count: 3 }), []);
    await database.close();
  });

  it('treat every value as data', async () => {
    const database = await open();
    const key = `'; drop table throttles; -- "\\ % \u{1f600}`;
    await insert.run(database.db, { key, count: 1 });
    assert.deepEqual(
      (await atLeast.read(database, { count: 0 })).map((row) => row.key),
      [key],
    );
    await database.close();
  });

  it('do not see uncommitted changes of a transaction', async () => {
    const database = await open();
    await database.db.transaction().execute(async (tx) => {
      await insert.run(tx, { key: 'a', count: 1 });
      assert.deepEqual(await atLeast.read(database, { count: 0 }), []);
      assert.equal((await atLeast.run(tx, { count: 0 })).length, 1);
    });
    await database.close();
  });

  it('name the columns correctly after a migration added a column', async () => {
    const database = await open();
    if (engine === 'postgres') return database.close(); // On PostgreSQL, each response names the columns.
    await insert.run(database.db, { key: 'a', count: 1 });
    await atLeast.read(database, { count: 0 });
    await sql`alter table throttles add column note text default 'x'`.execute(database.db);
    const [row] = await atLeast.read(database, { count: 0 });
    assert.partialDeepStrictEqual(row, { key: 'a', count: 1, expires_at: 1000, note: 'x' });
    await database.close();
  });
});
