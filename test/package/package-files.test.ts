import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../harness/starts.ts';

const packed = (): string[] => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
  const [result] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 50_000_000 })) as [
    { files: { path: string }[] },
  ];
  return result.files.map(({ path }) => path);
};

/** Names that npm, npx, a bundler or a reader would resolve to the package on npm. */
const name = 'gatehouse';
const bare = new RegExp(
  [
    // A package manager that resolves a name: `npx`, `npm install`, `yarn add`, `npm create`.
    `\\b(?:npx|pnpx|bunx)(?:\\s+-\\S+)*\\s+${name}(?![\\w-])`,
    `\\b(?:npm|pnpm|yarn|bun)\\s+(?:i|install|add|exec|x|dlx|create|init|view|info|uninstall|update)(?:\\s+-\\S+)*\\s+${name}(?![\\w-])`,
    // An import of the package or of one of its exports.
    `\\b(?:from|import|require|import\\s*\\(|require\\s*\\()\\s*\\(?\\s*['"]${name}(?:/[^'"]*)?['"]`,
    // As a dependency, and in node_modules.
    `["']${name}["']\\s*:\\s*["'](?:[\\^~*\\d]|latest|file:|npm:)`,
    `node_modules/${name}(?![\\w-])`,
    `(?:npmjs\\.com/package|unpkg\\.com|esm\\.sh|jsdelivr\\.net/npm)/${name}(?![\\w-])`,
  ].join('|'),
  'g',
);

const isText = (file: string): boolean =>
  /\.(md|[cm]?[jt]sx?|json|ya?ml|html|txt|toml|conf|service|example)$|^[A-Z]\w+$/.test(file);

describe('The package', () => {
  it('contains every page that its pages link to', () => {
    const files = packed();
    for (const file of ['client/README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', 'templates/project/README.md'])
      assert.ok(files.includes(file), file);
    const folders = new Set(files.map(dirname));
    const pages = files.filter((file) => file.endsWith('.md') && !file.startsWith('templates'));
    const broken = pages.flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)]
        .map((match) => normalize(join(dirname(page), match[1] as string)).replace(/\/$/, ''))
        .filter((path) => !files.includes(path) && !folders.has(path))
        .map((path) => `${page} → ${path}`),
    );
    assert.deepEqual(broken, []);
  });

  it('is never used by its bare name, which belongs to another package on npm', () => {
    const found = [
      `npx ${name} init my-api`,
      `npx --yes ${name} check`,
      `npm install ${name}@latest`,
      `npm i -g ${name}`,
      `yarn add ${name}`,
      `import { t } from '${name}/resources';`,
      `await import('${name}')`,
      `require("${name}")`,
      `{ "dependencies": { "${name}": "^1.0.0" } }`,
      `node_modules/${name}/docs`,
      `https://www.npmjs.com/package/${name}`,
    ];
    for (const text of found) assert.ok(text.match(bare), text);
    const left = [
      `npx ${name}-server init`,
      `npm install ${name}-server@latest`,
      `npm run ${name} -- check`,
      `from '${name}-server/resources'`,
      `node_modules/.bin/${name} serve`,
      `{ "scripts": { "start": "${name} serve" }, "bin": { "${name}": "bin/${name}.mjs" } }`,
    ];
    for (const text of left) assert.ok(!text.match(bare), text);
    const skipped = ['node_modules', 'dist', 'data', 'results', '.git', '.cache'].map((folder) => `**/${folder}/**`);
    const files = globSync('**/*', { cwd: root, exclude: skipped })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => isText(basename(file)) && statSync(join(root, file)).isFile());
    assert.ok(files.length > 1000 && files.includes('README.md'), `${files.length} files`);
    const hits = files.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(bare)].map(([text]) => `${file}: ${text}`),
    );
    assert.deepEqual(hits, []);
  });
});
