import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { databases } from '../../../../test/harness/engines.ts';
import type { Database } from '../../database.ts';
import { openDatabase } from '../../open-database.ts';
import { rowMark } from '../../sqlite/row-mark.ts';

const many = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('Statements of one turn on PostgreSQL', () => {
  const create = databases('postgres');
  let database: Database;
  before(async () => {
    const { url, dir } = await create();
    database = await openDatabase({ databaseUrl: url, databasePoolSize: 4, workingDir: dir });
    await sql`create table notes (id text primary key, body text check (body <> 'bad'))`.execute(database.db);
    await sql`insert into notes select 'n' || n, 'body ' || n from generate_series(1, 500) as n`.execute(database.db);
  });
  after(() => database.close());

  const count = () =>
    database.read<{ n: number; at: string }>('select count(*) n, clock_timestamp()::text at from notes', []);
  const byId = 'select id, body, statement_timestamp()::text as at from notes where id = any($1)';
  const read = async (id: string) =>
    (await database.readKeyed?.<{ id: string; body: string; at: string }>(byId, id))?.[0];
  const insertMany = `insert into notes select r.id, r.body from json_to_recordset($1::json) as r (id text, body text)
    returning id, body, xmin::text as transaction`;
  const write = (id: string, body: string) =>
    database.batchWrite?.<{ id: string; transaction: string }>(insertMany, { id, body } as { id: string });

  it('are sent once if they are identical, and each caller gets a separate list', async () => {
    const responses = await Promise.all(many(20).map(count));
    assert.equal(new Set(responses.map(([row]) => row?.at)).size, 1);
    responses[0]?.pop();
    assert.equal(responses[1]?.length, 1);
  });

  it('that may be expensive are shared by one caller, and are canceled when all its requests are gone', async () => {
    const callerOf = (caller: string) => {
      const { promise, resolve: leave } = Promise.withResolvers<void>();
      const onDisconnect = (gone: () => void) => {
        void promise.then(gone);
        return () => undefined;
      };
      return { caller, leave, onDisconnect };
    };
    const search = async (caller: string) =>
      (
        await database.read<{ at: string }>(
          `select pg_backend_pid() || clock_timestamp()::text as at where ${rowMark} true`,
          [],
          callerOf(caller),
        )
      )[0]?.at;
    const [mine, mineAgain, other] = await Promise.all(['ada', 'ada', 'bob'].map(search));
    assert.equal(mine, mineAgain);
    assert.notEqual(mine, other);
    const asleep =
      "select count(*)::int as n from pg_stat_activity where query like 'select pg_sleep(99)%' and state = 'active'";
    const count = async () => (await database.read<{ n: number }>(asleep, []))[0]?.n;
    const readers = [callerOf('ada'), callerOf('ada')];
    const ended = readers.map((reader) =>
      assert.rejects(
        async () => database.read(`select pg_sleep(99) where ${rowMark} true`, [], reader),
        /closed the connection/,
      ),
    );
    while ((await count()) !== 1);
    readers[0]?.leave();
    assert.equal(await count(), 1);
    readers[1]?.leave();
    await Promise.all(ended);
    while ((await count()) !== 0);
  });

  it('see everything that was committed before, even if an identical statement is running', async () => {
    for (const n of many(20)) {
      const earlier = count();
      // The earlier read was already sent when this row is committed.
      await sql`insert into notes values (${`later${n}`}, '')`.execute(database.db);
      const [seen] = await count();
      assert.equal(seen?.n, 501 + n);
      await earlier;
    }
  });

  it('that read one row by id are combined', async () => {
    const found = await Promise.all(many(50).map((n) => read(`n${n + 1}`)));
    assert.deepEqual(
      found.map((row) => row?.body),
      many(50).map((n) => `body ${n + 1}`),
    );
    assert.equal(new Set(found.map((row) => row?.at)).size, 1);
    const [twice, same, none] = await Promise.all([read('n1'), read('n1'), read('n0')]);
    assert.deepEqual(twice, same);
    assert.equal(none, undefined);
    assert.equal(new Set((await Promise.all(many(450).map((n) => read(`n${n + 1}`)))).map((row) => row?.id)).size, 450);
  });

  it('that read rows by key are combined, and each caller gets a separate list', async () => {
    const byFirst = `select left(id, 2) as "_key", id, statement_timestamp()::text as at from notes
      where left(id, 2) = any($1) order by id desc`;
    const starting = async (key: string) =>
      (await database.readKeyed?.<{ id: string; at: string }>(byFirst, key, '_key')) ?? [];
    const [ones, nines, none, same] = await Promise.all(['n1', 'n9', 'n', 'n1'].map(starting));
    assert.deepEqual(
      [ones, nines, none].map((rows) => rows?.length),
      [111, 11, 0],
    );
    assert.deepEqual(
      nines?.map(({ id }) => id),
      ['n99', 'n98', 'n97', 'n96', 'n95', 'n94', 'n93', 'n92', 'n91', 'n90', 'n9'],
    );
    assert.equal(ones?.[0]?.at, nines?.[0]?.at);
    ones?.pop();
    assert.equal(same?.length, 111);
  });

  it('write in one transaction, or are skipped to be written alone', async () => {
    const written = await Promise.all(many(30).map((n) => write(`w${n}`, 'good')));
    assert.equal(new Set(written.map((row) => row?.transaction)).size, 1);
    assert.deepEqual(await Promise.all([write('x1', 'good'), write('x2', 'bad')]), [undefined, undefined]);
    const [first, second] = await Promise.all([write('y', 'good'), write('y', 'good')]);
    assert.deepEqual([first?.id, second], ['y', undefined]);
  });
});
