import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { root, startedProcesses } from '../harness/starts.ts';
import { Visitor } from '../harness/visitor.ts';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-first-start-'));
  folders.push(folder);
  return folder;
}

/** A package that npm installs only on this platform. */
const program = { version: '1.0.0', optional: true, os: [process.platform], cpu: [process.arch] };
const lockOf = (packages: Record<string, object>) =>
  JSON.stringify({ packages: { '': {}, 'node_modules/@a/b': { version: '1.0.0' }, ...packages } });

/** Installs a package that builds the console as the test server says. */
const npm = `
const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
const { basename } = require('node:path');
const folder = process.cwd() === process.env.CLONE ? 'service' : basename(process.cwd());
const withAddresses = existsSync('npm-shrinkwrap.json');
appendFileSync(process.env.CLONE + '/npm-calls', folder + (withAddresses ? '' : ' without addresses') + '\\n');
if (folder === 'service') appendFileSync(process.env.CLONE + '/npm-options', process.argv.find((each) => each.endsWith('=dev')) + '\\n');
if (withAddresses && process.env.NPM_ERROR) {
  console.error('npm error code ' + process.env.NPM_ERROR);
  process.exit(1);
}
if (process.env.NPM_LEAVES_OUT) {
  mkdirSync('node_modules', { recursive: true });
  process.exit(0);
}
mkdirSync('node_modules/vite/bin', { recursive: true });
writeFileSync('node_modules/vite/bin/vite.js', \`
  const { mkdirSync, writeFileSync } = require('node:fs');
  fetch(process.env.BUILDS).then((response) => response.text()).then((failure) => {
    if (failure) {
      console.error(failure);
      process.exit(1);
    }
    mkdirSync('console/dist', { recursive: true });
    writeFileSync('console/dist/index.html', '');
  });
\`);`;

/** A clone that has nothing installed, with a small service. */
function clone(): string {
  const folder = newFolder();
  cpSync(join(root, 'scripts'), join(folder, 'scripts'), {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  const files = {
    'npm.cjs': npm,
    'bin/required-node.mjs': readFileSync(join(root, 'bin/required-node.mjs'), 'utf8'),
    'bin/service-options.mjs': readFileSync(join(root, 'bin/service-options.mjs'), 'utf8'),
    'bin/starter.mjs': readFileSync(join(root, 'bin/starter.mjs'), 'utf8'),
    'bin/gatehouse.mjs': `process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1e6); console.log('serving');`,
    'scripts/build-service.mjs': `import { mkdirSync, writeFileSync } from 'node:fs';
      mkdirSync('dist/cli', { recursive: true }); writeFileSync('dist/cli/main.js', '');`,
    'scripts/bundler/package-lock.json': lockOf({
      'node_modules/vite': program,
      'node_modules/for-another-platform': { ...program, os: ['aix'] },
    }),
    'console/package-lock.json': lockOf({}),
    'package-lock.json': lockOf({ 'node_modules/test-program': { ...program, dev: true } }),
    'tsconfig.json': '',
    'src/a.ts': '',
    'extensions/a.ts': '',
    'client/a.ts': '',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe('The first start of a clone', () => {
  const started = startedProcesses();
  const builds = createServer();
  before(() => new Promise<void>((done) => builds.listen(0, '127.0.0.1', done)));
  after(() => builds.close().closeAllConnections());
  /** The build that runs next. It ends with the response. */
  const nextBuild = async () => (await once(builds, 'request')) as [IncomingMessage, ServerResponse];
  const start = (folder: string, env: Record<string, string> = {}, command = 'serve') =>
    started(
      { name: 'run', command: [process.execPath, join(folder, 'scripts/run.mjs'), command], anywhere: true },
      folder,
      {
        ...{ CLONE: folder, BUILDS: `http://127.0.0.1:${(builds.address() as AddressInfo).port}` },
        ...{ npm_execpath: join(folder, 'npm.cjs'), ...env },
      },
    );
  const callsOfNpm = (folder: string) => readFileSync(join(folder, 'npm-calls'), 'utf8').trim().split('\n').sort();

  it('serves before the console is built, and does none of the work again', async () => {
    const folder = clone();
    const building = nextBuild();
    const first = start(folder);
    const [, build] = await building;
    await first.says(/^serving$/m);
    assert.doesNotMatch(first.printed(), /The console is built/);
    build.end();
    await first.says(/^The console is built\.$/m);
    first.child.kill('SIGTERM');
    assert.deepEqual(await first.end, [0, null]);

    const second = start(folder);
    await second.says(/^serving$/m);
    assert.equal(second.printed(), 'serving\n');
    assert.deepEqual(callsOfNpm(folder), ['bundler', 'console', 'service']);
  });

  /** Waits for the build of the console, which would otherwise ask for a response during the next test. */
  async function serveOnce(folder: string): Promise<void> {
    const building = nextBuild();
    const run = start(folder);
    (await building)[1].end();
    await run.says(/^serving$/m);
    await run.says(/^The console is built\.$/m);
    run.child.kill('SIGTERM');
    await run.end;
  }

  async function build(folder: string): Promise<void> {
    const run = start(folder, {}, 'build');
    assert.deepEqual(await run.end, [0, null], run.printed());
  }

  it('keeps the development packages that another command has installed', async () => {
    const folder = clone();
    await serveOnce(folder);
    await build(folder);
    writeFileSync(join(folder, 'package-lock.json'), lockOf({ 'node_modules/another': { version: '1.0.0' } }));
    await serveOnce(folder);
    const options = readFileSync(join(folder, 'npm-options'), 'utf8').trim().split('\n');
    assert.deepEqual(options, ['--omit=dev', '--include=dev', '--include=dev']);
  });

  it('leaves the program out of a package until the types are built too', async () => {
    const folder = clone();
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'x', version: '1.0.0', files: ['dist'] }));
    const isPacked = () =>
      execFileSync('npm', ['pack', '--dry-run', '--json', '--loglevel=error'], {
        cwd: folder,
        encoding: 'utf8',
      }).includes('"dist/cli/main.js"');
    await serveOnce(folder);
    assert.equal(isPacked(), false);
    await build(folder);
    assert.equal(isPacked(), true);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`stops building at ${signal}, and the next start builds again`, async () => {
      const folder = clone();
      for (const _ of [1, 2]) {
        const building = nextBuild();
        const process = start(folder);
        const [request] = await building;
        await process.says(/^serving$/m);
        const stopped = once(request.socket, 'close');
        process.child.kill(signal);
        await Promise.all([stopped, process.end]);
        assert.doesNotMatch(process.printed(), /could not be built/);
      }
      assert.deepEqual(callsOfNpm(folder), ['bundler', 'console', 'service']);
    });

  it('serves even if the console cannot be built, reports the reason, and tries again at the next start', async () => {
    const folder = clone();
    const reason = join(folder, 'console/dist/build-error.log');
    let building = nextBuild();
    const first = start(folder);
    (await building)[1].end('There is no such icon.');
    await first.says(/The console could not be built:\n(.*\n)*There is no such icon\./);
    assert.match(readFileSync(reason, 'utf8'), /There is no such icon\./);
    await first.says(/^serving$/m);
    assert.equal(first.child.exitCode, null);
    first.child.kill();
    await first.end;

    building = nextBuild();
    const second = start(folder);
    (await building)[1].end();
    await second.says(/^The console is built\.$/m);
    assert.ok(!existsSync(reason));
  });

  it('runs npm once if the registry cannot be reached', async () => {
    const folder = clone();
    const { end, printed } = start(folder, { NPM_ERROR: 'EAI_AGAIN' });
    assert.deepEqual(await end, [1, null]);
    assert.match(printed(), /npm error code EAI_AGAIN\n.*Check that the npm registry can be reached/);
    assert.ok(callsOfNpm(folder).every((call) => !call.includes('without')));
  });

  it('fails if npm leaves out the program for this platform, and installs it at the next start', async () => {
    const folder = clone();
    const first = start(folder, { NPM_LEAVES_OUT: 'yes' });
    assert.deepEqual(await first.end, [1, null]);
    assert.match(first.printed(), /Installing the bundler failed\. Check that the npm registry can be reached/);
    await start(folder).says(/^serving$/m);
  });

  it('asks the registry for the addresses if it has others', async () => {
    const folder = clone();
    const { says } = start(folder, { NPM_ERROR: 'E404' });
    await says(/^serving$/m);
    const calls = callsOfNpm(folder).filter((call) => !call.startsWith('console'));
    assert.deepEqual(calls, ['bundler', 'bundler without addresses', 'service', 'service without addresses']);
  });
});

describe('The address of the console', () => {
  const started = startedProcesses();

  it('has a page until the console is built, and then the console', async () => {
    const folder = newFolder();
    for (const path of ['bin', 'dist', 'package.json'])
      cpSync(join(root, path), join(folder, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const start = async (env: Record<string, string>) => {
      const service = started(
        { name: 'serve', command: [process.execPath, join(folder, 'bin/gatehouse.mjs'), 'serve'], anywhere: true },
        folder,
        { PORT: '0', ADMIN_PASSWORD: 'correct horse battery', ...env },
      );
      await service.says(/"msg":"listening"/);
      const visitor = new Visitor({ url: /"address":"([^"]+)"/.exec(service.printed())?.[1] as string });
      return { ...service, visitor };
    };
    const withoutBuild = await start({});
    await withoutBuild.visitor.signIn('admin@localhost', 'correct horse battery');
    const missing = await withoutBuild.visitor.get('/admin');
    assert.deepEqual([missing.status, missing.headers.get('refresh')], [503, null]);
    assert.match(missing.html, /This installation has no console\./);
    withoutBuild.child.kill('SIGTERM');
    await withoutBuild.end;

    const { visitor, printed } = await start({ GATEHOUSE_CONSOLE_BUILD: 'running' });
    assert.equal((await visitor.get('/admin')).status, 302);
    await visitor.signIn('admin@localhost', 'correct horse battery');

    const unbuilt = await visitor.get('/admin');
    assert.equal(unbuilt.status, 503);
    assert.equal(unbuilt.headers.get('retry-after'), '3');
    assert.equal(unbuilt.headers.get('refresh'), '3');
    assert.match(unbuilt.html, /The console is being built\./);
    const german = await visitor.get('/admin', { 'accept-language': 'de' });
    assert.match(german.html, /Die Konsole wird gerade gebaut\./);
    assert.equal((await visitor.get('/admin/assets/first.js')).status, 503);

    mkdirSync(join(folder, 'console/dist'), { recursive: true });
    writeFileSync(join(folder, 'console/dist/build-error.log'), 'There is no icon <Wrong>.');
    const failed = await visitor.get('/admin');
    assert.equal(failed.status, 503);
    assert.equal(failed.headers.get('refresh'), null);
    assert.match(failed.html, /The console could not be built: There is no icon &lt;Wrong&gt;\./);
    const logged = printed().match(/"msg":"request failed"/g) ?? [];
    assert.ok(logged.length <= 1, 'only the request for a file is a failure');

    rmSync(join(folder, 'console/dist'), { recursive: true });
    cpSync(join(root, 'console/dist'), join(folder, 'console/dist'), { recursive: true });
    const page = await visitor.get('/admin');
    assert.equal(page.status, 200);
    const script = /src="([^"]+\.js)"/.exec(page.html)?.[1] as string;
    assert.equal((await visitor.get(script)).status, 200);
  });
});

describe('The Chromium of the browser tests', () => {
  it('is a headless shell, even if another Chromium is found first', () => {
    const folder = newFolder();
    const shell = 'Library/Caches/ms-playwright/chromium_headless_shell-1/chrome-mac/headless_shell';
    for (const path of ['bin/chromium', shell]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '#!/bin/sh\necho 1.0\n', { mode: 0o755 });
    }
    const find = `
      const { installChromium } = await import(${JSON.stringify(join(root, 'scripts/chromium.mjs'))});
      console.log(await installChromium(process.execPath));`;
    const env = { PATH: join(folder, 'bin'), HOME: folder };
    const found = execFileSync(process.execPath, ['--input-type=module', '--eval', find], { env, encoding: 'utf8' });
    assert.equal(found.trim(), join(folder, shell));
  });
});
