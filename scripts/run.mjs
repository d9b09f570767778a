// What `npm start`, `npm test` and the other npm commands run. Works on Node 20, which it only needs to bring along the rest.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { buildConsole, findNode, installPackages } from './bring-along.mjs';
import { bringChromium } from './chromium.mjs';
import { become, inRoot, run } from './processes.mjs';
import { serviceOptions } from './service-options.mjs';

const [command, ...args] = process.argv.slice(2);
const program = [...serviceOptions, inRoot('src/cli/main.ts')];

const tasks = new Map([
  ['serve', serve],
  ['cli', () => become(node, [...program, ...args])],
  ['check', check],
  ['test', test],
  ['build', () => run(node, ['--disable-warning=ExperimentalWarning', inRoot('scripts/build-service.mjs')])],
  ['bench', () => become(node, [inRoot('bench/run.ts'), ...args])],
  ['example', example],
]);

const task = tasks.get(command);
if (!task) {
  console.error(`scripts/run.mjs: "${command}" is not one of ${[...tasks.keys()].join(', ')}.`);
  process.exit(2);
}
await installPackages();
const node = findNode();
await task();

async function serve() {
  await buildConsole(node);
  become(node, [...program, 'serve', ...args], { watched: true });
}

async function example() {
  const [name, ...rest] = args;
  const folder = inRoot('examples', name ?? '');
  if (!name || !existsSync(folder)) {
    console.error('Which example? For instance: npm run example:fleet');
    process.exit(2);
  }
  await buildConsole(node);
  // An example with more to do than to serve has a start of its own.
  const own = inRoot('examples', name, 'start.ts');
  become(node, existsSync(own) ? [...serviceOptions, own] : [...program, 'serve', ...rest], {
    watched: true,
    cwd: folder,
  });
}

/** Types, lint and layering. */
async function check() {
  const steps = [
    ['types', 'node_modules/typescript/bin/tsc', '-p', '.'],
    ['types of the console', 'node_modules/typescript/bin/tsc', '-p', 'console'],
    ['lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '.'],
    ['layering', '--test', '--test-reporter=dot', 'test/architecture.test.ts'],
  ];
  for (const [name, ...step] of steps) {
    if (step.at(-1) === 'console' && !existsSync(inRoot('console', 'tsconfig.json'))) continue;
    console.log(`• ${name}`);
    await run(node, step);
  }
}

/** Every check and every test; or the named test files alone. */
async function test() {
  if (args.length === 0) await check();
  await buildConsole(node);
  const chromium = await bringChromium(node);
  console.log('• tests');
  await run(
    node,
    [
      '--test',
      '--test-global-setup=test/harness/postgres-server.ts',
      // Tests wait for databases and browsers more than they compute.
      `--test-concurrency=${Math.min(8, Math.max(2, availableParallelism()))}`,
      '--test-timeout=180000',
      '--test-force-exit',
      ...(args.length > 0 ? args : ['{src,test,client,console,examples}/**/*.test.ts']),
    ],
    { env: { ...process.env, ...(chromium ? { CHROMIUM_PATH: chromium } : {}) } },
  );
}
