import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import * as resources from '../../src/resources/declare.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import { documents, type Fenced, fenced } from '../harness/fenced.ts';
import { root } from '../harness/starts.ts';

const run = promisify(execFile);

/** Functions of the reader that examples call. */
const readerFunctions = `
declare function showLogin(): void;
declare function showSignIn(): void;
declare function show(...what: unknown[]): void;
declare function render(rows: unknown): void;
declare function showAt(field: string, message: string): void;
declare function askForCode(methods: readonly string[], error?: unknown): Promise<string>;
declare function askForPassword(): Promise<string>;
declare const [clientId, email, password, id, owner]: [string, string, string, string, string];
type Client = typeof import('gatehouse-server/client').createGatehouse<import('./gatehouse-types.d.ts').Resources>;
declare const [secret, rawBody]: [string, string];
declare const request: { url: string; headers: Record<string, string> };
declare const gatehouse: ReturnType<Client>;
declare const cars: ReturnType<typeof gatehouse.resource<'cars'>>;
`;

/** Resources in examples, in addition to those of the fleet, of a new project and of the tutorial. */
const otherResources = new Map([
  ['invoices', '{ order_id: t.text(), amount: t.integer() }'],
  ['visits', "{ reason: t.text(), state: t.text(), user_id: t.reference('users'), owner_id: t.reference('owners') }"],
]);

/** The parts of a declaration that an example may omit. */
const parts = new Map([
  ['fields', '{ plate: t.text(), stars: t.integer(), words: t.text(), parked_at: t.text() }'],
  ['access', "{ read: 'auth:api', write: 'auth:api' }"],
]);

/** Turns an example into a module: completes a partial declaration. */
function moduleOf({ text }: Fenced): string {
  const [, member] = /^\s*(?:async )?(\w+)(?:: |\()/.exec(text) ?? [];
  if (member === undefined || /^\w+\(/.test(text)) {
    const client = /\bcreateGatehouse\b/.test(text) && !text.includes("from 'gatehouse-server/client'");
    return `${client ? "import { createGatehouse } from 'gatehouse-server/client';\n" : ''}${text}\nexport {};\n`;
  }
  const own = ['fields', 'access', 'hooks', 'actions', 'relations'].includes(member)
    ? [text]
    : [/^\s*async /.test(text) ? `hooks: { ${text} },` : `fields: { ${text} },`];
  const rest = [...parts].filter(([name]) => !own.some((part) => part.trimStart().startsWith(`${name}:`)));
  return [
    `import { ${Object.keys(resources).join(', ')} } from 'gatehouse-server/resources';`,
    `export default defineResource({ name: 'cars', ${rest.map(([name, value]) => `${name}: ${value},`).join(' ')}`,
    ...own,
    '});',
    '',
  ].join('\n');
}

/** In a folder outside of the repository, with the package and the packages that readers install. */
describe('The TypeScript examples in the documents', () => {
  const project = mkdtempSync(join(tmpdir(), 'gatehouse-examples-'));
  after(() => rmSync(project, { recursive: true, force: true }));
  const compile = () =>
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--singleThreaded'], { cwd: project }).then(
      () => '',
      ({ stdout }) => String(stdout),
    );

  before(async () => {
    cpSync(join(root, 'templates/project/tsconfig.json'), join(project, 'tsconfig.json'));
    cpSync(join(root, 'templates/project/resources'), join(project, 'resources'), { recursive: true });
    cpSync(join(root, 'examples/fleet/resources'), join(project, 'resources'), { recursive: true });
    const reviews = fenced('docs/tutorial.md', 'ts').find(({ text }) => text.startsWith('// resources/reviews.ts'));
    writeFileSync(join(project, 'resources/reviews.ts'), reviews?.text ?? '');
    for (const [name, fields] of otherResources) {
      const access = "{ read: 'auth:api', write: 'auth:api' }";
      const declared = `defineResource({ name: '${name}', fields: ${fields}, access: ${access} })`;
      const source = `import { defineResource, t } from 'gatehouse-server/resources';\nexport default ${declared};\n`;
      writeFileSync(join(project, `resources/${name}.ts`), source);
    }
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    mkdirSync(join(project, 'node_modules'));
    for (const name of ['fastify', 'jose', 'oidc-client-ts', 'react', 'standardwebhooks', '@types'])
      symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
    symlinkSync(root, join(project, 'node_modules/gatehouse-server'));
    const { code, stderr } = await gatehouseHere(['types'], project, {});
    assert.equal(code, 0, stderr);
    writeFileSync(join(project, 'of-the-reader.d.ts'), readerFunctions);
  });

  it('compile in a separate project, and would not with a mistake', async () => {
    const others = documents().flatMap((path) => ['js', 'jsx', 'tsx'].flatMap((language) => fenced(path, language)));
    assert.deepEqual(others, [], 'an example that was not compiled');
    const blocks = documents().flatMap((path) => fenced(path, 'ts'));
    assert.ok(blocks.length > 30, `${blocks.length} examples`);
    const names = new Map<string, string>();
    for (const [index, block] of blocks.entries()) {
      names.set(`example-${index}.ts`, block.path);
      writeFileSync(join(project, `example-${index}.ts`), moduleOf(block));
    }
    const settings = blocks.find(({ text }) => text.includes('requireEmailConfirmation: true')) as Fenced;
    const part = blocks.find(({ text }) => text.startsWith('actions: [')) as Fenced;
    writeFileSync(
      join(project, 'a.ts'),
      moduleOf(settings).replace('requireEmailConfirmation: true', 'requireMail: true'),
    );
    writeFileSync(join(project, 'b.ts'), moduleOf(part).replace("summary: 'Park a car'", 'summary: 7'));
    const errors = (await compile()).split(/\n(?! )/).filter(Boolean);
    const expectedErrors = errors.filter((line) => /^[ab]\.ts/.test(line));
    assert.match(expectedErrors.join('\n'), /^a\.ts.*requireMail[\s\S]*^b\.ts/m);
    const where = (name: string) => `${names.get(name)} (${name})`;
    assert.deepEqual(
      errors.filter((line) => !expectedErrors.includes(line)).map((line) => line.replace(/^example-\d+\.ts/, where)),
      [],
    );
  });
});
