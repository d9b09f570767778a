import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { defineResource, type ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import type { Fields } from '../../src/resources/declaration/fields/field.ts';
import { boolean, date, integer, json, list, number, text, timestamp } from '../../src/resources/declare.ts';
import { readSchemas } from '../../src/resources/schemas/schema-store.ts';
import { withStoredNames } from '../../src/resources/schemas/storage-schema.ts';
import { hasUnfinishedWork } from '../../src/resources/schemas/unfinished-work.ts';
import { updateTriggersIfUnchanged } from '../../src/resources/schemas/update-triggers-if-unchanged.ts';
import { databases, onBothEngines } from '../../test/harness/engines.ts';
import { checkDefinitions } from '../declaration-checks/check-definitions.ts';
import { applyResourceMigrations, planResourceMigrations } from './migrate-resources.ts';
import { finishMigrations } from './steps/finish-migrations.ts';

const access = { read: 'auth:api', write: 'auth:api' } as const;
const things = (fields: Fields, more: object = {}): ResourceDefinition =>
  defineResource({ name: 'things', fields, access, ...more });

/** The fields differ from test to test. */
type DeclaredTables = Record<'things' | 'objects' | 'others', Record<string, unknown>>;

onBothEngines('Tables that change', (engine) => {
  const open: Database[] = [];
  const create = databases(engine);
  after(async () => {
    for (const database of open) await database.close();
  });
  const fresh = async (...definitions: ResourceDefinition[]): Promise<Database> => {
    const created = await create();
    const database = await openDatabase({ databaseUrl: created.url, databasePoolSize: 2, workingDir: created.dir });
    open.push(database);
    await migrate(database);
    await applyResourceMigrations(database, definitions);
    return database;
  };
  const insert = ({ db }: Database, values: object, table: keyof DeclaredTables = 'things') =>
    db
      .withTables<DeclaredTables>()
      .insertInto(table)
      .values({ created_at: 1, updated_at: 1, version: 1, ...values })
      .execute();
  const stored = ({ db }: Database, table: keyof DeclaredTables = 'things') =>
    db.withTables<DeclaredTables>().selectFrom(table).selectAll().orderBy('id').execute();

  it('let an older version start beside a newer one, and the other way round', async () => {
    const older = things({
      name: text({ searchable: true, required: true }),
      size: integer({ default: 3 }),
    });
    const newer = things({ name: text({ required: true }), color: text({ searchable: true }) });
    const database = await fresh(older);
    await insert(database, { id: '1', name: 'One', name_folded: 'one', size: 1 });
    await applyResourceMigrations(database, [newer]);
    await insert(database, { id: '2', name: 'Two', color: 'red', color_folded: 'red' });
    await insert(database, { id: '3', name: 'One', color: null });
    assert.deepEqual(await applyResourceMigrations(database, [newer]), [], 'the newer version has nothing left to do');
    // The older version starts again. It finds its columns and removes nothing of the newer version.
    await applyResourceMigrations(database, [older]);
    await insert(database, { id: '4', name: 'Four', name_folded: 'four', size: 4 });
    await insert(database, { id: '5', name: 'Five', color: 'blue', color_folded: 'blue' });
    assert.deepEqual(
      (await stored(database)).map(({ name, name_folded, size, color }) => [name, name_folded, size, color]),
      [
        ['One', 'one', 1, null],
        ['Two', 'two', 3, 'red'],
        ['One', 'one', 3, null],
        ['Four', 'four', 4, null],
        ['Five', null, null, 'blue'],
      ],
    );
    await applyResourceMigrations(database, [newer]);
    await insert(database, { id: '6', name: 'Six', color: 'green', color_folded: 'green' });
  });

  it('give rows of an older version the default of a field that it does not know', async () => {
    const older = { name: text({ required: true }) };
    const newer = things({
      ...older,
      colour: text({ required: true, default: "Ada's Red", searchable: true }),
      size: integer({ required: true, default: 3 }),
      flag: boolean({ default: true }),
      tags: list({ default: ['x'] }),
    });
    const database = await fresh(things(older));
    await insert(database, { id: '1', name: 'One' });
    await applyResourceMigrations(database, [newer]);
    await insert(database, { id: '2', name: 'Two' });
    for (const { id, name, created_at, updated_at, version, ...row } of await stored(database))
      assert.deepEqual(row, { colour: "Ada's Red", colour_folded: "ada's red", size: 3, flag: 1, tags: '["x"]' });
    assert.deepEqual(await applyResourceMigrations(database, [newer]), []);
  });

  for (const by of ['a start', 'gatehouse migrate']) {
    it(`fill rows of a version in which a field is optional: ${by}`, async () => {
      const database = await fresh(things({ colour: text({ searchable: true }), size: integer() }));
      const newer = [
        things({
          colour: text({ searchable: true, required: true, default: 'Red' }),
          size: integer({ required: true, default: 3 }),
        }),
      ];
      await applyResourceMigrations(database, newer);
      await insert(database, { id: '1', colour: null, colour_folded: null, size: null });
      await insert(database, { id: '2', colour: 'Blue', colour_folded: 'blue', size: 2 });
      const planned = async () =>
        (await planResourceMigrations(database, newer)).steps.map(({ description }) => description);
      const filling = [
        'fill "things.colour" with its default: another version wrote 1 row without it',
        'fill "things.size" with its default: another version wrote 1 row without it',
      ];
      assert.deepEqual(await planned(), filling);
      if (by === 'a start') {
        await applyResourceMigrations(database, newer, { later: true });
        await finishMigrations(database, []);
      } else assert.deepEqual(await applyResourceMigrations(database, newer), filling);
      const rows = (await stored(database)).map(({ colour, colour_folded, size }) => [colour, colour_folded, size]);
      assert.deepEqual(rows, [
        ['Red', 'red', 3],
        ['Blue', 'blue', 2],
      ]);
      assert.deepEqual(await planned(), []);
    });
  }

  for (const by of ['a start', 'gatehouse migrate']) {
    it(`fold the text of rows of a version in which a field is not searchable: ${by}`, async () => {
      const database = await fresh(things({ name: text() }));
      const newer = [things({ name: text({ searchable: true }) })];
      await applyResourceMigrations(database, newer);
      await insert(database, { id: '1', name: 'Élan' });
      await insert(database, { id: '2', name: null });
      const filling = ['fill "things.name_folded": another version wrote 1 row without it'];
      const planned = async () =>
        (await planResourceMigrations(database, newer)).steps.map(({ description }) => description);
      assert.deepEqual(await planned(), filling);
      if (by === 'a start') {
        assert.equal(await updateTriggersIfUnchanged(database, newer, []), engine === 'postgres');
        assert.equal(await hasUnfinishedWork(database), engine === 'postgres');
        await applyResourceMigrations(database, newer, { later: true });
        await finishMigrations(database, []);
      } else assert.deepEqual(await applyResourceMigrations(database, newer), filling);
      assert.deepEqual(
        (await stored(database)).map(({ name_folded }) => name_folded),
        ['élan', null],
      );
      assert.deepEqual(await planned(), []);
      assert.equal(await updateTriggersIfUnchanged(database, newer, []), true);
      assert.equal(await hasUnfinishedWork(database), false);
    });
  }

  it('keep the values of a renamed field and resource, also for versions with the earlier names', async () => {
    const older = things({ colour: text({ searchable: true }), size: integer() });
    const database = await fresh(older);
    await insert(database, { id: '1', colour: 'Red', colour_folded: 'red', size: 1 });
    const newer = defineResource({
      name: 'objects',
      renamedFrom: 'things',
      fields: { color: text({ searchable: true, renamedFrom: ['tint', 'colour'] }), size: integer() },
      access,
    });
    assert.deepEqual(await applyResourceMigrations(database, [newer]), []);
    assert.deepEqual(await applyResourceMigrations(database, [older]), []);
    assert.deepEqual(await applyResourceMigrations(database, [newer]), []);
    const [named] = withStoredNames([newer], await readSchemas(database.db));
    assert.deepEqual([named?.table, named?.fields.color?.options.column], ['things', 'colour']);
    // From then on, the column is declared.
    const later = defineResource({ name: 'objects', fields: { color: text({ searchable: true }) }, access });
    const [again] = withStoredNames([later], await readSchemas(database.db));
    assert.deepEqual([again?.table, again?.fields.color?.options.column], ['things', 'colour']);
    const clash = defineResource({ name: 'objects', fields: { color: text(), colour: text() }, access });
    await assert.rejects(applyResourceMigrations(database, [clash]), /fields\.colour: .*column: 'colour_2'/);
    await assert.rejects(
      applyResourceMigrations(database, [newer], { drop: ['things'] }),
      /no table or column of that name/,
      'the earlier name cannot drop a table in use',
    );
    assert.throws(
      () => checkDefinitions([things({ a: text(), b: text({ renamedFrom: 'a' }) })]),
      /fields\.b: renamedFrom: "a" is still declared/,
    );
  });

  it('give a new resource with the earlier name of a renamed one its own table', async () => {
    const database = await fresh(things({ name: text() }));
    await insert(database, { id: '1', name: 'One' });
    await applyResourceMigrations(database, [
      defineResource({ name: 'objects', renamedFrom: 'things', fields: { name: text() }, access }),
    ]);
    const renamed = defineResource({ name: 'objects', fields: { name: text() }, access });
    for (const definitions of [
      [renamed, things({ name: text() })],
      [things({ name: text() }), renamed],
    ])
      await assert.rejects(applyResourceMigrations(database, definitions), /both have the table .*table: 'things_2'/);
    const separate = [renamed, things({ name: text({ required: true }), size: integer() }, { table: 'things_2' })];
    await assert.rejects(applyResourceMigrations(database, separate), /at startup, .* Run npx .* migrate to create/);
    const [older] = withStoredNames([things({ name: text() })], await readSchemas(database.db));
    assert.equal(older?.table, 'things', 'an older version still finds its table');
    const byCommand = await applyResourceMigrations(database, separate, { byCommand: true });
    assert.equal(byCommand[0], 'create the table "things_2"');
    assert.deepEqual(await applyResourceMigrations(database, separate), []);
    assert.deepEqual(
      withStoredNames(separate, await readSchemas(database.db)).map(({ table }) => table),
      ['things', 'things_2'],
    );
    assert.equal((await stored(database)).length, 1);
    await assert.rejects(
      applyResourceMigrations(database, [things({ name: text() }, { table: 'things_3' })]),
      /the table cannot be renamed from "things_2" to "things_3"/,
    );
  });

  it('record the changes of a renamed field and resource', async () => {
    const changes = { changes: true };
    const database = await fresh(things({ colour: text() }, changes));
    const recorded = async (id: string) => {
      await insert(database, { id, colour: 'Red' });
      const change = database.db.selectFrom('change_log').select(['resource', 'after']).where('row_id', '=', id);
      const { resource, after } = await change.executeTakeFirstOrThrow();
      return [resource, JSON.parse(String(after)).colour];
    };
    const color = text({ renamedFrom: 'colour' });
    await applyResourceMigrations(database, [things({ color }, changes)]);
    assert.deepEqual(await recorded('1'), ['things', 'Red']);
    const objects = { name: 'objects', renamedFrom: 'things', access, ...changes };
    await applyResourceMigrations(database, [defineResource({ ...objects, fields: { color } })]);
    assert.deepEqual(await recorded('2'), ['objects', 'Red']);
    await applyResourceMigrations(database, [defineResource({ ...objects, fields: { color, size: integer() } })]);
    assert.deepEqual(await recorded('3'), ['objects', 'Red']);
  });

  it('convert values if nothing is lost, and check their bounds', async () => {
    const database = await fresh(
      things({
        whole: integer({ required: true }),
        real: number({ required: true }),
        flag: boolean(),
        at: timestamp(),
        day: date(),
        words: text({ searchable: true }),
        tags: list(),
      }),
    );
    const row = {
      whole: 12,
      real: 0.1,
      flag: 1,
      at: 0,
      day: '2026-01-31',
      words: 'a',
      words_folded: 'a',
      tags: '["x"]',
    };
    await insert(database, { id: '1', ...row });
    await insert(database, { id: '2', whole: -3, real: 4 });
    const short = things({ ...textual(), whole: text({ required: true, max: 1 }) });
    await assert.rejects(applyResourceMigrations(database, [short]), /2 rows have more than 1 characters/);
    await applyResourceMigrations(database, [things(textual())]);
    assert.deepEqual(
      (await stored(database)).map(({ whole, whole_folded, real, flag, at, day, words, tags }) => [
        ...[whole, whole_folded, real, flag],
        ...[at, day, words, tags],
      ]),
      [
        ['12', '12', '0.1', 'true', '1970-01-01T00:00:00.000Z', '2026-01-31', '"a"', '["x"]'],
        ['-3', '-3', '4', null, null, null, null, null],
      ],
    );
    await assert.rejects(
      applyResourceMigrations(database, [things({ ...textual(), whole: integer() })]),
      /things\.whole: it cannot become an integer/,
    );
  });

  const textual = () => ({
    whole: text({ required: true, searchable: true }),
    real: text({ required: true }),
    flag: text(),
    at: text(),
    day: text(),
    words: json(),
    tags: json(),
  });

  it('change the type of a column only if no version loses its values', async () => {
    const database = await fresh(things({ name: text(), size: text() }));
    await applyResourceMigrations(database, [things({ name: text(), size: integer() })]);
    await insert(database, { id: '1', name: 'x', size: null });
    const other = [things({ name: text(), size: boolean() })];
    await assert.rejects(
      applyResourceMigrations(database, other),
      /other versions may use the column\. Run npx gatehouse-server migrate/,
    );
    await applyResourceMigrations(database, other, { byCommand: true });
  });
});
