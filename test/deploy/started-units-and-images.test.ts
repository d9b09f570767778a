import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../harness/reverse-proxy.ts';
import { services } from '../harness/service.ts';
import { root, startedProcesses } from '../harness/starts.ts';

const run = promisify(execFile);
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const hasDocker =
  spawnSync('docker', ['info']).status === 0 && spawnSync('docker', ['compose', 'version']).status === 0;
const skip = hasDocker ? false : 'no Docker runs here';

describe('The systemd unit', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  const start = startedProcesses();

  it('has valid syntax', () => {
    for (const name of ['gatehouse.service', 'gatehouse-backup.service', 'gatehouse-backup.timer']) {
      const lines = read(`deploy/${name}`)
        .split('\n')
        .filter((line) => !/^(#|$)/.test(line));
      assert.match(lines[0] ?? '', /^\[Unit\]$/);
      for (const line of lines)
        assert.match(line, /^(\[(Unit|Service|Timer|Install)\]|[A-Z][A-Za-z]+=.*\S|[A-Z][A-Za-z]+=)$/, line);
    }
  });

  it('starts the service with its command, folder and environment, and stops it with SIGTERM', async () => {
    const unit = read('deploy/gatehouse.service');
    const [, command = ''] = /^ExecStart=(.+)$/m.exec(unit) ?? [];
    const [, environment = ''] = /^Environment=(.+)$/m.exec(unit) ?? [];
    const [, folder = ''] = /^WorkingDirectory=(.+)$/m.exec(unit) ?? [];
    const project = join(dir, folder);
    mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
    mkdirSync(join(dir, 'var/lib/gatehouse'), { recursive: true });
    symlinkSync(join(root, 'bin/gatehouse.mjs'), join(project, 'node_modules/.bin/gatehouse'));
    const env = Object.fromEntries(environment.split(' ').map((pair) => pair.split('=') as [string, string]));
    assert.deepEqual([env.HOST, env.PORT], ['127.0.0.1', '3000']);
    const words = command.replace(folder, project).split(' ') as [string, ...string[]];
    const service = start({ name: 'unit', command: [process.execPath, ...words], anywhere: true }, project, {
      ...env,
      PORT: '0',
      DATA_DIR: join(dir, env.DATA_DIR as string),
    });
    await service.says(/"msg":"listening"/);
    service.child.kill('SIGTERM');
    assert.deepEqual(await service.end, [0, null], service.printed());
  });
});

describe('The images', () => {
  const start = services('sqlite');
  const instructions = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'VOLUME', 'EXPOSE', 'HEALTHCHECK', 'CMD'];

  for (const path of ['Dockerfile', 'templates/project/Dockerfile']) {
    const lines = read(path)
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => !/^(#|$)/.test(line));

    it(`of ${path} have valid instructions`, () => {
      for (const line of lines) {
        const [, instruction = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? assert.fail(line);
        assert.ok(instructions.includes(instruction), line);
        if (instruction === 'CMD') assert.ok(Array.isArray(JSON.parse(rest)), line);
        if (instruction === 'ENV') assert.match(rest, /^(\w+=\S+ ?)+$/);
      }
    });

    it(`of ${path} check the health of the service`, async () => {
      const check = lines.find((line) => line.startsWith('HEALTHCHECK')) as string;
      const [program = '', ...args] = JSON.parse(check.slice(check.indexOf('['))) as string[];
      assert.equal(program, 'node');
      const service = await start();
      const healthOf = (port: string) =>
        run(process.execPath, args, { env: { PORT: port } }).then(
          () => 0,
          ({ code }) => code,
        );
      assert.equal(await healthOf(new URL(service.url).port), 0);
      assert.equal(await healthOf(String(await freePort())), 1);
    });
  }

  it('can be built, and serve with their PostgreSQL', { skip, timeout: 1_800_000 }, async () => {
    const env = { ...process.env, POSTGRES_PASSWORD: 'ab/cd+e=', ENCRYPTION_KEY: 'a'.repeat(32) };
    const compose = (...args: string[]) =>
      run('docker', ['compose', '-p', 'gatehouse-test', ...args], { cwd: root, env });
    try {
      await compose('up', '--build', '--wait', '--detach');
      assert.equal((await fetch('http://127.0.0.1:3000/health/ready')).status, 200);
    } finally {
      await compose('down', '--volumes');
    }
  });
});
