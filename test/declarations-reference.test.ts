import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { checkDefinitions } from '../extensions/declaration-checks/check-definitions.ts';
import * as options from '../extensions/declaration-checks/known-options.ts';
import { serviceTables } from '../src/main/service-tables.ts';
import type { ResourceDefinition } from '../src/resources/declaration/define-resource.ts';
import { fieldTypes } from '../src/resources/declaration/fields/field-types.ts';
import * as declare from '../src/resources/declare.ts';
import { folderInRepository, root } from './harness/starts.ts';

const page = readFileSync(join(root, 'docs/reference/declarations.md'), 'utf8');

interface Line {
  readonly name: string;
  readonly example: string;
}

/** The rows of a table on the page, by the name of its first column and the heading above it. */
function linesOf(heading: string, column: string): Line[] {
  const section = page.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const table = section.split(`| ${column} | example |`)[1]?.split('\n\n')[0] ?? '';
  const lines = [...table.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|/gm)];
  assert.ok(lines.length > 0, `${heading} has no table with the column ${column}`);
  return lines.map(([, name = '', example = '']) => ({ name, example: example.replaceAll('\\|', '|') }));
}

const resource = linesOf('The resource', 'option');
const fields = linesOf('Fields', 'field');
const ofEveryField = linesOf('Options of every field', 'option');
const ofOneType = linesOf('Options of one type', 'option');
const relations = linesOf('Relations', 'relation');
const access = linesOf('Access', 'option');
const rules = linesOf('Access', 'rule');
const conditions = linesOf('Access', 'condition');
const hooks = linesOf('Hooks', 'hook');
const actions = linesOf('Actions', 'option');
const problems = linesOf('Types and problems', 'problem');

const names = (lines: readonly Line[]): string[] => lines.map(({ name }) => name).sort();
const keys = (known: object): string[] => Object.keys(known).sort();

describe('The reference of declarations', () => {
  it('lists exactly the options of the code', () => {
    assert.deepEqual(names(resource), keys(options.resourceOptions));
    assert.deepEqual(names(access), keys(options.accessOptions));
    assert.deepEqual(names(hooks), keys(options.hookOptions));
    assert.deepEqual(names(actions), keys(options.actionOptions));
    assert.deepEqual(names(relations), keys(options.relationOptions));
    assert.deepEqual(names(ofEveryField), keys(options.fieldOptions));
    // A positional parameter of the field's function is not an option.
    const given = new Set(['reference.target', 'enum.values']);
    const ofTypes = fieldTypes.flatMap(({ name, ownOptions = {} }) => keys(ownOptions).map((key) => `${name}.${key}`));
    const ofComputed = keys(options.computedOptions).map((key) => `computed.${key}`);
    const known = [...ofTypes.filter((name) => !given.has(name)), ...ofComputed];
    assert.deepEqual(names(ofOneType), known.sort());
  });

  it('lists every function of the package', () => {
    const described = [...fields, ...relations, ...rules, ...conditions, ...problems];
    const apart = ['Type', 'action', 'defineResource', 'fold', 'fromDecimalColumn', 't', 'toDecimalColumn'];
    assert.deepEqual([...names(described), ...apart].sort(), keys(declare));
    for (const name of [...apart, 'RowOf', 'InputFor']) assert.match(page, new RegExp(`\`${name}[ \`(<]`), name);
  });

  it('has an example of each option that uses it', () => {
    for (const { name, example } of [...resource, ...access, ...hooks, ...actions]) {
      assert.match(example, new RegExp(`\\b${name}\\b`), name);
    }
    for (const { name, example } of ofOneType) {
      const [type = '', option] = name.split('.');
      assert.match(example, new RegExp(`^${type}\\(.*\\b${option}:`), name);
    }
  });

  describe('has examples', () => {
    const dir = folderInRepository('declarations');
    const file = join(dir, 'examples.ts');
    writeFileSync(file, everyExample());

    it('that compile', async () => {
      const config = { extends: '../../tsconfig.json', include: ['*.ts'], compilerOptions: { noUnusedLocals: false } };
      writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config));
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      await promisify(execFile)(process.execPath, [tsc, '--singleThreaded', '-p', dir]).catch(({ stdout }) =>
        assert.fail(stdout),
      );
    });

    it('that the service accepts', async () => {
      const { books, others } = (await import(pathToFileURL(file).href)) as {
        books: Record<string, ResourceDefinition>;
        others: ResourceDefinition[];
      };
      assert.ok(Object.keys(books).length > 80);
      for (const [name, book] of Object.entries(books)) {
        const whole = { ...book, file: name };
        const parts = [...serviceTables, ...others.filter((other) => other.name !== whole.name)];
        assert.doesNotThrow(() => checkDefinitions([...parts, whole], { roles: ['admin'] }), name);
      }
    });
  });
});

/** One file that contains each example of the page as a separate declaration. */
function everyExample(): string {
  const base = new Map([
    ['name', "name: 'books'"],
    ['fields', 'fields'],
    ['access', "access: { read: 'auth:api', write: 'auth:api' }"],
    ['relations', "relations: { author: belongsTo('authors', { by: 'author_id' }) }"],
  ]);
  const declared = (label: string, key: string, text: string) => {
    const rest = [...base].filter(([name]) => name !== key && !(key === 'fields' && name === 'relations'));
    return `  ${JSON.stringify(label)}: defineResource({ ${[...rest.map(([, declared]) => declared), text].join(', ')} }),`;
  };
  const accessOf = ({ example }: Line) => {
    const rest = ['read', 'write'].filter((key) => !example.startsWith(`${key}:`)).map((key) => `${key}: 'auth:api'`);
    return `access: { ${[...rest, example].join(', ')} }`;
  };
  const actionOf = ({ example }: Line) => {
    const whole = { name: "name: 'park'", summary: "summary: 'Park'", run: 'run: () => 1' };
    const rest = Object.entries(whole).filter(([key]) => !example.startsWith(`${key}:`));
    return `actions: [{ ${[...rest.map(([, declared]) => declared), example].join(', ')} }]`;
  };
  const examples = [
    ...resource.map(({ name, example }) => declared(`resource ${name}`, name, example)),
    ...[...fields, ...ofEveryField, ...ofOneType].map(({ name, example }) =>
      declared(`field ${name} ${example}`, 'fields', `fields: { ...fields, sample: ${example} }`),
    ),
    ...relations.map(({ name, example }) => declared(name, 'relations', `relations: { ${example} }`)),
    ...[...access, ...rules, ...conditions].map((line) => declared(`access ${line.example}`, 'access', accessOf(line))),
    ...hooks.map(({ name, example }) => declared(`hook ${name}`, 'hooks', `hooks: { ${example} }`)),
    ...actions.map((line) => declared(`action ${line.name}`, 'actions', actionOf(line))),
  ];
  const [first = ''] = /```ts\n([\s\S]*?)```/.exec(page)?.slice(1) ?? [];
  return `import { ${keys(declare).join(', ')} } from 'gatehouse-server/resources';
const open = { read: 'auth:api', write: 'auth:api' } as const;
const fields = {
  title: text({ required: true, searchable: true, sortable: true }),
  isbn: text({ unique: true }),
  pages: integer(),
  published: boolean(),
  published_on: date({ sortable: true }),
  archived_at: timestamp(),
  tags: list(),
  lent: boolean({ readOnly: true }),
  code: text({ virtual: true, writeOnly: true }),
  secret: text({ hidden: true }),
  author_id: reference('authors'),
  user_id: reference('users'),
};
const insertBook = async (_tx: unknown, title: string): Promise<string> => title;
const updateBook = async (_tx: unknown, _id: string, _values: object): Promise<void> => undefined;
const archiveBook = async (_tx: unknown, _id: string): Promise<void> => undefined;
const hash = async (text: string): Promise<string> => text;
export const others = [
  defineResource({ name: 'books', fields, access: open }),
  defineResource({ name: 'authors', fields: { name: text(), user_id: reference('users') }, access: open }),
  defineResource({ name: 'reviews', fields: { book_id: reference('books') }, access: open }),
  defineResource({ name: 'genres', fields: { name: text({ unique: true }) }, access: open }),
  defineResource({ name: 'labels', fields: { book_id: reference('books'), genre_id: reference('genres') }, access: open }),
  defineResource({ name: 'readers', fields: { favourites: list() }, access: open }),
];
export const books = {
${examples.join('\n')}
};
export const refusals = [${problems.map(({ example }) => `() => ${example}`).join(', ')}];
${first.replace(/^import .*$/m, '').replace('export default', 'export const notes =')}`;
}
