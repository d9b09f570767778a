import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { requiredNode } from '../../bin/required-node.mjs';
import { gatehouseHere } from '../harness/command-here.ts';

describe('The command init', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-init-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  const init = (folder: string, ...flags: string[]) =>
    gatehouseHere(['init', folder, '--no-install', ...flags], dir, { PATH: process.env.PATH ?? '' });
  const packageOf = (folder: string) => JSON.parse(readFileSync(join(dir, folder, 'package.json'), 'utf8'));

  it('creates a project with an example, its test, and a page that explains the files', async () => {
    const { code, stderr } = await init('fresh');
    assert.equal(code, 0, stderr);
    assert.deepEqual(readdirSync(join(dir, 'fresh'), { recursive: true }).sort(), [
      ...['.dockerignore', '.env.example', '.gitignore', 'Dockerfile', 'README.md', 'compose.yaml'],
      ...['gatehouse.config.ts', 'package.json', 'resources', 'resources/books.test.ts', 'resources/books.ts'],
      'tsconfig.json',
    ]);
  });

  it('creates a project in a folder in which npm has only installed the package', async () => {
    mkdirSync(join(dir, 'installed/node_modules'), { recursive: true });
    const before = {
      scripts: { test: 'echo "Error: no test specified" && exit 1' },
      dependencies: { 'gatehouse-server': '1.0.0' },
    };
    writeFileSync(join(dir, 'installed/package.json'), JSON.stringify(before));
    assert.equal((await init('installed')).code, 0);
    assert.ok(existsSync(join(dir, 'installed/resources/books.ts')));
    const { scripts, dependencies, engines } = packageOf('installed');
    assert.deepEqual([scripts.test, dependencies['gatehouse-server']], ['node --test', '1.0.0']);
    assert.deepEqual(engines, { node: `>=${requiredNode}` });
  });

  it('asks before it changes an existing project, and adds no example', async () => {
    mkdirSync(join(dir, 'shop/src'), { recursive: true });
    writeFileSync(join(dir, 'shop/package.json'), '{"name":"shop","scripts":{"test":"vitest"}}');
    writeFileSync(join(dir, 'shop/tsconfig.json'), '{}');
    const refused = await init('shop');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /There is a project in .*shop\. This adds .*compose\.yaml.* to package\.json/);
    assert.match(refused.stderr, /Nothing was changed\. Run the command again with --yes\.\n$/);
    assert.deepEqual(readdirSync(join(dir, 'shop')).sort(), ['package.json', 'src', 'tsconfig.json']);
    const { code, stderr } = await init('shop', '--yes');
    assert.equal(code, 0, stderr);
    for (const name of ['resources', 'README.md']) assert.ok(!existsSync(join(dir, 'shop', name)), name);
    assert.ok(existsSync(join(dir, 'shop/gatehouse.config.ts')));
    assert.equal(readFileSync(join(dir, 'shop/tsconfig.json'), 'utf8'), '{}', 'an existing file is not changed');
    assert.deepEqual([packageOf('shop').name, packageOf('shop').scripts.test], ['shop', 'vitest']);
  });
});
