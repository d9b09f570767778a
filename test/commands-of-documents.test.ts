import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { services } from './harness/service.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** What stands fenced in a document, of one language. */
const fenced = (path: string, language: string): string[] =>
  [...readFileSync(join(root, path), 'utf8').matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    (match) => match[1] as string,
  );

/** Those that talk to a service; the others (`init`, `start`, `check`, `test`) are run by the test of the package. */
const conversation = (path: string): string =>
  fenced(path, 'sh')
    .filter((block) => /\b(curl|BASE=)/.test(block))
    .join('\n');

describe('The commands in the documents', () => {
  const start = services('sqlite');
  const dir = mkdtempSync(join(root, 'test', 'commands-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  const say = (script: string, url: string) =>
    run('bash', ['-euo', 'pipefail', '-c', script.replaceAll('http://127.0.0.1:3000', url)], { cwd: dir });

  it('of the README work one after the other', async () => {
    const { url } = await start();
    const { stdout } = await say(conversation('README.md'), url);
    assert.match(stdout, /"access_token":/);
    assert.match(stdout, /"client_secret":/);
    assert.match(stdout, /Token revoked successfully/);
    assert.match(stdout, /"code":"token_revoked"/, 'the last answer is the 401 that is promised');
    assert.equal(stdout.match(/"status":4\d\d/g)?.length, 1, stdout);
  });

  it('of the tutorial work with the resource that it declares', async () => {
    const declared = fenced('docs/tutorial.md', 'ts')[0] as string;
    cpSync(join(root, 'templates/project/resources/books.ts'), join(dir, 'books.ts'));
    writeFileSync(join(dir, 'reviews.ts'), declared);
    const { url } = await start({ env: { RESOURCES_DIR: dir } });
    const { stdout } = await say(conversation('docs/tutorial.md'), url);
    assert.match(stdout, /"data":\[\],"meta":/);
    assert.doesNotMatch(stdout, /"status":4\d\d/);
  });
});
