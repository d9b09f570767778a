import assert from 'node:assert/strict';
import fs, { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createIfMissing, createServiceFolder } from '../../src/platform/files.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { services } from '../harness/service.ts';

const owner = 12345;
const skip = process.getuid?.() === 0 ? false : 'only root can give files to other users';

onBothEngines('A command of root', (engine) => {
  const create = databases(engine);
  const start = services(engine);

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
      await run('backup', join(dir, 'copies'), '--keep', '2');
      assert.equal(statSync(join(dir, 'copies')).uid, 0, 'the service does not need the backups of root');
      rmSync(join(dir, 'copies'), { recursive: true });
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

describe('Root in a folder whose owner replaces it meanwhile', () => {
  const create = databases('sqlite');

  for (const [method, createPath] of [
    ['openSync', createIfMissing],
    ['mkdirSync', createServiceFolder],
  ] as const) {
    it(`gives away nothing but its own result of ${method}`, { skip }, async ({ mock }) => {
      const { dir } = await create();
      const foreign = join(dir, 'foreign');
      mkdirSync(join(foreign, 'name'), { recursive: true });
      const served = join(dir, 'served');
      mkdirSync(served);
      chownSync(served, owner, owner);
      const real = fs[method] as (...parameters: unknown[]) => unknown;
      const mocked = mock.method(fs, method, (...parameters: unknown[]) => {
        const result = real(...parameters);
        if (existsSync(join(served, 'name'))) {
          renameSync(served, `${served}.old`);
          symlinkSync(foreign, served);
        }
        return result;
      });
      syncBuiltinESMExports();
      try {
        createPath(join(served, 'name'));
      } finally {
        mocked.mock.restore();
        syncBuiltinESMExports();
      }
      assert.equal(statSync(join(foreign, 'name')).uid, 0);
      assert.equal(statSync(join(`${served}.old`, 'name')).uid, method === 'openSync' ? owner : 0);
    });
  }

  it('gives away no file that it creates in a folder of root', { skip }, async ({ mock }) => {
    const { dir } = await create();
    const [foreign, served] = [join(dir, 'foreign'), join(dir, 'served')];
    for (const folder of [foreign, served]) mkdirSync(folder);
    chownSync(served, owner, owner);
    const real = fs.openSync;
    const mocked = mock.method(fs, 'openSync', (...parameters: Parameters<typeof real>) => {
      if (!existsSync(`${served}.old`)) {
        renameSync(served, `${served}.old`);
        symlinkSync(foreign, served);
      }
      return real(...parameters);
    });
    syncBuiltinESMExports();
    try {
      createIfMissing(join(served, 'name'));
    } finally {
      mocked.mock.restore();
      syncBuiltinESMExports();
    }
    assert.equal(statSync(join(foreign, 'name')).uid, 0);
  });
});
