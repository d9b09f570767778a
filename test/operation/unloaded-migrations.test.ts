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
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-unloaded-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('loads the code of migrations only if something changed', async () => {
    for (const path of ['bin', 'dist', 'package.json'])
      cpSync(join(root, path), join(folder, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const start = () =>
      started(
        { name: 'serve', command: [process.execPath, join(folder, 'bin/gatehouse.mjs'), 'serve'], anywhere: true },
        folder,
        { PORT: '0', ADMIN_EMAIL: 'a@example.com', ADMIN_PASSWORD: 'correct horse battery' },
      );
    const startAndStop = async () => {
      const { says, child, end } = start();
      await says(/"msg":"listening"/);
      child.kill('SIGTERM');
      assert.deepEqual(await end, [0, null]);
    };
    mkdirSync(join(folder, 'resources'));
    mkdirSync(join(folder, 'migrations'));
    const declare = (fields: string) => writeFileSync(join(folder, 'resources', 'cars.ts'), declaration(fields));
    declare('model: text({ searchable: true }), doors: integer({ default: 4 })');
    writeFileSync(join(folder, 'migrations', '001-first.ts'), migration);
    await startAndStop();
    const files = globSync(join(folder, 'dist/chunks/{migrate-at-start,finish-migrations,migration-steps}-*.js'));
    assert.ok(files.length >= 3, files.join());
    for (const file of files) rmSync(file);
    await startAndStop();
    declare('model: text({ searchable: true }), doors: integer({ default: 4 }), color: text()');
    const failed = start();
    assert.notDeepEqual(await failed.end, [0, null]);
    assert.match(failed.printed(), /migrate-at-start/);
  });
});
