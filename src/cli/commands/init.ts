import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { OperatorError } from '../../platform/errors.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const template = join(root, 'templates', 'project');
/** npm leaves files of these names out of a package, so there they have no dot. */
const dotted = new Map([
  ['gitignore', '.gitignore'],
  ['dockerignore', '.dockerignore'],
  ['env.example', '.env.example'],
]);

interface PackageFile {
  name?: string;
  version?: string;
  type?: string;
  private?: boolean;
  scripts?: Record<string, string>;
  engines?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

export function addInit(program: Command): void {
  program
    .command('init')
    .argument('[folder]', 'where it is made', '.')
    .description('Make a project of your own: a resource and its test, settings, what a deployment needs.')
    .option('--no-install', 'leave the installing to you')
    .addHelpText('after', '\nExamples:\n  npx gatehouse-server init my-api && cd my-api && npm start')
    .action((folder: string, { install }: { install: boolean }) => initProject(resolve(folder), install));
}

function initProject(folder: string, install: boolean): void {
  mkdirSync(folder, { recursive: true });
  const made = copyTemplate(folder);
  writePackageFile(folder);
  console.log(`Made ${made.join(', ')} and package.json in ${relative(process.cwd(), folder) || 'this folder'}.`);
  if (install) {
    installPackages(folder);
    writeTypes(folder);
  }
  const enter = folder === process.cwd() ? '' : `  cd ${relative(process.cwd(), folder)}\n`;
  console.log(
    `\nGo on with:\n\n${enter}  npm start      # serves on http://127.0.0.1:3000\n  npm run dev    # the same, and starts again when a file changes\n  npm test\n`,
  );
}

/** What is there stays: a file of one's own is never written over. */
function copyTemplate(folder: string): string[] {
  const made: string[] = [];
  for (const entry of readdirSync(template, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const from = join(entry.parentPath, entry.name);
    const name = join(dirname(relative(template, from)), dotted.get(entry.name) ?? entry.name);
    if (existsSync(join(folder, name))) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(from, join(folder, name));
    made.push(name);
  }
  return made.sort();
}

/** Adds to a package.json that is there, such as the one that `npm install gatehouse-server` has made. */
function writePackageFile(folder: string): void {
  const path = join(folder, 'package.json');
  const there = existsSync(path) ? readPackage(path) : {};
  const own = readPackage(join(root, 'package.json'));
  const { test, ...scripts } = there.scripts ?? {};
  const file: PackageFile = {
    name: basename(folder)
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-'),
    version: '0.0.0',
    private: true,
    ...there,
    type: 'module',
    engines: { node: '>=24', ...there.engines },
    scripts: {
      start: 'gatehouse serve',
      dev: 'gatehouse dev',
      types: 'gatehouse types',
      check: 'gatehouse types && tsc',
      // What `npm init` writes is no test.
      test: test === undefined || test.includes('no test specified') ? 'node --test' : test,
      ...scripts,
    },
    dependencies: { 'gatehouse-server': sourceOfThisPackage(), ...there.dependencies },
    devDependencies: {
      '@types/node': own.devDependencies?.['@types/node'] ?? '*',
      typescript: own.devDependencies?.typescript ?? '*',
      ...there.devDependencies,
    },
  };
  writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`);
}

const readPackage = (path: string): PackageFile => JSON.parse(readFileSync(path, 'utf8')) as PackageFile;

/** From where npm would get this very package again: the registry, the file that it was installed from, or this clone. */
function sourceOfThisPackage(): string {
  const { version } = readPackage(join(root, 'package.json'));
  if (basename(dirname(root.replace(/[\\/]$/, ''))) !== 'node_modules') return `file:${root}`;
  const modules = dirname(root.replace(/[\\/]$/, ''));
  const lock = join(modules, '.package-lock.json');
  if (!existsSync(lock)) return `^${version}`;
  const { packages = {} } = JSON.parse(readFileSync(lock, 'utf8')) as {
    packages?: Record<string, { resolved?: string }>;
  };
  const { resolved } = packages['node_modules/gatehouse-server'] ?? {};
  return resolved?.startsWith('file:') ? `file:${resolve(dirname(modules), resolved.slice(5))}` : `^${version}`;
}

/** For the editor, which knows the resources from then on; `dev` and `check` write them again. */
function writeTypes(folder: string): void {
  spawnSync(process.execPath, [join(root, 'bin', 'gatehouse.mjs'), 'types'], { cwd: folder, stdio: 'inherit' });
}

function installPackages(folder: string): void {
  console.log('Installing packages…');
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0)
    throw new OperatorError('npm install failed: see above. Mend it, then run `npm install` in the new folder.');
}
