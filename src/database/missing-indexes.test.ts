import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { contexts, type TestContext } from '../../test/harness/contexts.ts';
import { migrate } from './migrate.ts';

describe('Indexes of migrations on a PostgreSQL with rows', () => {
  const clients: pg.Client[] = [];
  // Before the database goes.
  after(async () => {
    for (const client of clients) await client.end();
  });
  const make = contexts('postgres');
  let context: TestContext;
  let [writer, other] = [] as unknown as [pg.Client, pg.Client];
  before(async () => {
    context = await make();
    const connectionString = context.testDatabase.url;
    clients.push(new pg.Client({ connectionString }), new pg.Client({ connectionString }));
    [writer, other] = clients as [pg.Client, pg.Client];
    for (const client of clients) await client.connect();
    // As an earlier version left it.
    await other.query('drop index events_actor; delete from migrations where name like $$029%$$');
  });

  const write = (client: pg.Client, id: string) =>
    client.query(`insert into events (id, type, data, created_at) values ('${id}', 'test', '{}', 1)`);
  const validity = async () =>
    (
      await other.query(`select indisvalid as valid from pg_index where indexrelid = to_regclass('events_actor')`)
    ).rows.map(({ valid }) => valid);

  it('are made while others write, by one of those who start, and hold up none of them', async () => {
    await writer.query('begin');
    await write(writer, 'open');
    const migrated = Promise.all([migrate(context.database), migrate(context.database)]);
    const making = `select 1 from pg_stat_activity where datname = current_database()
      and query like 'create index concurrently%' and wait_event_type = 'Lock'`;
    while ((await other.query(making)).rowCount !== 1) await new Promise((resolve) => setTimeout(resolve, 5));
    // It waits for the transaction that is open, and nobody waits for it.
    await other.query(`set lock_timeout = 5000`);
    await write(other, 'meanwhile');
    await writer.query('commit');
    assert.deepEqual((await migrated).flat(), ['029-events-by-actor']);
    assert.deepEqual(await validity(), [true]);
  });

  it('are made again where somebody was cut off while making them', async () => {
    await other.query(`update pg_index set indisvalid = false where indexrelid = 'events_actor'::regclass`);
    assert.deepEqual(await migrate(context.database), []);
    assert.deepEqual(await validity(), [true]);
  });
});
