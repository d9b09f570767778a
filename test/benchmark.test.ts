import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { hasItsPackages } from '../bench/gatehouse/build-commit.ts';
import { drive, driveStrictly, loadGenerator } from '../bench/measure/load.ts';
import { medianOf, quantile } from '../bench/measure/median.ts';
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
      operations: { limits: Figures; limitsWithOptions: Figures; tokenLimits: Figures; gatehouse: Figures[] };
    };
    const { limits, limitsWithOptions, tokenLimits, gatehouse } = report.operations;
    for (const { operations } of [limits, limitsWithOptions, tokenLimits, ...gatehouse]) {
      assert.deepEqual(
        Object.keys(operations),
        operations === tokenLimits.operations ? ['refresh'] : ['get any', 'refresh'],
      );
      for (const { requests, failures } of Object.values(operations)) {
        assert.ok(requests > 0);
        assert.equal(failures, 0);
      }
    }
    assert.match(stdout, /^empty node:http, best start .* ms/m);
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

  it('interpolates medians and quartiles', () => {
    assert.deepEqual([quantile([4, 1, 3, 2], 0.5), quantile([4, 1, 3, 2], 0.25), quantile([7], 0.75)], [2.5, 1.75, 7]);
  });

  it('meets no target without figures, or with failed requests', () => {
    const growth = [{ engine: 'sqlite', sizes: [10, 1000], costs: {}, processor: {} }] as const;
    const start = { name: '', coldStart: 1, memoryAtRest: undefined };
    const server = (failures: number) => ({
      ...{ ...start, memoryUnderLoad: undefined },
      operations: { get: medianOf([{ requests: 9, perSecond: 9, p50: 1, p99: 1, failures }]) },
    });
    const metWith = (failures: number) =>
      targets({
        ...{ machine: '', node: '', load: '', growth: [...growth] },
        operations: {
          starts: { gatehouse: start, empty: start },
          limits: server(0),
          limitsWithOptions: server(0),
          tokenLimits: server(0),
          gatehouse: [server(failures)],
          peers: [],
        },
      }).map(({ met }) => met);
    assert.deepEqual(
      [metWith(0), metWith(1)],
      [
        [true, true],
        [false, true],
      ],
    );
  });

  it('counts each response with another status once', { skip: loadGenerator !== 'wrk' }, async () => {
    const server = createServer((request, response) =>
      response.writeHead(request.url === '/redirects' ? 302 : 400).end(),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const request = (path: string) => ({ method: 'GET', path, headers: {}, expect: { status: 200 } });
    const refresh = { ...request('/refuses'), values: Array.from({ length: 5000 }, String), nextValue: 'token' };
    const load = { connections: 1, seconds: 1 };
    try {
      for (const each of [request('/redirects'), refresh]) {
        const { requests, failures } = await drive(url, each, load);
        assert.ok(requests > 0);
        assert.equal(failures, requests);
      }
      await assert.rejects(driveStrictly(url, request('/redirects'), load), /\d+ of \d+ requests failed/);
    } finally {
      server.close().closeAllConnections();
    }
  });

  it('uses a cached build of a commit again only if its packages are still the same', () => {
    const [here, there] = ['here', 'there'].map((name) => join(out, name)) as [string, string];
    const folders = ['', 'console', 'scripts/bundler'];
    const writeLock = (folder: string, text: string) => {
      mkdirSync(join(folder), { recursive: true });
      writeFileSync(join(folder, 'package-lock.json'), text);
    };
    for (const part of folders) {
      for (const folder of [here, there]) writeLock(join(folder, part), '{}');
      symlinkSync(join(here, part, 'node_modules'), join(there, part, 'node_modules'));
    }
    assert.ok(hasItsPackages(there, here));
    assert.ok(!hasItsPackages(there, root), 'the links lead to another checkout');
    writeLock(join(here, 'console'), '{"changed":true}');
    assert.ok(!hasItsPackages(there, here), 'this checkout has other packages now');
    rmSync(join(there, 'console/node_modules'));
    assert.ok(!hasItsPackages(there, here), 'it has none');
    mkdirSync(join(there, 'console/node_modules'));
    assert.ok(hasItsPackages(there, here), 'it has its own');
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
    ['--rounds=10000', /--rounds must be a whole number from 1 to 9999/],
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
