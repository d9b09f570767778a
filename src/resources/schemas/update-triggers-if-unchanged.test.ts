import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { sql } from 'kysely';
import { applyResourceMigrations } from '../../../extensions/migrations/migrate-resources.ts';
import { finishMigrations } from '../../../extensions/migrations/steps/finish-migrations.ts';
import { databases, onBothEngines, type TestDatabase } from '../../../test/harness/engines.ts';
import type { Database } from '../../database/database.ts';
import { withMigrationLock } from '../../database/locks/migration-lock.ts';
import { migrate } from '../../database/migrate.ts';
import { openDatabase } from '../../database/open-database.ts';
import { withoutTableLocks } from '../../database/without-table-locks.ts';
import { defineResource, type ResourceDefinition } from '../declaration/define-resource.ts';
import type { Fields } from '../declaration/fields/field.ts';
import { integer, reference, text } from '../declare.ts';
import { readSchemas } from './schema-store.ts';
import { hasUnfinishedWork } from './unfinished-work.ts';
import { updateTriggersIfUnchanged } from './update-triggers-if-unchanged.ts';

const access = { read: 'auth:api', write: 'auth:api' } as const;
const things = (fields: Fields, more: object = {}): ResourceDefinition =>
  defineResource({ name: 'things', fields, access, ...more });

onBothEngines('A start', (engine) => {
  const open: Database[] = [];
  const create = databases(engine);
  after(async () => {
    for (const database of open) await database.close();
  });
  const openAgain = async ({ url, dir }: TestDatabase): Promise<Database> => {
    const database = await openDatabase({ databaseUrl: url, databasePoolSize: 2, workingDir: dir });
    open.push(database);
    return database;
  };
  const fresh = async (...definitions: ResourceDefinition[]): Promise<Database> => {
    const created = await create();
    const database = await openAgain(created);
    await migrate(database);
    await applyResourceMigrations(database, definitions);
    return database;
  };
  const insert = ({ db }: Database, values: object) =>
    db
      .withTables<{ things: Record<string, unknown> }>()
      .insertInto('things')
      .values({ created_at: 1, updated_at: 1, version: 1, ...values })
      .execute();
  const isUnchanged = (database: Database, ...definitions: ResourceDefinition[]) =>
    updateTriggersIfUnchanged(database, definitions, []);

  it('finds every difference between the declared and the stored schemas', async () => {
    const fields = { name: text({ required: true, searchable: true }), size: integer({ sortable: true, default: 1 }) };
    const others = defineResource({ name: 'others', fields: { thing: reference('things') }, access });
    const database = await fresh(things(fields), others);
    assert.equal(await isUnchanged(database, things(fields), others), true);
    assert.equal(await isUnchanged(database, things(fields)), true, 'the table of an undeclared resource stays');
    const schemas = await readSchemas(database.db);
    for (const changed of [
      things({ ...fields, color: text() }),
      things({ name: fields.name }),
      things({ ...fields, size: integer({ default: 1 }) }),
      things({ ...fields, size: integer({ sortable: true, default: 2 }) }),
      things({ ...fields, size: text({ sortable: true, default: '1' }) }),
      things({ ...fields, name: text({ required: true, searchable: true, max: 5 }) }),
      things(fields, { uniqueTogether: [['name', 'size']] }),
      things(fields, { softDelete: true }),
      defineResource({ name: 'objects', renamedFrom: 'things', fields, access }),
    ])
      assert.equal(await isUnchanged(database, changed), false);
    assert.deepEqual(await readSchemas(database.db), schemas);
    await applyResourceMigrations(database, [things({ name: fields.name })]);
    assert.equal(await isUnchanged(database, things({ name: fields.name })), false, 'it reports the unused column');
  });

  it('finds pending migrations of the operator', async () => {
    const database = await fresh();
    const files = [{ name: '001-first' }, { name: '002-second' }];
    const record = (name: string) =>
      database.db.insertInto('operator_migrations').values({ name, applied_at: 1 }).execute();
    await record('000-deleted');
    await record('001-first');
    assert.equal(await updateTriggersIfUnchanged(database, [], files), false);
    await record('002-second');
    assert.equal(await updateTriggersIfUnchanged(database, [], files), true);
  });

  it('finds rows that another version wrote without a default', async () => {
    const definition = things({ name: text(), size: integer({ required: true, default: 3 }) });
    const database = await fresh(definition);
    await insert(database, { id: '1', name: null, size: 3 });
    assert.deepEqual([await isUnchanged(database, definition), await hasUnfinishedWork(database)], [true, false]);
    await insert(database, { id: '2', name: null, size: null });
    assert.deepEqual(
      [await isUnchanged(database, definition), await hasUnfinishedWork(database)],
      engine === 'sqlite' ? [false, false] : [true, true],
    );
  });

  it('finds these rows while another instance migrates', async () => {
    const definition = things({ name: text({ searchable: true }) });
    const created = await create();
    const [database, other] = [await openAgain(created), await openAgain(created)];
    await migrate(database);
    await applyResourceMigrations(database, [definition]);
    await insert(database, { id: '1', name: 'One', name_folded: null });
    if (engine === 'postgres')
      await withoutTableLocks(other, async () => assert.equal(await hasUnfinishedWork(database), true));
    else await withMigrationLock(other, async () => assert.equal(await isUnchanged(database, definition), false));
  });

  it('updates triggers, which do not depend on the schema alone', async () => {
    const fields = { name: text() };
    const database = await fresh(things(fields));
    const recorded = async (id: string) => {
      await insert(database, { id, name: 'a' });
      const rows = await database.db.selectFrom('change_log').select('row_id').where('row_id', '=', id).execute();
      return rows.length === 1;
    };
    assert.equal(await recorded('1'), false);
    assert.equal(await isUnchanged(database, things(fields, { changes: true })), true);
    assert.equal(await recorded('2'), true);
    assert.equal(await isUnchanged(database, things(fields)), true);
    assert.equal(await recorded('3'), false);
  });

  if (engine === 'postgres') {
    it('finishes the work of a renamed table by its newest schema', async () => {
      const size = (value: number) => integer({ sortable: true, default: value });
      const database = await fresh(things({ size: size(1), color: text({ sortable: true }) }));
      const objects = defineResource({ name: 'objects', renamedFrom: 'things', fields: { size: size(2) }, access });
      await applyResourceMigrations(database, [objects]);
      await applyResourceMigrations(database, [objects], { drop: ['objects.color'], byCommand: true });
      assert.equal(await hasUnfinishedWork(database), false, 'no index of the dropped column is missing');
      await insert(database, { id: '1', size: null });
      await finishMigrations(database, []);
      const { rows } = await sql<{ size: unknown }>`select size from things`.execute(database.db);
      assert.deepEqual(
        rows.map((row) => Number(row.size)),
        [2],
      );
    });

    it('finds missing indexes and references that were not validated', async () => {
      const definition = things({ parent: reference('things'), size: integer({ sortable: true }) });
      const database = await fresh(definition);
      const run = (text: string) => sql.raw(text).execute(database.db);
      const finish = async () => {
        assert.equal(await isUnchanged(database, definition), true);
        assert.equal(await hasUnfinishedWork(database), true);
        await finishMigrations(database, []);
        assert.equal(await hasUnfinishedWork(database), false);
      };
      assert.equal(await hasUnfinishedWork(database), false);
      await run('drop index things_size_id_order');
      await finish();
      await run('alter table things drop constraint things_parent_fkey');
      await run('alter table things add foreign key (parent) references things (id) not valid');
      await finish();
    });
  }
});
