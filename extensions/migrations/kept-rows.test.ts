import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { parseDecimal, sortableDecimal } from '../../src/platform/decimal.ts';
import { defineResource, type ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import type { Fields } from '../../src/resources/declaration/fields/field.ts';
import { decimal, integer, text } from '../../src/resources/declare.ts';
import { databases, onBothEngines } from '../../test/harness/engines.ts';
import { applyResourceMigrations, planResourceMigrations } from './migrate-resources.ts';

const things = (fields: Fields, more: object = {}): ResourceDefinition =>
  defineResource({ name: 'things', fields, access: { read: 'auth:api', write: 'auth:api' }, ...more });

/** The fields differ from test to test. */
type ThingsTable = { things: Record<string, unknown> };

onBothEngines('Migrations of decimals, deleted rows and unique columns', (engine) => {
  const open: Database[] = [];
  const create = databases(engine);
  after(async () => {
    for (const database of open) await database.close();
  });
  const fresh = async (definition: ResourceDefinition): Promise<Database> => {
    const created = await create();
    const database = await openDatabase({ databaseUrl: created.url, databasePoolSize: 2, workingDir: created.dir });
    open.push(database);
    await migrate(database);
    await applyResourceMigrations(database, [definition]);
    return database;
  };
  const insert = async ({ db }: Database, values: object) =>
    db
      .withTables<ThingsTable>()
      .insertInto('things')
      .values({ created_at: 1, updated_at: 1, version: 1, ...values })
      .execute();

  it('allow more digits for a decimal, and fewer only if all values fit', async () => {
    const of = (precision: number, scale: number, more = {}) => [
      things({ amount: decimal({ precision, scale, ...more }) }),
    ];
    const database = await fresh(of(6, 2)[0] as ResourceDefinition);
    for (const [i, amount] of ['-99.25', '12.5', '0'].entries()) {
      await insert(database, { id: String(i), amount: sortableDecimal(parseDecimal(amount) ?? assert.fail(amount)) });
    }
    assert.deepEqual(await applyResourceMigrations(database, of(9, 4)), []);
    assert.deepEqual(await applyResourceMigrations(database, of(4, 2)), []);
    for (const [precision, scale] of [
      [3, 2],
      [4, 1],
      [2, 2],
    ] as const) {
      await assert.rejects(
        applyResourceMigrations(database, of(precision, scale)),
        /(row has|rows have) more digits in it/,
      );
    }
    await assert.rejects(applyResourceMigrations(database, of(4, 2, { min: 0 })), /1 row holds a value below 0/);
    await assert.rejects(applyResourceMigrations(database, of(4, 2, { max: 12 })), /1 row holds a value above 12/);
  });

  it('convert a decimal to the text that the API showed', async () => {
    const database = await fresh(things({ amount: decimal({ precision: 6, scale: 2 }) }));
    await insert(database, { id: '1', amount: sortableDecimal(parseDecimal('12.5') ?? assert.fail()) });
    await applyResourceMigrations(database, [things({ amount: text() })]);
    const row = await database.db.withTables<ThingsTable>().selectFrom('things').select('amount').executeTakeFirst();
    assert.equal(row?.amount, '12.50');
  });

  it('keep deleted rows after a resource gets softDelete, and restore none without a request', async () => {
    const fields = { name: text({ unique: true }) };
    const database = await fresh(things(fields));
    await insert(database, { id: '1', name: 'a' });
    await assert.rejects(insert(database, { id: '2', name: 'a' }));
    await applyResourceMigrations(database, [things(fields, { softDelete: true })]);
    await insert(database, { id: '2', name: 'a', deleted_at: 5 });
    await assert.rejects(insert(database, { id: '3', name: 'a', deleted_at: null }));
    assert.deepEqual(await applyResourceMigrations(database, [things(fields, { softDelete: true })]), []);
    await assert.rejects(applyResourceMigrations(database, [things(fields)]), /1 deleted rows would reappear/);
    await database.db.withTables<ThingsTable>().deleteFrom('things').where('id', '=', '2').execute();
    await applyResourceMigrations(database, [things(fields)]);
    await assert.rejects(insert(database, { id: '4', name: 'a', deleted_at: 7 }), 'unique among all rows again');
  });

  const code = (options = {}, more = {}) => things({ name: text(), code: text(options), size: integer() }, more);
  const withDefault = [code({ default: 'A', searchable: true })];
  const refusal = /things\.code: 3 rows have no value in it, and a default cannot fill a column that is unique/;
  const rows = async ({ db }: Database) =>
    (await db.withTables<ThingsTable>().selectFrom('things').selectAll().orderBy('id').execute()).map((row) => [
      row.code,
      row.code_folded,
    ]);
  const empty = [null, undefined];
  for (const [before, earlier] of [
    ['a unique field', [code({ unique: true })]],
    ['fields that are unique together', [code({}, { uniqueTogether: [['code', 'size']] })]],
    ['a unique field that was removed', [code({ unique: true }), things({ name: text(), size: integer() })]],
  ] as const) {
    it(`fill in the default of ${before} only after the unique index is dropped`, async () => {
      const database = await fresh(earlier[0]);
      for (const definition of earlier) await applyResourceMigrations(database, [definition]);
      for (const id of ['1', '2', '3']) await insert(database, { id, size: 1 });
      const { blockers } = await planResourceMigrations(database, withDefault);
      assert.match(blockers.join(), refusal);
      await assert.rejects(applyResourceMigrations(database, withDefault, { later: true }), refusal);
      assert.deepEqual(await rows(database), [empty, empty, empty]);
      const done = await applyResourceMigrations(database, withDefault, { drop: true, byCommand: true });
      assert.ok(done.includes('fill "things.code" with its default: 3 rows have no value in it'), done.join('\n'));
      const filled = ['A', 'a'];
      assert.deepEqual(await rows(database), [filled, filled, filled]);
      assert.deepEqual(await applyResourceMigrations(database, withDefault), []);
    });
  }

  it('start again with the default of a unique field, and fill it in only after the index is dropped', async () => {
    const database = await fresh(code({ default: 'A', unique: true }));
    await applyResourceMigrations(database, [things({ name: text() })]);
    for (const id of ['1', '2', '3']) await insert(database, { id, code: null });
    const again = [code({ default: 'A' })];
    assert.deepEqual(await applyResourceMigrations(database, again), []);
    assert.deepEqual(await applyResourceMigrations(database, again), []);
    const done = await applyResourceMigrations(database, again, { drop: true, byCommand: true });
    assert.ok(
      done.some((line) => line.startsWith('fill "things.code" with its default')),
      done.join('\n'),
    );
    assert.deepEqual(
      (await rows(database)).map(([value]) => value),
      ['A', 'A', 'A'],
    );
  });

  it('refuse a new unique field whose default every row would get', async () => {
    const database = await fresh(things({ name: text(), size: integer() }));
    const wanted = [code({ unique: true, default: 'A' })];
    const together = [code({ default: 'A' }, { uniqueTogether: [['code', 'size']] })];
    await insert(database, { id: '1', size: 1 });
    await insert(database, { id: '2', size: 1 });
    for (const definitions of [wanted, together])
      await assert.rejects(applyResourceMigrations(database, definitions), /rows hold the same code.* twice/);
    await database.db.withTables<ThingsTable>().updateTable('things').set({ size: 2 }).where('id', '=', '2').execute();
    await assert.rejects(applyResourceMigrations(database, wanted), /rows hold the same code twice/);
    await applyResourceMigrations(database, together);
    assert.deepEqual(
      (await rows(database)).map(([value]) => value),
      ['A', 'A'],
    );
  });

  it('refuse a unique default also if an empty column gets a new type', async () => {
    const database = await fresh(things({ code: text() }));
    for (const id of ['1', '2']) await insert(database, { id });
    const wanted = [things({ code: integer({ unique: true, default: 7 }) })];
    await assert.rejects(applyResourceMigrations(database, wanted, { byCommand: true }), /hold the same code twice/);
  });
});
