import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { findMissingIndexes, migrate } from '../../../src/database/migrate.ts';
import { contexts, type TestContext } from '../../../test/harness/contexts.ts';
import { services } from '../../../test/harness/service.ts';
import { createMissingIndexes } from './create-indexes.ts';

describe('Indexes of migrations on a PostgreSQL with rows', () => {
  const clients: pg.Client[] = [];
  // Runs before the database is removed.
  after(async () => {
    for (const client of clients) await client.end();
  });
  const open = contexts('postgres');
  const start = services('postgres');
  let context: TestContext;
  let writer: pg.Client;
  let other: pg.Client;
  before(async () => {
    context = await open();
    const connectionString = context.testDatabase.url;
    clients.push(new pg.Client({ connectionString }), new pg.Client({ connectionString }));
    [writer, other] = clients as [pg.Client, pg.Client];
    for (const client of clients) await client.connect();
    // The state after a start that was interrupted before it created the index.
    await other.query('drop index events_actor');
  });

  const write = (client: pg.Client, id: string) =>
    client.query(`insert into events (id, type, data, created_at) values ('${id}', 'test', '{}', 1)`);
  const validity = async () =>
    (
      await other.query(`select indisvalid as valid from pg_index where indexrelid = to_regclass('events_actor')`)
    ).rows.map(({ valid }) => valid);

  const make = async (report?: (line: string) => void) =>
    createMissingIndexes(context.database, await findMissingIndexes(context.database), report);
  const isBeingMade = async () => {
    const making = `select 1 from pg_stat_activity where datname = current_database()
      and query like 'create index concurrently%' and wait_event_type = 'Lock'`;
    while ((await other.query(making)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const isThere = async () => {
    while ((await validity())[0] !== true) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('are created by one of the starting instances, without blocking writes or other instances', async () => {
    await writer.query('begin');
    await write(writer, 'open');
    // The migrations succeed, although the index cannot be created yet.
    assert.deepEqual(await migrate(context.database), []);
    const created = Promise.all([make(), make()]);
    await isBeingMade();
    // Creating the index waits for the open transaction and blocks no other transaction.
    await other.query(`set lock_timeout = 5000`);
    await write(other, 'meanwhile');
    await writer.query('commit');
    await created;
    assert.deepEqual(await validity(), [true]);
  });

  it('are created again if their creation was interrupted', async () => {
    await other.query(`update pg_index set indisvalid = false where indexrelid = 'events_actor'::regclass`);
    await make();
    assert.deepEqual(await validity(), [true]);
  });

  it('fail when their connection breaks, without ending the process', async () => {
    await other.query('drop index events_actor');
    await writer.query('begin');
    await write(writer, 'and again');
    const lines: string[] = [];
    const created = make((line) => lines.push(line));
    await isBeingMade();
    await other.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'gatehouse-migrations' and datname = current_database()`);
    await created;
    await writer.query('commit');
    assert.match(lines.join(), /events_actor could not be created/);
    await make();
    assert.deepEqual(await validity(), [true]);
  });

  it('do not prevent a service from serving or stopping, and are created while it serves', async () => {
    await other.query('drop index events_actor');
    await writer.query('begin');
    await write(writer, 'open again');
    const first = await start({ database: context.testDatabase });
    assert.equal((await fetch(`${first.url}/health/ready`)).status, 200);
    await isBeingMade();
    await first.close();
    await start({ database: context.testDatabase });
    await writer.query('commit');
    await isThere();
  });
});
