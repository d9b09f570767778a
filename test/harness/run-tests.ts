// Runs test files. `npm test` starts this program; its arguments are files and globs.
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { installChromium } from '../../scripts/chromium.mjs';
import { buildPackage } from '../../scripts/install-and-build.mjs';
import { startSharedPostgres, stopSharedPostgres } from './postgres-server.ts';
import report from './reporter.ts';
import { enterRunFolder } from './run-folder.ts';
import { makeTemplates } from './templates.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'at-once': { type: 'string', default: '2' },
    timeout: { type: 'string', default: '180000' },
    /** Commits wait for the disk in these tests. */
    durable: { type: 'boolean', default: false },
  },
});
const files = [...new Set(positionals.flatMap((pattern) => globSync(pattern)))].sort();
if (files.length === 0) {
  console.error(`No test file matches ${positionals.join(' ')}.`);
  process.exit(1);
}

/** Loading the sources and their first use take a process as long as a short test file runs, so files share processes. */
const filesOfGroup = 30;
/** Test files that import one of these take long, so fewer of them share a process. Those with a browser share one. */
const longFilesOfGroup = 12;
/** The last groups are small, so that no processor waits long for the last process. They contain every n-th of the other files. */
const lastFilesOfGroup = 8;
const shareOfLastFiles = 7;
const usesBrowser = [resolve('test/harness/browser.ts')];
const startsPrograms = ['command.ts', 'starts.ts'].map((name) => resolve('test/harness', name));
const usesDatabases = [resolve('test/harness/engines.ts')];

const importsOf = new Map<string, string[]>();
function testImports(file: string): string[] {
  let found = importsOf.get(file);
  if (!found) {
    // A test may contain the text of a program that imports one of the program's own files.
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    found = [...text.matchAll(/from '(\.{1,2}\/[^']+\.ts)'/g)].map(([, path]) => resolve(dirname(file), path ?? ''));
    importsOf.set(file, found);
  }
  return found;
}
function reaches(file: string, targets: readonly string[], seen = new Set<string>()): boolean {
  if (targets.includes(file)) return true;
  if (seen.has(file) || (seen.size > 0 && !file.startsWith(resolve('test')))) return false;
  seen.add(file);
  return testImports(file).some((each) => reaches(each, targets, seen));
}

// Tests of durability need a disk.
enterRunFolder({ onDisk: values.durable });
const dir = mkdtempSync(join(tmpdir(), 'gatehouse-groups-'));
const inBrowser = files.filter((file) => reaches(resolve(file), usesBrowser));
const programs = files.filter((file) => !inBrowser.includes(file) && reaches(resolve(file), startsPrograms));
const others = files.filter((file) => !inBrowser.includes(file) && !programs.includes(file));
const isLast = (_file: string, n: number) => files.length > 100 && n % shareOfLastFiles === 0;
/** Files with tests of several test files, by their paths. The long ones come first. */
const groups = new Map<string, readonly string[]>();
for (const [name, members, size] of [
  ['browser', inBrowser, longFilesOfGroup],
  ['programs', programs, longFilesOfGroup],
  ['others', others.filter((file, n) => !isLast(file, n)), filesOfGroup],
  ['last', others.filter(isLast), lastFilesOfGroup],
] as const) {
  const count = Math.ceil(members.length / size);
  for (let n = 0; n < count; n++) {
    // Neighbouring files are similar, so the longest ones are spread over the groups. All files are imported before the
    // first test runs.
    const group = members.filter((_, i) => i % count === n);
    const path = join(dir, `${name}-${n}.mjs`);
    writeFileSync(path, group.map((file) => `import ${JSON.stringify(pathToFileURL(resolve(file)))};\n`).join(''));
    groups.set(path, group);
  }
}

// The other tests run from the sources, without a build.
if (inBrowser.length + programs.length > 0) await buildPackage(process.execPath);
if (inBrowser.length > 0) process.env.CHROMIUM_PATH = await installChromium(process.execPath);
if (files.some((file) => reaches(resolve(file), usesDatabases))) await startSharedPostgres();
/** Whether preparations for all tests pay off. */
const isLongRun = files.length > 10;
const removeTemplates = isLongRun ? await makeTemplates() : undefined;

/** Keys that the services of all tests share. Otherwise every new service generates one, which takes 70 ms. */
const keysOfRun = 8;
if (isLongRun) {
  const keys = Array.from({ length: keysOfRun }, () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
  process.env.TEST_RSA_KEYS = keys.map((key) => key.export({ format: 'der', type: 'pkcs8' }).toString('base64')).join();
}

const preloads = [
  './quick-runner.ts',
  './quick-threads.ts',
  './quick-crypto.ts',
  ...(values.durable ? [] : ['./quick-commits.ts']),
];
const execArgv = [
  '--conditions=gatehouse-source',
  ...preloads.map((file) => `--import=${new URL(file, import.meta.url)}`),
  `--test-timeout=${values.timeout}`,
  // A group of tests ends before TurboFan, the last compiler of V8, pays off.
  '--max-opt=2',
  // With V8's default of 1 MB for new objects, garbage collection takes a tenth of the time.
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];

interface Failures {
  /** The test files with failures. */
  readonly files: readonly string[];
  /** Every failure was a timeout, of a test or of a browser that it waited for. */
  readonly areDeadlines: boolean;
}

async function runFiles(paths: readonly string[], concurrency: number): Promise<Failures> {
  const failed = new Set<string>();
  let areDeadlines = true;
  const ended = new AbortController();
  process.once('exit', () => ended.abort());
  const events = run({
    signal: ended.signal,
    files: paths.map((path) => resolve(path)),
    concurrency,
    // A process that hangs.
    timeout: 30 * 60_000,
    execArgv,
  });
  /** A suite that the harness declares belongs to the file of its tests, which end before it. */
  let testFile: string | undefined;
  const fileOf = (file: string | undefined): string => {
    if (file && (groups.has(file) || file.endsWith('.test.ts'))) testFile = file;
    return testFile ?? file ?? '';
  };
  events.on('test:pass', ({ file }) => void fileOf(file));
  events.on('test:fail', ({ file, details }) => {
    const path = fileOf(file);
    areDeadlines &&= isDeadline(details.error);
    for (const each of groups.get(path) ?? [path]) failed.add(relative('.', resolve(each)));
  });
  await pipeline(events, report, process.stdout, { end: false });
  return { files: [...failed], areDeadlines };
}

function isDeadline(error: Error & { failureType?: unknown }): boolean {
  const { failureType, cause } = error;
  if (failureType === 'testCodeFailure') return (cause as Error | undefined)?.name === 'TimeoutError';
  return ['testTimeoutFailure', 'cancelledByParent', 'subtestsFailed'].includes(String(failureType));
}

// The slowest files first.
const { files: failed, areDeadlines } = await runFiles([...groups.keys()], Number(values['at-once']));
let areWrong = failed.length > 0;
if (areWrong && areDeadlines && groups.size > 1) {
  // On a busy machine, a timeout says little about the code. A wrong result is never retried.
  console.log(`\nEvery failure was a timeout. These files run again, one by one: ${failed.join(', ')}\n`);
  areWrong = (await runFiles(failed, 1)).files.length > 0;
}
if (areWrong) process.exitCode = 1;
await removeTemplates?.();
await stopSharedPostgres();
