import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { type ResourceService, resourceServices } from '../../../test/harness/resource-service.ts';
import { defineResource } from '../declaration/define-resource.ts';
import { text } from '../declare.ts';

const notes = defineResource({
  name: 'notes',
  fields: { body: text({ max: 100 }) },
  access: { read: 'auth:api', write: 'auth:api' },
});

describe('Cached counts on PostgreSQL', () => {
  let operator: pg.Client;
  after(() => operator.end());
  const start = resourceServices('postgres');
  let service: ResourceService;
  let counted = 0;
  before(async () => {
    service = await start([notes]);
    operator = new pg.Client({ connectionString: service.database.url });
    await operator.connect();
    const { database } = service.context as { database: { read: (...all: never[]) => unknown } };
    const read = database.read as (text: string, ...rest: never[]) => unknown;
    Object.assign(database, {
      read: (sql: string, ...rest: never[]) => {
        if (sql.includes('as "countsChanges"')) counted++;
        return read(sql, ...rest);
      },
    });
    await insert(1, 50);
  });

  const insert = (from: number, to: number) =>
    operator.query(
      `insert into notes (id, body, created_at, updated_at, version)
       select '00000000-0000-7000-8000-' || lpad(i::text, 12, '0'), 'x', 1, 1, 1 from generate_series($1::int, $2::int) as i`,
      [from, to],
    );
  const total = async () => (await service.request('GET', '/v1/notes?limit=5')).pagination.total;
  const isRight = async () => {
    const { rows } = await operator.query('select count(*) as n from notes');
    assert.equal(await total(), rows[0].n);
  };
  /** After some requests, the service has found that no transaction is running. */
  const settle = async () => {
    for (let n = 0; n < 5; n++) await isRight();
  };
  /** Repeats the request until five responses in a row needed no count, because other transactions may run on the same server. */
  const untilKnown = async (asks = isRight) => {
    for (let known = 0; known < 5; ) {
      const before = counted;
      await asks();
      known = counted === before ? known + 1 : 0;
    }
  };

  it('are not counted again while nothing changes', async () => {
    await untilKnown();
    assert.ok(counted > 0);
  });

  it('are counted again after every write, including plain SQL', async () => {
    await settle();
    const made = await service.request('POST', '/v1/notes', { json: { body: 'new' } });
    await isRight();
    await settle();
    await operator.query(`delete from notes where id > '00000000-0000-7000-8000-000000000040'`);
    await isRight();
    assert.equal((await service.request('GET', `/v1/notes/${made.row.id}`)).status, 404);
    await settle();
    await insert(41, 45);
    await isRight();
    await settle();
    await operator.query('truncate notes');
    assert.equal(await total(), 0);
    await insert(1, 50);
    await settle();
  });

  it('are correct while a transaction is open, after its commit and after its rollback', async () => {
    const other = new pg.Client({ connectionString: service.database.url });
    await other.connect();
    for (const end of ['commit', 'rollback', 'commit']) {
      await other.query('begin');
      await other.query('delete from notes where id in (select id from notes limit 3)');
      await settle();
      // Another row is committed meanwhile.
      await insert(100 + counted * 2, 101 + counted * 2);
      await settle();
      await other.query(end);
      await isRight();
      await settle();
    }
    await other.end();
  });

  it('stay valid above the cap while too few rows can have been deleted', async () => {
    await insert(200_000, 230_000);
    await untilKnown(async () => assert.equal(await total(), 10_000));
    const before = counted;
    await operator.query(`delete from notes where id in (select id from notes order by id desc limit 2000)`);
    const capped = await service.request('GET', '/v1/notes?limit=5');
    assert.deepEqual([capped.pagination.total, capped.pagination.total_capped], [10_000, true]);
    assert.equal(counted, before);
    await operator.query(`delete from notes where id in (select id from notes order by id desc limit 25000)`);
    await isRight();
    assert.ok(counted > before);
  });

  it('are not used if triggers were disabled', async () => {
    await operator.query(`alter table notes disable trigger user; select nextval('row_changes')`);
    await settle();
    await insert(300_000, 300_001);
    await isRight();
  });
});
