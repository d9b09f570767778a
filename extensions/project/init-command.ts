import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { OperatorError } from '../../src/platform/errors.ts';
import { createFolder, readIfExists } from '../../src/platform/files.ts';
import { parseJson } from '../../src/platform/json-text.ts';
import { packageFolder, serviceVersion } from '../../src/platform/version.ts';

/** Continues if the user confirms on the terminal. Without a terminal, only the flag confirms. */
async function confirm(question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new OperatorError(`${question}\nNothing was changed. Run the command again with --yes.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const response = await terminal.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(response.trim())) throw new OperatorError('Nothing was changed.');
  } finally {
    terminal.close();
  }
}

const root = fileURLToPath(packageFolder);
const template = join(root, 'templates', 'project');
/** npm omits files with some names from a package, so in the template they have no dot. */
const dotted: readonly string[] = ['gitignore', 'dockerignore', 'env.example'];

type PackageFile = { name?: string; version?: string; type?: string; private?: boolean } & {
  [name in 'scripts' | 'engines' | 'dependencies' | 'devDependencies']?: Record<string, string>;
};

export function addInit(program: Command): void {
  program
    .command('init')
    .argument('[folder]', 'the folder of the project', '.')
    .summary('Create a project.')
    .description('Create a project with a resource, its test, settings and deployment files.')
    .option('--no-install', 'do not install packages')
    .option('--yes', 'add to an existing project without asking')
    .addHelpText('after', '\nExamples:\n  npx gatehouse-server init my-api && cd my-api && npm start')
    .action((folder: string, flags: Flags) => initProject(resolve(folder), flags));
}

interface Flags {
  install: boolean;
  yes?: boolean;
}

async function initProject(folder: string, { install, yes = false }: Flags): Promise<void> {
  const existing = isProject(folder);
  const files = filesToMake(folder, existing);
  const names = files.map(({ name }) => name);
  if (existing) {
    const adds = [...names, 'type, scripts, engines and dependencies to package.json'];
    await confirm(`There is a project in ${folder}. This adds ${adds.join(', ')}. Continue?`, yes);
  }
  createFolder(folder);
  for (const { name, source } of files) {
    createFolder(dirname(join(folder, name)));
    cpSync(source, join(folder, name));
  }
  writePackageFile(folder);
  const created = [...names, 'package.json'].join(', ');
  console.log(`Made ${created} in ${relative(process.cwd(), folder) || 'this folder'}.`);
  if (install) {
    installPackages(folder);
    writeTypes(folder);
  }
  const enter = folder === process.cwd() ? '' : `  cd ${relative(process.cwd(), folder)}\n`;
  console.log(
    `\nNext steps:\n\n${enter}  npm start      # serves on http://127.0.0.1:3000\n  npm run dev    # the same, and restarts when a file changes\n  npm test\n`,
  );
}

/** Existing files are never overwritten, and an existing project gets no example. */
function filesToMake(folder: string, existing: boolean) {
  return readdirSync(template, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({
      name: join(relative(template, parentPath), dotted.includes(name) ? `.${name}` : name),
      source: join(parentPath, name),
    }))
    .filter(({ name }) => !existsSync(join(folder, name)) && !(existing && isExample(name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const isExample = (name: string): boolean => name === 'README.md' || name.startsWith('resources');

/** Files of npm and of version control. A folder with only these files is not a project. */
const ofNoProject = /^(package(-lock)?\.json|node_modules|\..*|LICENSE|README\.md)$/i;

function isProject(folder: string): boolean {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false;
  const path = join(folder, 'package.json');
  const { scripts = {}, dependencies, devDependencies } = existsSync(path) ? readPackage(path) : {};
  const packages = Object.keys({ ...dependencies, ...devDependencies });
  return (
    readdirSync(folder).some((name) => !ofNoProject.test(name)) ||
    packages.some((name) => name !== 'gatehouse-server') ||
    Object.values(scripts).some((script) => !isPlaceholderTest(script))
  );
}

/** The placeholder that `npm init` writes is not a test. */
const isPlaceholderTest = (script: string): boolean => script.includes('no test specified');

/** Extends an existing package.json, such as the one from `npm install gatehouse-server`. */
function writePackageFile(folder: string): void {
  const path = join(folder, 'package.json');
  const existing = existsSync(path) ? readPackage(path) : {};
  const gatehousePackage = readPackage(join(root, 'package.json'));
  const { test, ...scripts } = existing.scripts ?? {};
  const file: PackageFile = {
    name: basename(folder)
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-'),
    version: '0.0.0',
    private: true,
    ...existing,
    type: 'module',
    engines: { ...gatehousePackage.engines, ...existing.engines },
    scripts: {
      start: 'gatehouse serve',
      dev: 'gatehouse dev',
      types: 'gatehouse types',
      check: 'gatehouse types && tsc',
      test: test === undefined || isPlaceholderTest(test) ? 'node --test' : test,
      ...scripts,
    },
    dependencies: { 'gatehouse-server': sourceOfThisPackage(), ...existing.dependencies },
    devDependencies: {
      '@types/node': gatehousePackage.devDependencies?.['@types/node'] ?? '*',
      typescript: gatehousePackage.devDependencies?.typescript ?? '*',
      ...existing.devDependencies,
    },
  };
  writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`);
}

const readPackage = (path: string): PackageFile => parseJson(readFileSync(path, 'utf8'));

interface LockFile {
  readonly packages?: Record<string, { readonly resolved?: string }>;
}

/** The npm source of this package: the registry, the file from which it was installed, or this clone. */
function sourceOfThisPackage(): string {
  const modules = dirname(root.replace(/[\\/]$/, ''));
  if (basename(modules) !== 'node_modules') return `file:${root}`;
  const { packages = {} } = parseJson<LockFile>(readIfExists(join(modules, '.package-lock.json')) ?? '{}');
  const { resolved } = packages['node_modules/gatehouse-server'] ?? {};
  return resolved?.startsWith('file:') ? `file:${resolve(dirname(modules), resolved.slice(5))}` : `^${serviceVersion}`;
}

/** For the editor, which then knows the resources. `dev` and `check` write the types again. */
function writeTypes(folder: string): void {
  spawnSync(process.execPath, [join(root, 'bin', 'gatehouse.mjs'), 'types'], { cwd: folder, stdio: 'inherit' });
}

function installPackages(folder: string): void {
  console.log('Installing packages…');
  const { status } = spawnSync('npm', ['install', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0)
    throw new OperatorError(
      'npm install failed: see above. Fix the problem, then run `npm install` in the new folder.',
    );
}
