import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/database/open-database.ts';
import { gatehouse } from '../harness/command.ts';
import { databases, onBothEngines } from '../harness/engines.ts';

const declare = fileURLToPath(new URL('../../src/resources/declare.ts', import.meta.url));

onBothEngines('The command migrate, with declared resources', (engine) => {
  const create = databases(engine);

  it('plans, refuses to lose data, and loses it on purpose', async () => {
    const database = await create();
    const env = { DATABASE_URL: database.url, DATA_DIR: database.dir };
    const run = (...args: string[]) => gatehouse(['migrate', ...args], database.dir, env);
    const declared = (fields: string) =>
      writeFileSync(
        join(database.dir, 'resources', 'shelves.ts'),
        `import { defineResource, reference, text } from '${declare}';
        export default defineResource({ name: 'shelves', fields: { ${fields}, user_id: reference('users') },
          access: { read: 'auth:api', write: 'auth:api' } });`,
      );
    mkdirSync(join(database.dir, 'resources'));
    declared('room: text()');
    assert.match((await run('--plan')).stdout, /would then bring up the table of shelves/);
    assert.match((await run()).stdout, /done: make the table "shelves"/);
    assert.match((await run()).stdout, /up to date/);

    const open = await openDatabase({ databaseUrl: database.url, databasePoolSize: 1, workingDir: database.dir });
    const row = { id: '1', room: 'A', created_at: 1, updated_at: 1, version: 1 };
    await open.db
      .insertInto('shelves' as never)
      .values(row as never)
      .execute();
    await open.close();
    declared('level: text()');
    assert.match((await run('--plan')).stdout, /would drop the column "room".*--allow-loss shelves\.room/);
    const refused = await run();
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /gatehouse migrate --allow-loss shelves\.room/);
    assert.match((await run('--allow-loss', 'shelves.room')).stdout, /done: drop the column "room"/);
    assert.match((await run('--plan')).stdout, /up to date/);
    declared('level: txt()');
    assert.match((await run()).stderr, /shelves\.ts:\d+:\d+ could not be read/);
  });
});
