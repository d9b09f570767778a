// Runs test files. `npm test` starts this program; its arguments are files and globs.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { buildPackage } from '../../scripts/bring-along.mjs';
import { bringChromium } from '../../scripts/chromium.mjs';
import { startSharedPostgres, stopSharedPostgres } from './postgres-server.ts';
import report from './reporter.ts';
import { makeTemplates } from './templates.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'at-once': { type: 'string', default: '2' }, timeout: { type: 'string', default: '180000' } },
});
const files = [...new Set(positionals.flatMap((pattern) => globSync(pattern)))].sort();
if (files.length === 0) {
  console.error(`No test file matches ${positionals.join(' ')}.`);
  process.exit(1);
}

/** Loading the sources takes a process as long as a short test file runs, so such files share one. */
const filesOfGroup = 10;
/** Test files that import one of these start browsers or the built program, and take long: each gets a process of its own. */
const startsPrograms = ['browser.ts', 'command.ts', 'starts.ts'].map((name) => resolve('test/harness', name));
const usesDatabases = [resolve('test/harness/engines.ts')];

const importsOf = new Map<string, string[]>();
function testImports(file: string): string[] {
  let found = importsOf.get(file);
  if (!found) {
    // A test may quote a program that imports a file of its own.
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

const dir = mkdtempSync(join(tmpdir(), 'gatehouse-groups-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
const alone = files.filter((file) => reaches(resolve(file), startsPrograms));
const together = files.filter((file) => !alone.includes(file));
const groups: string[] = [];
const groupCount = Math.ceil(together.length / filesOfGroup);
for (let n = 0; n < groupCount; n++) {
  // Neighbours are alike: the long ones among them go to different groups.
  const group = together.filter((_, i) => i % groupCount === n);
  if (group.length === 1) groups.push(...group);
  else {
    const path = join(dir, `group-${groups.length}.mjs`);
    writeFileSync(path, group.map((file) => `await import('${pathToFileURL(resolve(file))}');\n`).join(''));
    groups.push(path);
  }
}

// The other tests run from the sources, without a build.
if (alone.length > 0) {
  await buildPackage(process.execPath);
  process.env.CHROMIUM_PATH = await bringChromium(process.execPath);
}

if (files.some((file) => reaches(resolve(file), usesDatabases))) await startSharedPostgres();
const removeTemplates = files.length > filesOfGroup ? await makeTemplates() : undefined;
const events = run({
  // Those that take longest first.
  files: [...alone, ...groups].map((file) => resolve(file)),
  concurrency: Number(values['at-once']),
  // A process that hangs.
  timeout: 20 * 60_000,
  execArgv: ['--conditions=gatehouse-source', `--test-timeout=${values.timeout}`],
});
events.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
await pipeline(events, report, process.stdout, { end: false });
await removeTemplates?.();
await stopSharedPostgres();
