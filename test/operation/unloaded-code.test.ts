import assert from 'node:assert/strict';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { root, startedProcesses } from '../harness/starts.ts';

const declaration = (fields: string) => `
import { defineResource, integer, text } from 'gatehouse-server/resources';
export default defineResource({
  name: 'cars',
  fields: { ${fields} },
  access: { read: 'auth:api', write: 'auth:api' },
});`;

const migration = `
import { defineMigration } from 'gatehouse-server/migrations';
export default defineMigration({ up() {} });`;

describe('A start', () => {
  const started = startedProcesses();
  const folders: string[] = [];
  after(() => folders.forEach((folder) => void rmSync(folder, { recursive: true, force: true })));

  /** A copy of the built service, whose files a test can remove. */
  function installed() {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-unloaded-'));
    folders.push(folder);
    for (const path of ['bin', 'dist', 'package.json'])
      cpSync(join(root, path), join(folder, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const name of ['resources', 'migrations']) mkdirSync(join(folder, name));
    const start = () =>
      started(
        { name: 'serve', command: [process.execPath, join(folder, 'bin/gatehouse.mjs'), 'serve'], anywhere: true },
        folder,
        { PORT: '0', ADMIN_EMAIL: 'a@example.com', ADMIN_PASSWORD: 'correct horse battery' },
      );
    return {
      folder,
      start,
      async startAndStop() {
        const { says, child, end } = start();
        await says(/"msg":"listening"/);
        child.kill('SIGTERM');
        assert.deepEqual(await end, [0, null]);
      },
      declare: (fields: string) => writeFileSync(join(folder, 'resources', 'cars.ts'), declaration(fields)),
      removeChunks(names: string, count: number) {
        const files = globSync(join(folder, `dist/chunks/${names}-*.js`));
        assert.ok(files.length >= count, files.join());
        for (const file of files) rmSync(file);
      },
    };
  }

  it('loads the code of migrations only if something changed', async () => {
    const { folder, start, startAndStop, declare, removeChunks } = installed();
    declare('model: text({ searchable: true }), doors: integer({ default: 4 })');
    writeFileSync(join(folder, 'migrations', '001-first.ts'), migration);
    await startAndStop();
    removeChunks('{migrate-at-start,finish-migrations,migration-steps}', 3);
    await startAndStop();
    declare('model: text({ searchable: true }), doors: integer({ default: 4 }), color: text()');
    const failed = start();
    assert.notDeepEqual(await failed.end, [0, null]);
    assert.match(failed.printed(), /migrate-at-start/);
  });

  it('loads the checks of declarations only if there is one', async () => {
    const { start, startAndStop, declare, removeChunks } = installed();
    removeChunks('check-definitions', 1);
    await startAndStop();
    declare('model: text()');
    const failed = start();
    assert.notDeepEqual(await failed.end, [0, null]);
    assert.match(failed.printed(), /check-definitions/);
  });
});
