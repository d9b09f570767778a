import assert from 'node:assert/strict';
import { chownSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { gatehouseHere } from '../harness/command-here.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { services } from '../harness/service.ts';

const owner = 12345;

onBothEngines('A command of root', (engine) => {
  const create = databases(engine);
  const start = services(engine);
  const skip = process.getuid?.() === 0 ? false : 'only root can give files to other users';

  it('creates files that the owner of their folder can read', { skip }, async () => {
    const database = await create();
    const dir = join(database.dir, 'data');
    mkdirSync(dir);
    chownSync(dir, owner, owner);
    const url = engine === 'sqlite' ? `sqlite:${join(dir, 'gatehouse.db')}` : database.url;
    const env = { DATABASE_URL: url, DATA_DIR: dir, EVENTS_LOG: `file:${join(dir, 'events.log')}` };
    const run = async (...args: string[]) => {
      const { code, stderr } = await gatehouseHere(args, database.dir, env);
      assert.equal(code, 0, stderr);
    };
    const expected = ['clients.json', 'events.log', 'events.log.1', 'first-password'];
    await run('user', 'create', '--email', 'ada@example.com');
    renameSync(join(dir, 'events.log'), join(dir, 'events.log.1'));
    await run('user', 'disable', 'ada@example.com');
    const service = await start({ database: { ...database, url, dir }, env: { ...env, ADMIN_PASSWORD: '' } });
    await service.close();
    if (engine === 'sqlite') {
      await run('backup', join(database.dir, 'copy.db'));
      await run('restore', join(database.dir, 'copy.db'), '--force', '--end-sessions');
      expected.push('encryption.key', 'gatehouse.db', 'gatehouse.db.before-restore');
    }
    const files = readdirSync(dir).sort();
    assert.deepEqual(files, expected.sort());
    for (const name of files) {
      const { uid, gid, mode } = statSync(join(dir, name));
      assert.deepEqual([name, uid, gid, mode & 0o777], [name, owner, owner, 0o600]);
    }
  });
});
