import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import type { Database } from '../../../src/database/database.ts';
import { withoutTableLocks } from '../../../src/database/without-table-locks.ts';
import { defineResource } from '../../../src/resources/declaration/define-resource.ts';
import { boolean, integer, number, reference, text } from '../../../src/resources/declare.ts';
import { contexts } from '../../../test/harness/contexts.ts';
import { applyResourceMigrations, planResourceMigrations } from '../migrate-resources.ts';

type Fields = Parameters<typeof defineResource>[0]['fields'];

const name = 'cars';
const access = { read: 'auth:api', write: 'auth:api' } as const;
const before = defineResource({ name, access, fields: { model: text() } });
const after = defineResource({
  name,
  access,
  fields: {
    model: text({ searchable: true, sortable: true }),
    wheels: integer({ required: true, default: 4, searchable: true }),
    plate: text({ unique: true }),
  },
});

describe('Migrations of a large table on PostgreSQL', () => {
  const make = contexts('postgres');

  it('create indexes and fold existing rows during writes, rewrite no row for a default, and repair interrupted work', async () => {
    const { database, testDatabase } = await make();
    await applyResourceMigrations(database, [before]);
    await sql`insert into cars (id, model, created_at, updated_at, version)
      select 'c' || n, 'Model ' || n, 1, 1, 1 from generate_series(1, 2500) as n`.execute(database.db);
    const writer = new pg.Client({ connectionString: testDatabase.url });
    await writer.connect();
    try {
      // Simulates a migration that was interrupted while it created an index.
      const { steps } = await planResourceMigrations(database, [after]);
      const planned = steps.flatMap(({ index }) => index?.name ?? []);
      assert.ok(planned.length >= 3);
      await sql`create index ${sql.ref(planned[0] as string)} on cars (id)`.execute(database.db);
      await sql`update pg_index set indisvalid = false where indexrelid = ${planned[0]}::regclass`.execute(database.db);
      const done = applyResourceMigrations(database, [after]);
      let ended = false;
      void done.finally(() => {
        ended = true;
      });
      for (let n = 0; !ended; n++)
        await writer.query(`insert into cars (id, created_at, updated_at, version) values ('w${n}', 1, 1, 1)`);
      const says = await done;
      assert.ok(says.some((line) => /index/.test(line)));
    } finally {
      await writer.end();
    }
    const { rows: indexes } = await sql<{
      valid: boolean;
    }>`select indisvalid as valid, indexrelid::regclass::text as name from pg_index
      where indrelid = 'cars'::regclass`.execute(database.db);
    assert.deepEqual(
      indexes.filter(({ valid }) => !valid),
      [],
    );
    assert.ok(indexes.length > 3, String(indexes.length));
    const { rows } = await sql<{ model_folded: string; wheels: number }>`select model_folded, wheels from cars
      where id in ('c1', 'c2500')`.execute(database.db);
    assert.deepEqual(rows.map(({ model_folded }) => model_folded).sort(), ['model 1', 'model 2500']);
    assert.ok(rows.every(({ wheels }) => wheels === 4));
    const limit = await sql<{ ms: string }>`select current_setting('statement_timeout') as ms`.execute(database.db);
    assert.notEqual(limit.rows[0]?.ms, '0');
    assert.deepEqual(await applyResourceMigrations(database, [after]), []);
  });

  it('convert values, resume columns and add references during writes, and keep those writes', async () => {
    const { database, testDatabase } = await make();
    const makers = defineResource({ name: 'makers', access, fields: { title: text() } });
    const cars = (fields: Fields) => [makers, defineResource({ name, access, fields })];
    const model = text({ searchable: true });
    const indexed = { searchable: true, sortable: true } as const;
    await applyResourceMigrations(
      database,
      cars({ model, wheels: integer(indexed), doors: integer({ unique: true }) }),
    );
    await sql`insert into cars (id, model, model_folded, wheels, doors, created_at, updated_at, version)
      select 'c' || n, 'Model ' || n, 'wrong', n, n, 1, 1, 1 from generate_series(1, 1500) as n`.execute(database.db);
    const written = new Map<string, number>();
    const versions: Fields[] = [
      { wheels: number(indexed), doors: text({ unique: true }), maker: reference('makers') },
      { model, wheels: text(indexed), doors: text({ unique: true }), maker: reference('makers') },
    ];
    const writer = new pg.Client({ connectionString: testDatabase.url });
    await writer.connect();
    try {
      for (const version of versions) {
        let ended = false;
        const done = applyResourceMigrations(database, cars(version)).finally(() => {
          ended = true;
        });
        for (let n = 0; !ended; n++) {
          const id = `c${1 + ((n * 7) % 1500)}`;
          await writer.query(`update cars set wheels = '${n + 5000}' where id = '${id}'`);
          written.set(id, n + 5000);
        }
        assert.ok((await done).some((line) => line.includes('change how "cars.wheels" is stored')));
      }
    } finally {
      await writer.end();
    }
    const { rows } = await sql<Record<'id' | 'wheels' | 'doors' | 'model' | 'model_folded', string>>`
      select * from cars`.execute(database.db);
    assert.equal(rows.length, 1500);
    for (const { id, wheels, doors, model, model_folded } of rows) {
      const nth = id.slice(1);
      assert.deepEqual([wheels, doors, model_folded], [String(written.get(id) ?? nth), nth, model.toLowerCase()], id);
    }
    const left = await sql<{ name: string }>`
      select tgname as name from pg_trigger where tgname like 'recast%'
      union all select proname from pg_proc where proname like 'recast%'
      union all select relname from pg_class where relname ~ '^(left_|cars.*_n$)'
      union all select indexrelid::regclass::text from pg_index where not indisvalid
      union all select conname from pg_constraint where not convalidated`.execute(database.db);
    assert.deepEqual(left.rows, []);
    const unique = sql`insert into cars (id, doors, created_at, updated_at, version) values ('x', '7', 1, 1, 1)`;
    await assert.rejects(unique.execute(database.db), /duplicate|unique|taken/i);
    assert.deepEqual(await applyResourceMigrations(database, cars(versions[1] as Fields)), []);
  });

  it('run once when several instances start together, and leave nothing behind', async () => {
    const { database } = await make();
    const cars = (fields: Fields) => [defineResource({ name, access, fields })];
    await applyResourceMigrations(database, cars({ used: boolean(), wheels: integer({ unique: true }) }));
    await sql`insert into cars (id, used, wheels, created_at, updated_at, version)
      select 'c' || n, 1, n, 1, 1, 1 from generate_series(1, 1500) as n`.execute(database.db);
    const wanted = cars({ used: text({ sortable: true }), wheels: text({ unique: true }) });
    const starts = await Promise.all([1, 2, 3].map(() => applyResourceMigrations(database, wanted)));
    assert.deepEqual(starts.map(({ length }) => length > 0).sort(), [false, false, true]);
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from cars where used = 'true'`.execute(
      database.db,
    );
    assert.equal(rows[0]?.n, 1500);
    const left = await sql<{ name: string }>`
      select tgname as name from pg_trigger where tgname like 'recast%'
      union all select attname from pg_attribute where attrelid = 'cars'::regclass and attname like '%_as_%'
      union all select relname from pg_class where relname ~ '^(left_|cars.*_n$)'
      union all select indexrelid::regclass::text from pg_index where not indisvalid`.execute(database.db);
    assert.deepEqual(left.rows, []);
  });

  it('do not wait for the later work of an instance that has changed the tables', async () => {
    const { database } = await make();
    await applyResourceMigrations(database, [before]);
    await sql`insert into cars (id, model, created_at, updated_at, version) values ('1', 'One', 1, 1, 1)`.execute(
      database.db,
    );
    const { promise: planned, resolve: onPlanned } = Promise.withResolvers<void>();
    const waitingDatabase: Database = {
      ...database,
      direct: async (work) => {
        onPlanned();
        return database.direct?.(work) ?? assert.fail();
      },
    };
    await withoutTableLocks(database, async (db) => {
      const waiting = applyResourceMigrations(waitingDatabase, [after], { later: true });
      await planned;
      // The lock belongs to this connection.
      const first: Database = { ...database, direct: (work) => work(db) };
      assert.notDeepEqual(await applyResourceMigrations(first, [after], { later: true }), []);
      assert.deepEqual(await waiting, []);
    });
  });
});
