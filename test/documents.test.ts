import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { referencePages } from '../scripts/docs/reference.ts';
import { textOfValue } from '../src/config/settings/setting.ts';
import { settings } from '../src/config/settings/settings.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('The documents', () => {
  it('name every setting with its key and its default', () => {
    const page = read('docs/configuration.md');
    for (const [key, { env, default: value }] of Object.entries(settings)) {
      const shown = textOfValue(value);
      const start = `| \`${env}\` | \`${key}\` | ${shown === '' ? '' : `\`${shown}\``} |`;
      assert.ok(page.includes(start), start);
    }
  });

  it('name code and tests that are there, where they say what defends the service', () => {
    const named = [...read('docs/security.md').matchAll(/`((?:src|test)\/[^`\s]+)`/g)].map(
      (match) => match[1] as string,
    );
    assert.ok(named.length > 100);
    assert.deepEqual(
      [...new Set(named)].filter((path) => !existsSync(join(root, path))),
      [],
    );
  });

  it('have a reference that is what the code says', async () => {
    for (const [path, page] of await referencePages()) {
      assert.equal(read(path), page, `${path} is not what the code makes: run \`npm run docs\``);
    }
  });

  it('link to what is there', () => {
    const pages = [...globSync('*.md', { cwd: root }), ...globSync('{docs,examples}/**/*.md', { cwd: root })];
    assert.ok(pages.length > 10);
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)]
        .map((match) => match[1] as string)
        .filter((link) => !existsSync(join(root, dirname(page), link)))
        .map((link) => `${page} → ${link}`),
    );
    assert.deepEqual(broken, []);
  });
});
