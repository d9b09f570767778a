import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { referencePages } from '../scripts/docs/reference.ts';
import { textOfValue } from '../src/config/settings/setting.ts';
import { settings } from '../src/config/settings/settings.ts';
import { builtInMails } from '../src/identity/mail/mail-templates.ts';
import { builtInViews } from '../src/pages/kit/views.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('The documents', () => {
  it('list every setting with its key and its default', () => {
    const page = read('docs/configuration.md');
    for (const [key, { env, default: value }] of Object.entries(settings)) {
      const shown = textOfValue(value);
      const start = `| \`${env}\` | \`${key}\` | ${shown === '' ? '' : `\`${shown}\``} |`;
      assert.ok(page.includes(start), start);
    }
  });

  it('name existing code and tests as evidence for each defence', () => {
    const named = [
      ...read('docs/reference/security-evidence.md').matchAll(/`((?:src|test|extensions)\/[^`\s]+)`/g),
    ].map((match) => match[1] as string);
    assert.ok(named.length > 100);
    assert.deepEqual(
      [...new Set(named)].filter((path) => !existsSync(join(root, path))),
      [],
    );
  });

  it('name existing tests for each section of the specification', () => {
    const page = read('docs/spec.md');
    const named = [...page.matchAll(/`((?:src|test)\/[^`\s]+)`/g)].map((match) => match[1] as string);
    assert.deepEqual(
      [...new Set(named)].filter((path) => !existsSync(join(root, path))),
      [],
    );
    const sections = new Set(
      [...page.matchAll(/^\| ([\d., to]+) \|/gm)].flatMap((match) => (match[1] as string).split(/, | to /)),
    );
    for (const path of globSync('test/spec/*.test.ts', { cwd: root })) {
      assert.ok(named.includes(path.replaceAll('\\', '/')), path);
      for (const [, numbers = ''] of read(path).matchAll(/it\('([\d., ]+)[:,]/g)) {
        for (const number of numbers.split(', ')) {
          const isNamed = sections.has(number) || /^5\.[345]$/.test(number);
          assert.ok(isNamed, `${path}: ${number} is not a section of docs/spec.md`);
        }
      }
    }
    for (const section of [
      '1',
      '2.1',
      '2.2',
      '2.3',
      '2.4',
      '3',
      '4.1',
      '4.2',
      '4.3',
      '4.4',
      '4.5',
      '4.6',
      '4.7',
      '5.7',
      '5.8',
      '5.9',
      '6',
      '7',
      '8',
      '9',
    ]) {
      assert.ok(sections.has(section), `section ${section} is missing`);
    }
  });

  it('list every view, email and audit event', () => {
    const listed = (page: string) => new Set([...read(page).matchAll(/`([\w./-]+)`/g)].map(([, name]) => name));
    const missing = (page: string, names: readonly string[]) => {
      assert.ok(names.length > 10, page);
      const known = listed(page);
      assert.deepEqual(
        names.filter((name) => !known.has(name)),
        [],
        page,
      );
    };
    const inFolders = (folders: readonly string[], pattern: string) =>
      folders
        .flatMap((folder) => globSync(pattern, { cwd: folder }))
        .filter((path) => !/(^|\/)(parts\/|layout\.)/.test(path));
    missing(
      'docs/views.md',
      inFolders(builtInViews(), '**/*.html').map((path) => path.replace('.html', '')),
    );
    missing(
      'docs/mail.md',
      inFolders(builtInMails(), '**/*.txt').map((path) => basename(path, '.txt')),
    );
    const sources = globSync('{src,extensions}/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'));
    const events = sources.flatMap((path) => [...read(path).matchAll(/\b(?:type|event): '([a-z_]+\.[a-z_.]+)'/g)]);
    missing('docs/audit-trail.md', [...new Set(events.map(([, type]) => type as string))]);
  });

  it('have an up-to-date generated reference', async () => {
    for (const [path, page] of await referencePages()) {
      assert.equal(read(path), page, `${path} is out of date: run \`npm run docs\``);
    }
  });

  it('describe security and performance in at most 1,500 words each', () => {
    for (const path of ['docs/security.md', 'docs/performance.md']) {
      const words = read(path).trim().split(/\s+/).length;
      assert.ok(words <= 1500, `${path} has ${words} words`);
    }
  });

  it('link to existing pages and headings', () => {
    const pages = [...globSync('*.md', { cwd: root }), ...globSync('{docs,examples}/**/*.md', { cwd: root })];
    assert.ok(pages.length > 10);
    const isBroken = (page: string, path: string, heading: string | undefined): boolean => {
      const target = path ? join(dirname(page), path) : page;
      if (!existsSync(join(root, target))) return true;
      return heading !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(heading);
    };
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)#:\s]*)(?:#([^)\s]*))?\)/g)]
        .filter(([, path = '', heading]) => isBroken(page, path, heading))
        .map(([link]) => `${page} → ${link}`),
    );
    assert.deepEqual(broken, []);
  });
});

/** The anchors of GitHub: a heading in lower case without punctuation, with hyphens for spaces. */
const anchorsOf = (markdown: string): ReadonlySet<string> =>
  new Set(
    [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/\]\([^)]*\)/g, '')
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
