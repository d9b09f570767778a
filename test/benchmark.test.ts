import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { medianOf } from '../bench/measure/median.ts';
import { readOptions } from '../bench/options.ts';
import { targets } from '../bench/report/targets.ts';
import { root } from './harness/starts.ts';

const run = promisify(execFile);

interface Figures {
  operations: Record<string, { requests: number; failures: number }>;
}

describe('The benchmark', () => {
  const benchmark = (...options: string[]) =>
    run(process.execPath, ['--conditions=gatehouse-source', join(root, 'bench/run.ts'), ...options]);
  const out = mkdtempSync(join(tmpdir(), 'gatehouse-bench-test-'));
  after(() => rmSync(out, { recursive: true, force: true }));

  it('runs, checks the responses, and writes its report', { timeout: 600_000 }, async () => {
    const parts = ['--only=operations,flames', '--operations=get any,refresh', '--no-peers', '--no-postgres'];
    const { stdout } = await benchmark('--quick', ...parts, `--out=${out}`);
    assert.match(stdout, /refresh \/ signed and synced one by one/);

    // The test checks that no request failed. Speed during a test run means nothing.
    const report = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) as {
      operations: { limits: Figures; gatehouse: Figures[] };
    };
    for (const { operations } of [report.operations.limits, ...report.operations.gatehouse]) {
      assert.deepEqual(Object.keys(operations), ['get any', 'refresh']);
      for (const { requests, failures } of Object.values(operations)) {
        assert.ok(requests > 0);
        assert.equal(failures, 0);
      }
    }
    for (const chart of ['tokens', 'flame-get']) {
      assert.match(readFileSync(join(out, `${chart}.svg`), 'utf8'), /^<svg .*<\/svg>\s*$/s);
    }
  });

  it('compares PostgreSQL by rate and by processor time, including that of the database processes', () => {
    const rate = (perSecond: number) => ({ ...medianOf([{ requests: 1, perSecond, p50: 0, p99: 0, failures: 0 }]) });
    const cost = (service: number, database = 0) => ({ service, database });
    const judged = targets({
      machine: '',
      node: '',
      load: '',
      engines: [
        {
          operation: 'get',
          sqlite: rate(1000),
          postgres: rate(900),
          costs: { sqlite: cost(50), postgres: cost(60, 40) },
        },
      ],
      growth: [
        {
          engine: 'postgres',
          sizes: [10, 1000],
          costs: { list: [1, 1.2] },
          processor: { list: [cost(1, 1), cost(1, 3)] },
        },
      ],
    });
    assert.deepEqual(
      judged.map(({ reached, met }) => [reached, met]),
      [
        ['0.90', true],
        ['0.50', false],
        ['1.20', true],
        ['2.00', false],
      ],
    );
  });

  it('leaves no file and no process behind when a signal ends it', { timeout: 120_000 }, async () => {
    const temporary = mkdtempSync(join(out, 'temporary-'));
    const args = [
      '--conditions=gatehouse-source',
      join(root, 'bench/run.ts'),
      '--quick',
      '--only=flames',
      `--out=${out}`,
    ];
    const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: temporary }, stdio: 'ignore' });
    const ended = once(child, 'exit');
    const isWorking = () => globSync('**/gatehouse.db', { cwd: temporary }).length > 0;
    while (child.exitCode === null && !isWorking()) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [1, null]);
    assert.deepEqual(readdirSync(temporary), []);
  });

  it('says that PostgreSQL cannot reach a folder of root', { skip: process.getuid?.() !== 0 }, async () => {
    const temporary = mkdtempSync(join(out, 'private-'));
    const create = `
      const { createPostgres } = await import(${JSON.stringify(join(root, 'test/harness/postgres-server.ts'))});
      await createPostgres();`;
    await assert.rejects(
      run(process.execPath, ['--input-type=module', '--eval', create], { env: { ...process.env, TMPDIR: temporary } }),
      ({ stderr }: { stderr: string }) => /the user nobody, who cannot enter .*private-/.test(stderr),
    );
    assert.deepEqual(readdirSync(temporary), []);
  });

  for (const [option, message] of [
    ['--only=operation', /no "operation"; did you mean "operations"/],
    ['--operations=gett', /no "gett"; did you mean "get"/],
    ['--rounds=abc', /--rounds must be a whole number/],
    ['--sizes=10000', /--sizes must be two or more whole numbers/],
    ['--fast', /Unknown option '--fast'/],
  ] as const) {
    it(`reports the mistake in ${option}`, (test) => {
      const printed = test.mock.method(console, 'error', () => undefined);
      test.mock.method(process, 'exit', (code: number) => {
        throw new Error(`exits with ${code}`);
      });
      assert.throws(() => readOptions([option]), { message: 'exits with 2' });
      const text = String(printed.mock.calls[0]?.arguments);
      assert.match(text, message);
      assert.match(text, /--only a,b/);
    });
  }

  it('measures nothing after a mistake', async () => {
    await assert.rejects(
      benchmark('--fast', `--out=${out}/none`),
      (error: { code: number; stderr: string }) => error.code === 2 && /Unknown option '--fast'/.test(error.stderr),
    );
    assert.ok(!existsSync(join(out, 'none')));
  });
});
