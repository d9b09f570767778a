import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { databases, onBothEngines } from '../harness/engines.ts';

const program = fileURLToPath(new URL('embedding-program.ts', import.meta.url));

interface Left {
  readonly status: number;
  /** The number of threads before and after the stop. */
  readonly before: number;
  readonly after: number;
  readonly open: readonly string[];
}

/** Returns when the program has ended by itself. */
async function runProgram(settings: Record<string, unknown>): Promise<Left> {
  const options = ['--conditions=gatehouse-source', '--disable-warning=ExperimentalWarning'];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, program], {
    env: { PATH: process.env.PATH, SETTINGS: JSON.stringify(settings) },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) as string);
}

onBothEngines('A service that was stopped', (engine) => {
  const make = databases(engine);

  it('leaves no thread, timer or connection in its program, which can then exit', async () => {
    const { url, dir } = await make();
    const own = { databaseUrl: url, dataDir: dir, port: 0, rateLimit: 0, logLevel: 'silent' };
    const left = await runProgram({ ...own, adminEmail: 'admin@example.com', adminPassword: 'correct horse battery' });
    assert.ok(left.before > 0, 'the service had threads');
    assert.deepEqual(left, { status: 200, before: left.before, after: 0, open: [] });
  });
});
