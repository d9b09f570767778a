import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { defineResource, type ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import type { Fields } from '../../src/resources/declaration/fields/field.ts';
import { date, integer, number, oneOf, reference, text } from '../../src/resources/declare.ts';
import { databases, onBothEngines } from '../../test/harness/engines.ts';
import { applyResourceMigrations, planResourceMigrations } from './migrate-resources.ts';

const access = { read: 'auth:api', write: 'auth:api' } as const;
const things = (fields: Fields, more: object = {}): ResourceDefinition =>
  defineResource({ name: 'things', fields, access, ...more });

/** The fields differ from test to test. */
type ThingsTable = { things: Record<string, unknown> };

onBothEngines('Migrations of declared resources', (engine) => {
  const open: Database[] = [];
  const create = databases(engine);
  after(async () => {
    for (const database of open) await database.close();
  });
  const fresh = async (fields: Fields): Promise<Database> => {
    const created = await create();
    const database = await openDatabase({ databaseUrl: created.url, databasePoolSize: 2, workingDir: created.dir });
    open.push(database);
    await migrate(database);
    await applyResourceMigrations(database, [things(fields)]);
    return database;
  };
  const insert = async ({ db }: Database, values: object) =>
    db
      .withTables<ThingsTable>()
      .insertInto('things')
      .values({ created_at: 1, updated_at: 1, version: 1, ...values })
      .execute();
  const stored = ({ db }: Database) =>
    db.withTables<ThingsTable>().selectFrom('things').selectAll().orderBy('id').execute();

  it('create tables once, and do nothing if nothing changed', async () => {
    const fields = { name: text({ required: true, searchable: true }), size: integer({ sortable: true }) };
    const database = await fresh(fields);
    assert.deepEqual(await applyResourceMigrations(database, [things(fields)]), []);
    assert.deepEqual((await planResourceMigrations(database, [things(fields)])).steps, []);
  });

  it('add fields, defaults, folded columns and indexes to tables with rows', async () => {
    const database = await fresh({ name: text() });
    for (const [id, name] of [
      ['1', 'Éa'],
      ['2', 'ΣΑΣ'],
      ['3', null],
    ] as const)
      await insert(database, { id, name });
    const done = await applyResourceMigrations(database, [
      things({
        name: text({ searchable: true, sortable: true }),
        size: integer({ default: 7, sortable: true }),
        color: oneOf(['red'], { searchable: true }),
      }),
    ]);
    assert.ok(done.length >= 4, done.join());
    assert.deepEqual(
      (await stored(database)).map(({ name_folded, size, color }) => [name_folded, size, color]),
      [
        ['éa', 7, null],
        ['σασ', 7, null],
        [null, 7, null],
      ],
    );
  });

  it('drop nothing by themselves: undeclared columns stay until an operator drops them', async () => {
    const database = await fresh({ name: text({ searchable: true }), empty: text({ searchable: true }) });
    await insert(database, { id: '1', name: 'x' });
    const wanted = [things({ other: text() })];
    const columns = async () =>
      Object.keys((await stored(database))[0] ?? {}).filter((name) => !/^(id|version|.*_at)$/.test(name));
    assert.deepEqual(await applyResourceMigrations(database, wanted), ['add the column "other" to "things"']);
    assert.deepEqual((await columns()).sort(), ['empty', 'empty_folded', 'name', 'name_folded', 'other']);
    assert.deepEqual(await applyResourceMigrations(database, wanted), []);
    const { unnamed } = await planResourceMigrations(database, wanted);
    assert.match(
      unnamed.map(({ description, fix }) => `${description} ${fix}`).join(),
      /things\.name is no longer .* 1 row .*--drop things\.name/,
    );
    await applyResourceMigrations(database, wanted, { drop: true, byCommand: true });
    assert.deepEqual((await columns()).sort(), ['name', 'other'], 'a column with values stays');
    await applyResourceMigrations(database, wanted, { drop: ['things.name'], byCommand: true });
    assert.deepEqual(await columns(), ['other']);
    await assert.rejects(
      applyResourceMigrations(database, wanted, { drop: ['things.name'] }),
      /no table or column of that name/,
    );
  });

  it('refuse a new required field without a default while there are rows', async () => {
    const database = await fresh({ name: text() });
    const wanted = [things({ name: text(), code: text({ required: true }) })];
    await insert(database, { id: '1', name: null });
    await assert.rejects(
      applyResourceMigrations(database, wanted),
      /things\.code: 1 row has no value in it\. Give it a constant default.*migrations\/001-fill-things-code\.ts.*update things set code/s,
    );
    assert.ok(!('code' in ((await stored(database))[0] ?? {})), 'a refused migration changes nothing');
    await applyResourceMigrations(database, [things({ name: text(), code: text() })]);
    await assert.rejects(
      applyResourceMigrations(database, [things({ name: text(), code: text({ unique: true, default: 'A' }) })]),
      /things\.code: 1 row has no value in it, and a default cannot fill a column that is unique\. Let it be empty \(neither/,
    );
    await assert.rejects(
      applyResourceMigrations(database, [things({ name: text(), code: text({ unique: true, required: true }) })]),
      /things\.code: 1 row has no value in it\. Let it be empty \(neither/,
    );
    const empty = await fresh({ name: text() });
    await applyResourceMigrations(empty, wanted);
  });

  it('fill existing rows with the default of a field that had none', async () => {
    const database = await fresh({ name: text(), size: integer(), place: integer() });
    await insert(database, { id: '1', name: 'Éa', size: 2, place: 3 });
    await insert(database, { id: '2' });
    const wanted = [
      things({
        name: text({ default: 'Ès', searchable: true }),
        size: integer({ required: true, default: 7 }),
        place: text({ default: 'here', max: 4 }),
      }),
    ];
    const filling = (name: string) => `fill "things.${name}" with its default: 1 row has no value in it`;
    const { steps, blockers } = await planResourceMigrations(database, wanted);
    assert.deepEqual(blockers, []);
    assert.deepEqual(
      steps.map(({ description }) => description).filter((description) => description.startsWith('fill')),
      ['name', 'size', 'place'].map(filling),
    );
    const done = await applyResourceMigrations(database, wanted);
    for (const name of ['name', 'size', 'place']) assert.ok(done.includes(filling(name)), done.join('\n'));
    assert.deepEqual(
      (await stored(database)).map(({ name, name_folded, size, place }) => [name, name_folded, size, place]),
      [
        ['Éa', 'éa', 2, '3'],
        ['Ès', 'ès', 7, 'here'],
      ],
    );
    assert.deepEqual(await applyResourceMigrations(database, wanted), []);
    // The field is removed and declared again.
    await applyResourceMigrations(database, [things({ name: text(), size: integer() })]);
    await applyResourceMigrations(database, [things({ name: text() })]);
    await insert(database, { id: '3', name: 'x', name_folded: 'x', size: null });
    const again = await applyResourceMigrations(database, wanted);
    assert.deepEqual([(await stored(database))[2]?.size, again.includes(filling('size'))], [7, true]);
  });

  it('apply a stricter limit only if every row fits', async () => {
    const before = {
      name: text({ max: 50, searchable: true }),
      size: integer(),
      color: oneOf(['red', 'blue', 'green']),
    };
    const database = await fresh(before);
    await insert(database, { id: '1', name: 'ABCDEF', name_folded: 'abcdef', size: 90, color: 'blue' });
    const fits = {
      name: text({ max: 6, searchable: true }),
      size: integer({ max: 90 }),
      color: oneOf(['red', 'blue']),
    };
    await applyResourceMigrations(database, [things(fits)]);
    const tight = {
      name: text({ max: 3, searchable: true }),
      size: integer({ max: 9 }),
      color: oneOf(['red'], { default: 'red' }),
    };
    await assert.rejects(applyResourceMigrations(database, [things(tight)]), (error: Error) => {
      assert.match(error.message, /! things\.name: 1 row has more than 3 characters in it.*001-fit-things-name\.ts/);
      assert.match(error.message, /! things\.size: 1 row holds a value above 9\..*001-fit-things-size\.ts/);
      assert.match(error.message, /! things\.color: 1 row holds a value that is no longer allowed/);
      return true;
    });
    await sql`update things set name = 'ABC', size = 9, color = 'red'`.execute(database.db);
    assert.deepEqual(await applyResourceMigrations(database, [things(tight)]), []);
  });

  it('change types only if all values can be kept', async () => {
    const database = await fresh({ size: integer({ sortable: true }) });
    await insert(database, { id: '1', size: 5 });
    await applyResourceMigrations(database, [things({ size: number({ sortable: true }) })]);
    // The columns are in another order, because PostgreSQL remembers the types of a prepared statement.
    await insert(database, { size: 1.5, id: '2' });
    assert.deepEqual(
      (await stored(database)).map(({ size }) => size),
      [5, 1.5],
    );
    const dated = [things({ size: date({ unique: true }) })];
    await assert.rejects(
      applyResourceMigrations(database, dated, { byCommand: true }),
      /things\.size: it cannot become a date, because 2 rows have a value in it.*update things set size = null/,
    );
    await sql`update things set size = null`.execute(database.db);
    await assert.rejects(
      applyResourceMigrations(database, dated),
      /other versions may use .* Run npx gatehouse-server migrate/,
    );
    await applyResourceMigrations(database, dated, { byCommand: true });
    const dateOf = (id: string) =>
      sql`insert into things (id, size, created_at, updated_at) values (${id}, '2026-01-31', 1, 1)`.execute(
        database.db,
      );
    await dateOf('3');
    await assert.rejects(dateOf('4'), /unique|taken|duplicate/i);
  });

  it('keep integers that JavaScript cannot represent', async () => {
    const database = await fresh({ size: integer() });
    await sql`insert into things (id, size, created_at, updated_at) values ('1', 9007199254740993, 1, 1)`.execute(
      database.db,
    );
    await applyResourceMigrations(database, [things({ size: text() })], { byCommand: true });
    assert.equal((await stored(database))[0]?.size, '9007199254740993');
  });

  it('change the onDelete action of a reference, and keep its values', async () => {
    const database = await fresh({ parent: reference('things') });
    await insert(database, { id: '1', parent: null });
    await insert(database, { id: '2', parent: '1' });
    const removed = database.db.withTables<ThingsTable>().deleteFrom('things').where('id', '=', '1');
    await assert.rejects(removed.execute());
    await applyResourceMigrations(database, [things({ parent: reference('things', { onDelete: 'cascade' }) })]);
    assert.deepEqual(
      (await stored(database)).map(({ parent }) => parent),
      [null, '1'],
    );
    await removed.execute();
    assert.deepEqual(await stored(database), []);
  });

  it('refuse a unique field with duplicate values', async () => {
    const database = await fresh({ name: text(), size: integer() });
    for (const id of ['1', '2']) await insert(database, { id, name: 'same', size: null });
    await applyResourceMigrations(database, [things({ name: text(), size: integer({ unique: true }) })]);
    await assert.rejects(
      applyResourceMigrations(database, [things({ name: text({ unique: true }), size: integer() })]),
      /rows hold the same name twice/,
    );
  });

  it('keep the table of an undeclared resource until an operator drops it', async () => {
    const database = await fresh({ name: text() });
    await insert(database, { id: '1', name: 'x' });
    await applyResourceMigrations(database, []);
    assert.equal((await stored(database)).length, 1);
    await applyResourceMigrations(database, [], { drop: ['things'] });
    await assert.rejects(stored(database));
    await applyResourceMigrations(database, [things({ name: text() })]);
    assert.deepEqual(await stored(database), []);
  });

  it('create tables that refer to each other in a circle', async () => {
    const database = await fresh({});
    const hens = defineResource({ name: 'hens', fields: { egg_id: reference('eggs') }, access });
    const eggs = defineResource({ name: 'eggs', fields: { hen_id: reference('hens') }, access });
    await applyResourceMigrations(database, [hens, eggs]);
    assert.deepEqual(await applyResourceMigrations(database, [hens, eggs]), []);
  });

  it('run safely when several instances start at once', async () => {
    const database = await fresh({ name: text() });
    const wanted = [things({ name: text(), size: integer({ default: 1, sortable: true }) })];
    const done = await Promise.all([1, 2, 3].map(() => applyResourceMigrations(database, wanted)));
    assert.deepEqual(done.map(({ length }) => length > 0).sort(), [false, false, true]);
  });
});
