import assert from 'node:assert/strict';
import { type ExecFileOptions, execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { root, type Starter, startedProcesses } from '../harness/starts.ts';

const run = promisify(execFile);

const declaration = (name: string, field: string) => `
import { defineResource, text } from 'gatehouse-server/resources';
export default defineResource({
  name: '${name}',
  fields: { ${field}: text({ required: true }) },
  access: { read: 'public', write: 'auth:api' },
});
`;

/** Every line after `@ts-expect-error` is wrong, otherwise the compiler reports the mark. */
const typedProgram = `
import { createGatehouse } from 'gatehouse-server/client';
import type { Resources, Scope } from './gatehouse-types.d.ts';

const gatehouse = createGatehouse<Resources>({ baseUrl: 'http://127.0.0.1:3000' });
export const scope: Scope = 'books:read';
export async function run(): Promise<string | undefined> {
  const { data } = await gatehouse.resource('books').list({ search: { title: 'x' }, orderBy: 'pages', filter: ['title'] });
  const { data: client } = await gatehouse.resource('clients').create({ name: 'Reports', scopes: ['books:read'], current_password: 'x' });
  const secret: string | undefined = client.client_secret;
  await gatehouse.resource('webhooks').act('id', 'secrets');
  // @ts-expect-error
  gatehouse.resource('boks');
  // @ts-expect-error
  await gatehouse.resource('books').list({ search: { titel: 'x' } });
  // @ts-expect-error
  await gatehouse.resource('users').list({ include: ['clinets'] });
  // @ts-expect-error
  await gatehouse.resource('clients').create({ name: 'Reports', scopes: ['books:raed'] });
  // @ts-expect-error
  await gatehouse.resource('tokens').act('id', 'revael');
  return data[0]?.title ?? secret;
}
`;

describe('The package', { timeout: 900_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-package-'));
  const project = join(dir, 'my-api');
  const start = startedProcesses();
  // The package runs on the Node of the tests, regardless of the installed Node.
  const env = { HOME: dir, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
  const inProject = (program: string, args: string[], options: ExecFileOptions = {}) =>
    run(program, args, { cwd: project, env, ...options }) as Promise<{ stdout: string; stderr: string }>;
  /** Without npx, which takes longer than most commands. */
  const installed = (name: string, ...args: string[]) => inProject(join(project, 'node_modules/.bin', name), args);
  const compile = (...args: string[]) => installed('tsc', '--strict', '--singleThreaded', ...args);
  after(() => rmSync(dir, { recursive: true, force: true }));
  before(async () => {
    await run('npm', ['pack', '--silent', '--pack-destination', dir], { cwd: root, env: { ...process.env, ...env } });
    mkdirSync(project);
    const tarball = readdirSync(dir).find((name) => name.endsWith('.tgz')) as string;
    const npm = { cwd: project, env: { ...process.env, ...env, HOME: process.env.HOME } };
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', join(dir, tarball)], npm);
    await run('npx', ['gatehouse-server', 'init'], npm);
  });

  it('contains the program, and neither sources nor tests nor Node', async () => {
    const home = join(project, 'node_modules', 'gatehouse-server');
    // The compile cache of the first run is beside the package, and is not part of it.
    const files = (readdirSync(home, { recursive: true }) as string[]).filter((file) => !/^node_modules\b/.test(file));
    const sources = files.filter((file) => /(?<!\.d)\.tsx?$/.test(file) && !/^(templates|examples)\b/.test(file));
    assert.deepEqual(sources, []);
    assert.deepEqual(
      files.filter((file) => /\.test\.|^(src|test|bench|scripts)\b/.test(file) && !file.startsWith('templates')),
      [],
    );
    for (const file of [
      'dist/cli/main.js',
      'dist/config/config.d.ts',
      'console/dist/index.html',
      'console/dist/third-party-licenses.txt',
      'dist/pages/views/login.html',
      'dist/extensions/settings-pages/views/settings/profile.html',
      'docs/configuration.md',
    ])
      assert.ok(existsSync(join(home, file)), file);
    const licenses = readFileSync(join(home, 'dist/third-party-licenses.txt'), 'utf8');
    assert.match(licenses, /^## fastify - [\d.]+ \(MIT\)\n\n.*Copyright/ms);
    // A bundle instead of a file for each source, because each file slows the start.
    const service = files.filter((file) => /^dist\b(?!.client\b).*\.js$/.test(file));
    assert.ok(service.length < 160, `the service loads ${service.length} files`);
    const packages = readdirSync(join(project, 'node_modules'));
    assert.deepEqual(
      packages.filter((name) => /^node-(bin|linux|darwin|win)/.test(name) || name === '@scarf'),
      [],
    );
    // Only files of the package: folders have sizes too, and npm may install other packages inside.
    const own = files.filter((file) => !file.startsWith('node_modules')).map((file) => statSync(join(home, file)));
    const bytes = own.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
    assert.ok(bytes < 9_000_000, `${bytes} bytes unpacked`);
  });

  it('creates a project whose tests and types are correct, and whose editor shows mistakes', async () => {
    const { stdout } = await inProject('npm', ['test']);
    assert.match(stdout, /pass 2\b/);
    await installed('gatehouse-server', 'types', '--check');
    // One compilation checks the declarations, a client with the generated types, and the types of the package.
    cpSync(join(root, 'test/types'), join(project, 'types'), { recursive: true });
    writeFileSync(join(project, 'app.ts'), typedProgram);
    const { stdout: checked } = await compile('--listFiles', '--skipLibCheck', 'false').catch((error) =>
      assert.fail(error.stdout),
    );
    for (const file of ['types/', 'app.ts', 'gatehouse-types.d.ts'])
      assert.ok(checked.includes(join(project, file)), file);
    rmSync(join(project, 'types'), { recursive: true });
    assert.doesNotMatch(checked, /gatehouse[\\/](src|client)[\\/]/, 'the sources of Gatehouse are not type-checked');
    await installed('gatehouse-server', 'check');
  });

  it('detects generated types that are out of date', async () => {
    const types = readFileSync(join(project, 'gatehouse-types.d.ts'), 'utf8');
    writeFileSync(join(project, 'gatehouse-types.d.ts'), types.replace('title', 'titel'));
    await assert.rejects(installed('gatehouse-server', 'types', '--check'), { code: 1 });
  });

  it('generates them again during development, and continues after a mistake', async () => {
    const settings = { ...env, PORT: '0', DATA_DIR: join(dir, 'dev-data') };
    // Without npx, which exits at a signal before its child process.
    const command = [process.execPath, 'node_modules/gatehouse-server/bin/gatehouse.mjs', 'dev'] as const;
    const service = start({ name: 'dev', command, anywhere: true }, project, settings);
    await service.says(/"msg":"listening"/);
    const types = () => readFileSync(join(project, 'gatehouse-types.d.ts'), 'utf8');
    assert.doesNotMatch(types(), /titel/);
    const shelf = join(project, 'resources', 'shelves.ts');
    writeFileSync(shelf, declaration('shelves', 'colour'));
    // Not a file of the project, because the service would restart during the next request of the tutorial.
    writeFileSync(join(project, 'tokens.json'), '{}');
    await service.says(/shelves\.ts has changed[\s\S]*"msg":"listening"/);
    assert.match(types(), /\n {2}shelves: \{[\s\S]*colour: string;/);
    writeFileSync(shelf, declaration('Shelves', 'size'));
    await service.says(/The service keeps running/);
    assert.match(types(), /colour: string;/);
    rmSync(shelf);
    service.child.kill('SIGTERM');
    assert.deepEqual(await service.end, [0, null], service.printed());
  });

  it('starts with npm start, and issues a first token', async () => {
    const starter: Starter = { name: 'npm start', command: ['npm', 'start'], anywhere: true };
    const settings = { ...env, PORT: '0', ADMIN_PASSWORD: 'correct horse battery' };
    const service = start(starter, project, settings);
    await service.says(/"address":"http[^"]+","msg":"listening"/);
    const [, url] = /"address":"(http[^"]+)","msg":"listening"/.exec(service.printed()) ?? [];
    const response = await fetch(`${url}/v1/clients/web/admin/login`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ email: 'admin@localhost', password: 'correct horse battery' }),
    });
    assert.equal(response.status, 200);
    assert.equal((await fetch(`${url}/assets/reference.js`)).status, 200, 'the API reference is complete');
    const console = await fetch(`${url}/admin`, { redirect: 'manual' });
    assert.match(console.headers.get('location') ?? '', /\/login/, 'the console redirects to the sign-in');
    service.child.kill('SIGTERM');
    await service.end;
  });

  it('can be started by a user who may not write to the installation', async (t) => {
    if (process.getuid?.() !== 0) return t.skip('only root can become another user');
    const data = join(dir, 'data-of-a-service');
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, 65534, 65534);
    for (const folder of [dir, project]) chmodSync(folder, 0o755);
    // The Node that runs the tests may be in a folder that only its owner can enter.
    const node = join(dir, 'node');
    copyFileSync(process.execPath, node);
    chmodSync(node, 0o755);
    const command: Starter['command'] = [
      'setpriv',
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      node,
      join(project, 'node_modules/gatehouse-server/bin/gatehouse.mjs'),
      'serve',
    ];
    const service = start({ name: 'as nobody', command, anywhere: true }, project, {
      ...env,
      PORT: '0',
      DATA_DIR: data,
    });
    await service.says(/"msg":"listening"/);
    service.child.kill('SIGTERM');
    assert.deepEqual(await service.end, [0, null], service.printed());
  });
});
