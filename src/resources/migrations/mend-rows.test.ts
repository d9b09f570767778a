import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { contexts } from '../../../test/harness/contexts.ts';
import { defineResource } from '../declaration/define-resource.ts';
import { integer, text } from '../declare.ts';
import { applyResourceMigrations, type MigrationOptions } from './migrate-resources.ts';

type Fields = Parameters<typeof defineResource>[0]['fields'];

const access = { read: 'auth:api', write: 'auth:api' } as const;

describe('Losses of a large table on PostgreSQL', () => {
  const make = contexts('postgres');

  it('are done a few rows at a time, or with no row written, and what is unique is so in the end', async () => {
    const { database } = await make();
    const migrate = (fields: Fields, options: MigrationOptions = {}) =>
      applyResourceMigrations(database, [defineResource({ name: 'cars', access, fields })], {
        byCommand: true,
        ...options,
      });
    const rows = async <T>(query: string) => (await sql.raw<T>(query).execute(database.db)).rows;
    /** In how many transactions the rows were written. */
    const writes = async () => {
      const [found] = await rows<{ n: number }>('select count(distinct xmin::text)::int as n from cars');
      return found?.n ?? 0;
    };
    const plate = text({ max: 40, searchable: true });
    await migrate({ plate, doors: integer(), maker: text() });
    await rows(`insert into cars (id, plate, plate_folded, maker, created_at, updated_at, version)
      select 'c' || n, 'PLATE ' || n, 'plate ' || n, 'same', 1, 1, 1 from generate_series(1, 2500) as n`);
    assert.equal(await writes(), 1);

    const colour = text({ required: true, searchable: true });
    const added = { plate, doors: integer(), maker: text(), colour };
    await assert.rejects(migrate(added), /--allow-loss cars\.colour/);
    await migrate(added, { allowLoss: ['cars.colour'] });
    assert.equal(await writes(), 1);
    const [first] = await rows('select colour, colour_folded from cars limit 1');
    assert.deepEqual(first, { colour: '', colour_folded: '' });

    const short = {
      ...added,
      plate: text({ max: 5, searchable: true }),
      doors: integer({ required: true, default: 4 }),
    };
    const lost = { allowLoss: ['cars.plate', 'cars.doors'] };
    await assert.rejects(migrate(short, { allowLoss: [...lost.allowLoss, 'cars.maker'] }), /nothing would be lost/);
    assert.equal(await writes(), 1, 'what is refused changes nothing');
    const done = await migrate(short, lost);
    assert.deepEqual(done.map((line) => line.replace(/: .*/, '')).sort(), [
      'change "cars.doors"',
      'change "cars.plate"',
    ]);
    assert.ok((await writes()) >= 3, String(await writes()));
    assert.deepEqual(await rows('select distinct plate, plate_folded, doors from cars'), [
      { plate: 'PLATE', plate_folded: 'plate', doors: 4 },
    ]);

    const retyped = { ...short, maker: integer({ unique: true, sortable: true }) };
    await migrate(retyped, { allowLoss: ['cars.maker'] });
    const indexes = await rows<{ name: string }>(`select indexrelid::regclass::text as name from pg_index
      where indrelid = 'cars'::regclass and indisvalid order by 1`);
    const names = indexes.map(({ name }) => name);
    for (const name of ['cars_maker_unique', 'cars_maker_id_order', 'cars_colour_folded_id_order'])
      assert.ok(names.includes(name), names.join());
    await rows(`update cars set maker = 1 where id = 'c1'`);
    await assert.rejects(rows(`update cars set maker = 1 where id = 'c2'`), /taken|unique|duplicate/i);
    assert.deepEqual(await migrate(retyped), []);
  });
});
