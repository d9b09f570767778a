import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { contexts } from '../../../test/harness/contexts.ts';
import { defineResource } from '../declaration/define-resource.ts';
import { integer, text } from '../declare.ts';
import { applyResourceMigrations, planResourceMigrations } from './migrate-resources.ts';

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

  it('make indexes beside a writer, fold rows that are there, write none for a default, and mend what was cut off', async () => {
    const { database, testDatabase } = await make();
    await applyResourceMigrations(database, [before]);
    await sql`insert into cars (id, model, created_at, updated_at, version)
      select 'c' || n, 'Model ' || n, 1, 1, 1 from generate_series(1, 2500) as n`.execute(database.db);
    const writer = new pg.Client({ connectionString: testDatabase.url });
    await writer.connect();
    try {
      // As somebody would leave it who was cut off while an index was made.
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
});
