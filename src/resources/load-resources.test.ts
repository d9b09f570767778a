import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { loadResources } from './load-resources.ts';

it('load the files of a folder, and name the wrong one', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-resources-'));
  try {
    assert.deepEqual(await loadResources(join(dir, 'missing')), []);
    mkdirSync(join(dir, 'resources'));
    writeFileSync(join(dir, 'resources', 'a.mjs'), 'export default { name: "a" }');
    await assert.rejects(loadResources(join(dir, 'resources')), /a\.mjs: it must `export default defineResource/);
    rmSync(join(dir, 'resources', 'a.mjs'));
    writeFileSync(join(dir, 'resources', 'c.mjs'), 'export default (');
    await assert.rejects(loadResources(join(dir, 'resources')), /c\.mjs:\d+:\d+ could not be read/);
    const { pathname } = new URL('./declare.ts', import.meta.url);
    writeFileSync(
      join(dir, 'resources', 'b.ts'),
      `import { defineResource, text } from '${pathname}';
       export default defineResource({ name: 'books', fields: { title: text() }, access: { read: 'public', write: 'auth:api' } });`,
    );
    rmSync(join(dir, 'resources', 'c.mjs'));
    const [books] = await loadResources(join(dir, 'resources'));
    assert.equal(books?.name, 'books');
    assert.ok(books?.file?.endsWith('b.ts'));
  } finally {
    rmSync(dir, { recursive: true });
  }
});
