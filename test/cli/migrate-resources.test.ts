import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/database/open-database.ts';
import { gatehouse } from '../harness/command.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import { databases, onBothEngines } from '../harness/engines.ts';

const migrations = fileURLToPath(new URL('../../extensions/migrations/declare.ts', import.meta.url));
const declare = fileURLToPath(new URL('../../src/resources/declare.ts', import.meta.url));

onBothEngines('The command migrate, with declared resources', (engine) => {
  const create = databases(engine);

  it('refuses an unknown role like a start, and changes nothing', async () => {
    const database = await create();
    mkdirSync(join(database.dir, 'resources'));
    writeFileSync(
      join(database.dir, 'resources', 'shelves.ts'),
      `import { defineResource, role, text } from '${declare}';
      export default defineResource({ name: 'shelves', fields: { room: text() },
        access: { read: role('librarian'), write: 'auth:api' } });`,
    );
    const env = { DATABASE_URL: database.url, DATA_DIR: database.dir };
    for (const args of [['migrate', '--plan'], ['migrate']]) {
      const { code, stdout, stderr } = await gatehouseHere(args, database.dir, env);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /librarian/);
    }
    const { code, stdout } = await gatehouseHere(['migrate'], database.dir, { ...env, ROLES: 'librarian' });
    assert.deepEqual([code, /create the table "shelves"/.test(stdout)], [0, true]);
  });

  it('shows the plan, refuses to lose data, and drops columns on request', async () => {
    const database = await create();
    const env = { DATABASE_URL: database.url, DATA_DIR: database.dir };
    const project = join(database.dir, 'project');
    let runs = 0;
    const run = (...args: string[]) => {
      // In a copy of the project, because a process imports each file only once.
      const copy = `${project}-${++runs}`;
      cpSync(project, copy, { recursive: true });
      return gatehouseHere(['migrate', ...args], copy, env);
    };
    const declared = (fields: string) =>
      writeFileSync(
        join(project, 'resources', 'shelves.ts'),
        `import { date, defineResource, reference, text } from '${declare}';
        export default defineResource({ name: 'shelves', fields: { ${fields}, user_id: reference('users') },
          access: { read: 'auth:api', write: 'auth:api' } });`,
      );
    mkdirSync(join(project, 'resources'), { recursive: true });
    declared('room: text()');
    assert.match(
      (await gatehouse(['migrate', '--plan'], project, env)).stdout,
      /would then update the table of shelves/,
    );
    assert.match((await run()).stdout, /done: create the table "shelves"/);
    assert.match((await run()).stdout, /up to date/);

    const open = await openDatabase({ databaseUrl: database.url, databasePoolSize: 1, workingDir: database.dir });
    const row = { id: '1', room: 'A', created_at: 1, updated_at: 1, version: 1 };
    await open.db.withTables<{ shelves: typeof row }>().insertInto('shelves').values(row).execute();
    await open.close();
    declared('room: date()');
    const impossible = await run('--plan');
    assert.equal(impossible.code, 1, 'a start would refuse too');
    assert.match(impossible.stdout, /cannot: shelves\.room: it cannot become a date, because 1 row has a value in it/);
    const refused = await run();
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /migrations\/001-empty-shelves-room\.ts, with `update shelves set room = null`/);
    declared('level: text({ required: true })');
    assert.equal((await run('--plan')).code, 1);
    const folder = join(project, 'migrations');
    mkdirSync(folder);
    writeFileSync(
      join(folder, '001-levels.ts'),
      `import { defineMigration, sql } from '${migrations}';
      export default defineMigration({
        async up({ tx, engine }) {
          if (engine !== '${engine}') throw new Error('another engine');
          await sql\`update shelves set level = room where level is null\`.execute(tx);
        },
      });`,
    );
    const possible = await run('--plan');
    assert.equal(possible.code, 0, possible.stderr);
    assert.match(possible.stdout, /would add the column "level" to "shelves"\nwould run the migration 001-levels/);
    const earlier = await openDatabase({ databaseUrl: database.url, databasePoolSize: 1, workingDir: database.dir });
    await earlier.db.deleteFrom('migrations').where('name', '=', '002-factor-sessions').execute();
    for (const table of ['passkeys', 'authenticators'])
      await earlier.db.schema.alterTable(table).dropColumn('session_id').execute();
    await earlier.close();
    const both = await run('--plan');
    assert.equal(both.code, 0, both.stderr);
    assert.match(both.stdout, /^would apply 002-factor-sessions\nwould add .*\nwould run the migration 001-levels/);
    assert.match((await run()).stdout, /^applied 002-factor-sessions\n.*done: run the migration 001-levels/s);
    const then = await run('--plan');
    assert.match(then.stdout, /stays: shelves\.room is no longer declared, and 1 row has/);
    assert.equal(then.code, 0);
    declared('level: date()');
    const { stdout, stderr } = await run('--plan');
    assert.match(stdout, /cannot: shelves\.level: .*migrations\/002-empty-shelves-level\.ts/);
    assert.match(stderr, /would refuse to start/);
    assert.doesNotMatch(stderr, /shelves/, 'the plan appears once');
    declared('level: text({ required: true })');
    for (const name of ['shelves', 'shelves.level'])
      assert.match((await run('--drop', name)).stderr, new RegExp(`--drop ${name}: .* is still declared`));
    assert.match(
      (await run('--drop', 'shelf')).stderr,
      /--drop shelf: the database has no table or column of that name/,
    );
    writeFileSync(join(folder, '002-fails.mjs'), 'export default { up() { throw new Error("not so"); } }');
    const failed = await run();
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /002-fails\.mjs failed, and nothing was changed: not so/);
    writeFileSync(join(folder, '002-fails.mjs'), 'export default { upp() {} }');
    assert.match((await run()).stderr, /upp: .*Did you mean "up"\?/);
    rmSync(join(folder, '002-fails.mjs'));
    assert.match((await run('--drop', 'shelves.room')).stdout, /done: drop the column "room"/);
    assert.match((await run('--plan')).stdout, /up to date/);
    declared('level: txt()');
    assert.match((await run()).stderr, /shelves\.ts:\d+:\d+ could not be read/);
  });

  it('gives a resource its earlier name back after its columns have changed', async () => {
    const database = await create();
    const env = { DATABASE_URL: database.url, DATA_DIR: database.dir };
    let runs = 0;
    const migrate = async (declaration: string, ...args: string[]) => {
      const project = join(database.dir, `project-${++runs}`);
      mkdirSync(join(project, 'resources'), { recursive: true });
      writeFileSync(
        join(project, 'resources', 'shelves.ts'),
        `import { defineResource, integer, text } from '${declare}';
        export default defineResource({ ${declaration}, access: { read: 'auth:api', write: 'auth:api' } });`,
      );
      const { code, stdout, stderr } = await gatehouseHere(['migrate', ...args], project, env);
      assert.equal(code, 0, stderr);
      return stdout.trim();
    };
    await migrate("name: 'shelves', fields: { room: text({ unique: true }), color: text({ sortable: true }) }");
    const racks = "name: 'racks', renamedFrom: 'shelves', fields: { room: text(), size: integer() }";
    assert.match(await migrate(racks), /add the column "size"/);
    assert.match(await migrate(racks, '--drop'), /drop the column "color"/);
    const again = "name: 'shelves', renamedFrom: 'racks', fields: { room: text(), size: integer() }";
    assert.equal(await migrate(again, '--plan'), 'The database is up to date.');
    await migrate(again);
    const fields = "name: 'shelves', fields: { room: text({ unique: true }), color: text({ sortable: true }) }";
    assert.match(
      await migrate(fields),
      /add the column "color".*add the column "color_folded".*"shelves_room_unique"/s,
    );
    const open = await openDatabase({ databaseUrl: database.url, databasePoolSize: 1, workingDir: database.dir });
    const row = { id: '1', room: 'A', color: 'Red', size: 4, created_at: 1, updated_at: 1, version: 1 };
    await open.db.withTables<{ shelves: typeof row }>().insertInto('shelves').values(row).execute();
    await open.close();
    assert.match(await migrate(fields, '--plan'), /stays: shelves\.size is no longer declared, and 1 row has/);
  });
});
