import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { npm } from './install-and-build.mjs';
import { inRoot, run } from './processes.mjs';

/** A Linux build from the npm registry: the last resort if neither apt nor a download works. */
const registryBuild = '@sparticuz/chromium@153.0.0';
const registryFolder = inRoot('node_modules', '.cache', 'chromium');

const isShell = /headless[-_]shell$/;

/**
 * The path of a Chromium for the browser tests. Installs one if none is found. It prefers the headless shell, because the full browser
 * draws a toolbar and needs four times as much CPU time.
 */
export async function installChromium(node) {
  const found = findChromium();
  if (found && (process.env.CHROMIUM_PATH || isShell.test(found))) return found;
  console.log('Installing a Chromium for the browser tests…');
  const fromDebian = (await fromApt()) ? findChromium() : undefined;
  if (fromDebian ?? found) return fromDebian ?? found;
  const ways = [() => fromPlaywright(node), () => fromRegistry(node)];
  for (const way of ways) {
    if (await way()) {
      const installed = findChromium();
      if (installed) return installed;
    }
  }
  console.error(
    'No Chromium was found, and none could be installed. Install one (on Debian: apt-get install chromium), or name one: CHROMIUM_PATH=/path/to/chrome',
  );
  process.exit(1);
}

function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (works(named)) return named;
    console.error(`CHROMIUM_PATH=${named} is not a Chromium that runs.`);
    process.exit(1);
  }
  return candidates()
    .sort((a, b) => isShell.test(b) - isShell.test(a))
    .find(works);
}

function candidates() {
  const names = [
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    'chrome',
    'microsoft-edge',
  ];
  const folders = (process.env.PATH ?? '').split(delimiter);
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const homes = ['.cache', 'Library/Caches'].map((folder) => join(homedir(), folder, 'ms-playwright'));
  const caches = [process.env.PLAYWRIGHT_BROWSERS_PATH, ...homes].filter(Boolean);
  const ofPlaywright = caches.flatMap((cache) =>
    filesBelow(cache, 3).filter((path) => /chromium.*\/(chrome|headless_shell|chrome-headless-shell)$/.test(path)),
  );
  return [
    ...onPath,
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    ...ofPlaywright,
    join(registryFolder, 'chromium'),
  ].filter((path) => existsSync(path));
}

function filesBelow(folder, depth) {
  if (depth === 0 || !existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path, depth - 1) : [path];
  });
}

/** Some systems have a `chromium` program that only explains how to install it. */
const works = (path) => spawnSync(path, ['--version'], { timeout: 10_000 }).stdout?.toString().match(/\d+\./) != null;

async function fromApt() {
  const system = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  if (process.getuid?.() !== 0 || !/^ID=["']?debian/m.test(system)) return false;
  const options = { progressMessage: 'Still installing Chromium…', onFailure: () => false, stdio: 'ignore' };
  // With this timeout, an unreachable archive fails soon.
  const apt = (...args) => run('apt-get', ['-qq', '-o', 'Acquire::http::Timeout=15', ...args], options);
  await apt('update');
  return apt('install', '-y', '--no-install-recommends', 'chromium-headless-shell');
}

const fromPlaywright = (node) =>
  run(node, [inRoot('node_modules/playwright-core/cli.js'), 'install', '--only-shell', 'chromium'], {
    progressMessage: 'Still installing Chromium…',
    onFailure: () => false,
    stdio: 'ignore',
  });

async function fromRegistry(node) {
  if (process.platform !== 'linux') return false;
  const where = ['--prefix', registryFolder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const options = { progressMessage: 'Still installing Chromium…', onFailure: () => false, stdio: 'ignore' };
  if (!(await npm(['install', ...where, registryBuild], options))) return false;
  // `executablePath` unpacks the browser and its libraries into the temporary folder.
  const unpack = `
    import { cpSync } from 'node:fs';
    import { dirname } from 'node:path';
    const { default: chromium } = await import(${JSON.stringify(join(registryFolder, 'node_modules/@sparticuz/chromium/build/esm/index.js'))});
    const path = await chromium.executablePath();
    cpSync(path, ${JSON.stringify(join(registryFolder, 'chromium'))});`;
  try {
    execFileSync(node, ['--input-type=module', '--eval', unpack], { stdio: 'ignore', timeout: 120_000 });
    return true;
  } catch {
    return false;
  }
}
