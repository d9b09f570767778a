import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkTranslation } from '../../extensions/project/check-messages.ts';
import { findingTextsIn, untranslatedText } from './untranslated-text.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'src/config/languages/messages');
const read = (path: string) => readFileSync(path, 'utf8');

function messagesOf(language: string): Map<string, string> {
  const files = readdirSync(join(folder, language));
  const entries = files.flatMap((file) => Object.entries(JSON.parse(read(join(folder, language, file))) as object));
  assert.equal(new Map(entries).size, entries.length, `${language}: duplicate key`);
  return new Map(entries as [string, string][]);
}

const english = messagesOf('en');
const templates = globSync(
  '{src/pages/views,src/identity/mail/templates,extensions/*/views,extensions/*/mails}/**/*.{html,txt}',
  {
    cwd: root,
  },
);
const sources = [...globSync('{src,extensions,console/src}/**/*.{ts,tsx}', { cwd: root }), ...templates]
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .map((file) => [file, read(join(root, file))] as const);

/** Complete keys in calls that need a text. */
const namedIn = (text: string): string[] =>
  [
    /\bmessage\(\s*'([\w.:*-]+)'/g,
    /\{%-? t '([^']+)'/g,
    /'([\w.:-]+)' \| t\b/g,
    /\b(?:label|named|ask|confirm|hint|before): '([^']+)'/g,
    /\btranslate\(\s*'([\w.:-]+)'/g,
  ].flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] as string));

describe('The message files', () => {
  it('have the same messages with the same values in every language', () => {
    for (const language of readdirSync(folder).filter((name) => name !== 'en')) {
      const messages = messagesOf(language);
      assert.deepEqual(
        [...english.keys()].filter((key) => !messages.has(key)),
        [],
        `messages that ${language} lacks`,
      );
      assert.deepEqual(
        [...messages.keys()].filter((key) => !english.has(key)),
        [],
        `messages that only ${language} has`,
      );
      const wrong = [...messages].flatMap(
        ([key, text]) => checkTranslation(key, english.get(key) ?? '', text, language) ?? [],
      );
      assert.deepEqual(wrong, [], language);
    }
  });

  it('contain every key that the code uses', () => {
    const missing = sources
      .filter(([file]) => !file.startsWith('src/resources/') && !file.startsWith('src/cli/'))
      .flatMap(([file, text]) => namedIn(text).map((key) => ({ file, key })))
      .filter(({ key }) => /^[a-z_]+(\.[\w:*-]+)+$/.test(key) && !key.startsWith('ra.') && !english.has(key));
    assert.deepEqual(missing, []);
  });

  it('contain every sentence of the console', () => {
    // Code that is shown as code, and styles.
    const silent = ['extensions/openapi/console/snippets.ts', 'console/src/app/theme.ts'];
    const untranslated = sources
      .filter(([file]) => /^(console|extensions\/[^/]+\/console)\//.test(file) && !silent.includes(file))
      .flatMap(([file, text]) => untranslatedText(file, text, (sentence) => english.has(sentence)));
    assert.deepEqual(untranslated, []);
  });

  it('contain the findings of doctor, which the console shows', () => {
    const texts = sources
      // The findings of the command itself are about a service that does not run, so the console cannot show them.
      .filter(([file, text]) => text.includes("/finding.ts'") && file !== 'extensions/doctor/doctor-command.ts')
      .flatMap(([file, text]) => findingTextsIn(file, text));
    assert.ok(texts.length > 20);
    assert.deepEqual(
      texts.filter((sentence) => !english.has(sentence)),
      [],
    );
  });

  it('are checked for untranslated texts of the console', () => {
    const found = (source: string) => untranslatedText('a.tsx', source, (sentence) => sentence === 'Known');
    assert.deepEqual(found("const a = <b title={translate('Known')}>{translate('Known')}</b>;"), []);
    assert.equal(found('const a = <b>Words</b>;').length, 1);
    assert.equal(found('const a = <b title="Close" />;').length, 1);
    assert.equal(found(`const a = <b>{done ? 'Close' : \`\${n} of \${m}\`}</b>;`).length, 2);
    assert.equal(found("notify(translate('Unknown'));").length, 1);
    assert.equal(found("const table = [['a', 'some sentence']];").length, 1);
  });

  it('contain no unused message', () => {
    const all = sources.map(([, text]) => text).join('\n');
    const literals = new Set(
      [...all.matchAll(/['"`]([a-z_]+(?:\.[\w:*-]+)+)['"`]/g)].map((match) => match[1] as string),
    );
    const beginnings = [...all.matchAll(/`([a-z_]+\.(?:[\w-]+\.)*)\$\{/g)].map((match) => match[1] as string);
    const isConsole = (key: string) => / |^[A-Z\d{]|^\w+$/.test(key) || key.startsWith('ra.');
    const unused = [...english.keys()].filter(
      (key) => !literals.has(key) && !beginnings.some((beginning) => key.startsWith(beginning)) && !isConsole(key),
    );
    assert.deepEqual(unused, []);
  });

  it('contain all texts of views and mails', () => {
    for (const file of templates) {
      const text = read(join(root, file))
        .replace(/\{%-?\s*comment\s*-?%\}.*?\{%-?\s*endcomment\s*-?%\}/gs, '')
        .replace(/^Subject: /, '')
        .replace(/\{%.*?%\}|\{\{.*?\}\}/gs, '');
      const attributes = [...text.matchAll(/\s(?:aria-label|title|placeholder|alt)="([^"]*[a-z][^"]*)"/gi)];
      assert.deepEqual(
        attributes.map((match) => match[1]),
        [],
        file,
      );
      const left = text.replace(/<style>.*?<\/style>|<!--.*?-->|<[^>]*>|&\w+;/gs, '').match(/\p{L}{2,}[^\n]*/gu);
      assert.deepEqual(left?.filter((words) => words !== 'UTC') ?? [], [], file);
    }
  });
});
