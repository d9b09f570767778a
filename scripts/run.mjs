// Runs `npm start`, `npm test` and the other npm commands. It works on Node 20 and installs everything else that it needs.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { serviceOptions } from '../bin/service-options.mjs';
import { recordStarter } from '../bin/starter.mjs';
import { changedFiles } from './changed-files.mjs';
import { installChromium } from './chromium.mjs';
import {
  build,
  buildConsole,
  buildConsoleInBackground,
  buildPackage,
  buildService,
  consoleIsBuilt,
  findNode,
  installAll,
  installForConsole,
  installForService,
  testNodes,
} from './install-and-build.mjs';
import { execProgram, inRoot, run } from './processes.mjs';

recordStarter();

const [command, ...args] = process.argv.slice(2);
const program = inRoot('bin/gatehouse.mjs');
/** With this condition, imports of `gatehouse-server/…` resolve to the sources. */
const fromSource = '--conditions=gatehouse-source';
const sweepFolders = 'generators|published-clients';

const tasks = new Map([
  ['serve', () => gatehouse(['serve', ...args])],
  ['cli', () => gatehouse(args)],
  ['check', check],
  ['test', test],
  ['faults', faults],
  ['sweep', sweep],
  ['nodes', nodes],
  ['build', () => buildPackage(node)],
  ['console', () => buildConsole(node)],
  ['bench', bench],
  ['bench-pages', benchPages],
  ['docs', () => run(node, [fromSource, inRoot('scripts/docs/write.ts')])],
  ['example', example],
]);

const task = tasks.get(command);
if (!task) {
  console.error(`scripts/run.mjs: "${command}" is not one of ${[...tasks.keys()].join(', ')}.`);
  process.exit(2);
}
const installers = {
  serve: installForService,
  cli: installForService,
  example: installForService,
  console: installForConsole,
};
await (installers[command] ?? installAll)();
const node = findNode();
await task();

/** Runs the `gatehouse` command of the package, built from this clone. */
async function gatehouse(words, options) {
  await buildService(node);
  if (['serve', 'dev'].includes(words[0])) serve([program, ...words], options);
  else execProgram(node, [program, ...words], options);
}

/** Serves at once. If the console is not built, another process builds it, and the service says so at /admin. */
function serve(words, options) {
  if (consoleIsBuilt()) return execProgram(node, words, options);
  buildConsoleInBackground();
  process.env.GATEHOUSE_CONSOLE_BUILD = 'running';
  execProgram(node, words, { ...options, keepProcess: true });
}

async function example() {
  const [name, ...rest] = args;
  const folder = inRoot('examples', name ?? '');
  if (!name || !existsSync(folder)) {
    console.error('Which example? For instance: npm run example:fleet');
    process.exit(2);
  }
  // An example that does more than serve has a separate start script.
  const startScript = inRoot('examples', name, 'start.ts');
  if (!existsSync(startScript)) return gatehouse(['serve', ...rest], { cwd: folder });
  await buildService(node);
  serve([...serviceOptions, startScript, ...rest], { cwd: folder });
}

async function bench() {
  await build(node);
  await run(node, [fromSource, inRoot('bench/run.ts'), ...args]);
}

/** Measures the size of the pages and their load time on a slow connection. */
async function benchPages() {
  await build(node);
  const env = { ...process.env, CHROMIUM_PATH: await installChromium(node) };
  await run(node, [fromSource, inRoot('bench/pages/run.ts')], { env });
}

/** Types, lint and layering. */
async function check() {
  // One checker: each of several would instantiate the same types again. Unchanged files are not checked again.
  const types = (project) => [
    ...['node_modules/typescript/bin/tsc', '--checkers', '1', '--incremental'],
    ...['--tsBuildInfoFile', `node_modules/.cache/types-of-${project === '.' ? 'service' : project}.tsbuildinfo`],
    ...['-p', project],
  ];
  const { changed = ['.'], remember } = changedFiles();
  const biome = ['node_modules/@biomejs/biome/bin/biome', 'check', '--no-errors-on-unmatched'];
  const steps = [
    ['types', ...types('.')],
    ['types of the console', ...types('console')],
    ...(changed.length > 0 ? [['lint', ...biome, ...changed]] : []),
    ['layering', fromSource, '--test', '--test-reporter=dot', 'test/architecture.test.ts'],
  ];
  for (const [name, ...step] of steps) {
    if (step.at(-1) === 'console' && !existsSync(inRoot('console', 'tsconfig.json'))) continue;
    console.log(`• ${name}`);
    await run(node, step);
  }
  remember();
}

/** Runs all checks and tests, or only the named test files. */
async function test() {
  // The checks use one processor, so the builds and Chromium are made meanwhile.
  if (args.length === 0) await Promise.all([check(), prepareTests()]);
  // Tests wait for databases and browsers more than they compute.
  const atOnce = Math.min(8, availableParallelism() + 1);
  const every = [
    '{src,extensions,client,console,examples}/**/*.test.ts',
    `test/!(faults|${sweepFolders})/**/*.test.ts`,
    'test/*.test.ts',
  ];
  await runTests(args.length > 0 ? args : every, atOnce, 180_000);
}

/** Everything that a run of all tests needs. */
async function prepareTests() {
  await buildPackage(node);
  await installChromium(node);
}

/** Runs the whole set of which `npm test` runs a sample: every published client and generator, and every screen on a phone. */
async function sweep() {
  process.env.TEST_SWEEP = 'all';
  const every = [`test/{${sweepFolders.replaceAll('|', ',')}}/*.test.ts`, 'test/console/screens.test.ts'];
  await runTests(args.length > 0 ? args : every, 2, 300_000);
}

/** Runs the long fault tests one after another, because each of them uses the whole machine. */
async function faults() {
  await runTests(['--durable', ...(args.length > 0 ? args : ['test/faults/*.test.ts'])], 1, 900_000);
}

/** Tests the hot path on the oldest and the newest Node, because their SQLite, V8 and HTTP differ. */
async function nodes() {
  const hotPath = [
    'src/**/{stable-plans,kept-plans,serve,sqlite,shared-commits,shared-snapshot,sqlite-reads,token-cache,crud,list-model}.test.ts',
    'test/**/{token-endpoint,refresh,bearer}.test.ts',
  ];
  for (const each of await testNodes()) await runTests(args.length > 0 ? args : hotPath, 2, 180_000, each);
}

async function runTests(files, atOnce, timeout, runtime = node) {
  console.log(`• tests${runtime === node ? '' : ` on ${runtime}`}`);
  const options = [`--at-once=${atOnce}`, `--timeout=${timeout}`];
  await run(runtime, [fromSource, inRoot('test/harness/run-tests.ts'), ...options, ...files], {
    // Processes share a compile cache for the sources.
    env: { ...process.env, NODE_COMPILE_CACHE: inRoot('node_modules/.cache/tests') },
  });
}
