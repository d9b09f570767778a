import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { backUp, restore } from '../../extensions/backup/backup.ts';
import { applyResourceMigrations } from '../../extensions/migrations/migrate-resources.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import type { BeginProgress } from '../../src/platform/progress.ts';
import { defineResource, text } from '../../src/resources/declare.ts';
import { contexts } from '../harness/contexts.ts';
import { databases, onBothEngines } from '../harness/engines.ts';

/** Records the progress that a terminal would show. */
function watching() {
  const bars: { total: number; done: number; steps: string[]; ended: boolean }[] = [];
  const progress: BeginProgress = (total, what) => {
    const bar = { total, done: 0, steps: [what], ended: false };
    bars.push(bar);
    return {
      advance(by, now) {
        assert.ok(by >= 0 && !bar.ended);
        bar.done += by;
        if (now !== undefined && now !== bar.steps.at(-1)) bar.steps.push(now);
      },
      end() {
        bar.ended = true;
      },
    };
  };
  return { bars, progress, steps: () => bars.flatMap(({ steps }) => steps).join('\n') };
}

describe('A backup of a SQLite database', () => {
  const make = contexts('sqlite');

  it('shows its progress, and so does a restore', async () => {
    const { testDatabase } = await make();
    const source = testDatabase.url.slice('sqlite:'.length);
    const [copy, again] = [join(testDatabase.dir, 'copy.db'), join(testDatabase.dir, 'again.db')];
    const seen = watching();
    await backUp(source, copy, { progress: seen.progress });
    await restore(copy, again, { progress: seen.progress });
    await assert.rejects(restore(copy, again, { progress: seen.progress }), /--force/);
    const [made, back, refused] = seen.bars;
    assert.deepEqual(made?.steps, ['copying', 'checking the copy', 'syncing it to disk']);
    assert.deepEqual(back?.steps, ['copying', 'checking the copy', 'syncing it to disk']);
    for (const { total, done } of [made, back]) assert.deepEqual([total > 0, done], [true, total]);
    assert.ok(refused?.ended && made?.ended && back?.ended);
  });
});

onBothEngines('A migration', (engine) => {
  const create = databases(engine);
  const make = contexts(engine);

  it('names the steps of the service as they start, and shows nothing without steps', async () => {
    const { url: databaseUrl, dir: workingDir } = await create();
    const database = await openDatabase({ databaseUrl, workingDir, databasePoolSize: 2 });
    const seen = watching();
    try {
      const names = await migrate(database, database.now, undefined, seen.progress);
      assert.deepEqual(seen.bars, [{ total: names.length, done: names.length - 1, steps: names, ended: true }]);
      await migrate(database, database.now, undefined, seen.progress);
      assert.equal(seen.bars.length, 1);
    } finally {
      await database.close();
    }
  });

  it('names the steps for the tables of resources, and counts the rows that it writes', async () => {
    const { database } = await make();
    const cars = (options: { searchable?: boolean }) =>
      defineResource({
        name: 'cars',
        access: { read: 'auth:api', write: 'auth:api' },
        fields: { model: text(options) },
      });
    await applyResourceMigrations(database, [cars({})]);
    await sql`insert into cars (id, model, created_at, updated_at, version)
      values ('a', 'Beetle', 1, 1, 1), ('b', 'Mini', 1, 1, 1)`.execute(database.db);
    const seen = watching();
    await applyResourceMigrations(database, [cars({ searchable: true })], { progress: seen.progress });
    assert.match(seen.steps(), /^add the column "model_folded" to "cars": 2 rows$/m);
    assert.match(seen.steps(), /^make the index "/m);
    assert.ok(seen.bars.length > 0 && seen.bars.every(({ ended, total }) => ended && total > 0));
    const before = seen.bars.length;
    await applyResourceMigrations(database, [cars({ searchable: true })], { progress: seen.progress });
    assert.equal(seen.bars.length, before);
  });
});
