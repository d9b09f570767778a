import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import type { Database } from '../../../src/database/database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { openDatabase } from '../../../src/database/open-database.ts';
import { defineResource, type ResourceDefinition } from '../../../src/resources/declaration/define-resource.ts';
import type { Fields } from '../../../src/resources/declaration/fields/field.ts';
import { reference, text } from '../../../src/resources/declare.ts';
import { readSchemas } from '../../../src/resources/schemas/schema-store.ts';
import { withStoredNames } from '../../../src/resources/schemas/storage-schema.ts';
import { databases, onBothEngines } from '../../../test/harness/engines.ts';
import { applyResourceMigrations } from '../migrate-resources.ts';

const declared = (name: string, fields: Fields, more: object = {}): ResourceDefinition =>
  defineResource({ name, fields, access: { read: 'auth:api', write: 'auth:api' }, ...more });

const hens = declared('hens', { egg_id: reference('eggs') });
const eggs = declared('eggs', { hen_id: reference('hens') });
const nests = declared('nests', { hen_id: reference('hens'), place: text() });

onBothEngines('The tables of renamed and undeclared resources', (engine) => {
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
  const insert = ({ db }: Database, table: string, values: object) =>
    db
      .withTables<Record<string, Record<string, unknown>>>()
      .insertInto(table)
      .values({ created_at: 1, updated_at: 1, version: 1, ...values })
      .execute();
  const names = async ({ db }: Database) => [...(await readSchemas(db)).keys()].sort();

  it('drops tables that refer to each other', async () => {
    const database = await fresh(hens, eggs, nests);
    await insert(database, 'hens', { id: '1', egg_id: null });
    await insert(database, 'eggs', { id: '2', hen_id: '1' });
    await insert(database, 'hens', { id: '3', egg_id: '2' });
    await insert(database, 'nests', { id: '4', hen_id: '1', place: 'barn' });
    const steps = await applyResourceMigrations(database, [], { drop: ['hens', 'eggs', 'nests'] });
    assert.deepEqual(steps.map((step) => step.replace(/,.*/, '')).sort(), [
      'drop the table "eggs" of eggs',
      'drop the table "hens" of hens',
      'drop the table "nests" of nests',
    ]);
    assert.deepEqual(await names(database), []);
    await applyResourceMigrations(database, [hens, eggs, nests]);
  });

  it('keeps a table to which a column that stays refers', async () => {
    const database = await fresh(hens, eggs, nests);
    await insert(database, 'nests', { id: '4', hen_id: null, place: 'barn' });
    const placed = declared('nests', { place: text() });
    const drop = (...dropped: string[]) => applyResourceMigrations(database, [placed], { drop: dropped });
    await assert.rejects(drop('hens', 'eggs'), /--drop: nests\.hen_id refers to the table "hens"\. Drop both\./);
    await assert.rejects(drop('eggs'), /--drop: hens\.egg_id refers to the table "eggs"\. Drop both\./);
    assert.deepEqual(await names(database), ['eggs', 'hens', 'nests']);
    await drop('hens', 'eggs', 'nests.hen_id');
    assert.deepEqual(await names(database), ['nests']);
    await insert(database, 'nests', { id: '5', place: 'tree' });
  });

  it('drops all empty tables without a name, except those that other tables need', async () => {
    const database = await fresh(hens, eggs, nests, declared('fields', { name: text() }));
    await insert(database, 'nests', { id: '4', hen_id: null, place: 'barn' });
    assert.deepEqual(await applyResourceMigrations(database, [], { drop: true, byCommand: true }), [
      'drop the table "fields" of fields, which is no longer declared',
    ]);
    assert.deepEqual(await names(database), ['eggs', 'hens', 'nests']);
    await applyResourceMigrations(database, [], { drop: ['nests'] });
    assert.equal((await applyResourceMigrations(database, [], { drop: true, byCommand: true })).length, 2);
    assert.deepEqual(await names(database), []);
  });

  it('forgets every name of a renamed resource', async () => {
    const fowl = declared('fowl', { name: text() }, { renamedFrom: 'birds' });
    for (const drop of [['fowl'], ['birds'], ['birds', 'fowl'], true] as const) {
      const database = await fresh(declared('birds', { name: text({ sortable: true }) }));
      await applyResourceMigrations(database, [fowl]);
      await assert.rejects(
        applyResourceMigrations(database, [fowl], { drop: ['birds'] }),
        /no table or column of that name/,
      );
      await applyResourceMigrations(database, [], { drop, byCommand: true });
      assert.deepEqual(await names(database), []);
      await applyResourceMigrations(database, [declared('birds', { name: text() })]);
      await insert(database, 'birds', { id: '1', name: 'x' });
    }
  });

  it('keeps the table of a resource whose new name has a dash', async () => {
    const database = await fresh(declared('birds', { name: text() }));
    await insert(database, 'birds', { id: '1', name: 'x' });
    const renamed = declared('water-birds', { name: text() }, { renamedFrom: 'birds' });
    assert.deepEqual(await applyResourceMigrations(database, [renamed]), []);
    const [named] = withStoredNames([declared('water-birds', { name: text() })], await readSchemas(database.db));
    assert.equal(named?.table, 'birds');
    const other = declared('birds', { name: text() }, { table: 'land_birds' });
    await applyResourceMigrations(database, [declared('water-birds', { name: text() }), other], { byCommand: true });
    await insert(database, 'land_birds', { id: '1', name: 'x' });
  });
});
