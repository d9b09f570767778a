import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
const skip = hasSystemd ? false : 'systemd-analyze is not installed here';

describe('The systemd units', { skip }, () => {
  it('are accepted by systemd', () => {
    const dir = mkdtempSync(join(tmpdir(), 'gatehouse-units-'));
    try {
      for (const name of ['gatehouse.service', 'gatehouse-backup.service', 'gatehouse-backup.timer']) {
        // Systemd looks for the program, which does not exist on this machine.
        const unit = read(`deploy/${name}`).replaceAll('/opt/gatehouse/node_modules/.bin/gatehouse', '/bin/true');
        writeFileSync(join(dir, name), unit);
      }
      const units = ['gatehouse.service', 'gatehouse-backup.timer'].map((name) => join(dir, name));
      const { stderr } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' });
      assert.deepEqual(
        stderr.split('\n').filter((line) => line.includes('gatehouse')),
        [],
      );
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('give the service few rights', (test) => {
    const args = ['security', '--offline=true', join(root, 'deploy/gatehouse.service')];
    const { stdout, status } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    const exposure = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1];
    if (status !== 0 || !exposure) return test.skip('this systemd-analyze cannot check a file');
    assert.ok(Number(exposure) < 2, stdout);
    return undefined;
  });
});

describe('The system call filter of the service', () => {
  it('fails forbidden calls instead of killing the service, and lets threads lower their priority', () => {
    const settings = [...read('deploy/gatehouse.service').matchAll(/^SystemCall(ErrorNumber|Filter)=(.*)$/gm)];
    const valuesOf = (name: string) => settings.filter((found) => found[1] === name).map((found) => found[2]);
    assert.deepEqual(valuesOf('ErrorNumber'), ['EPERM']);
    // systemd applies the lines in their order.
    assert.deepEqual(valuesOf('Filter'), ['@system-service', '~@privileged @resources', 'setpriority']);
  });
});

describe('The folders of the service', () => {
  it('include the folder that the docs name for EVENTS_LOG', () => {
    const [, name = ''] = /`file:\/var\/log\/([^/]+)\/[^/]+`/.exec(read('docs/operating.md')) ?? [];
    assert.match(read('deploy/gatehouse.service'), new RegExp(`^LogsDirectory=${name}$`, 'm'));
  });
});

describe('The images', () => {
  for (const [file, context] of [
    ['Dockerfile', '.'],
    ['templates/project/Dockerfile', undefined],
  ] as const) {
    it(`of ${file} have two stages, a user other than root, and a health check`, () => {
      const lines = read(file).split('\n');
      assert.equal(lines.filter((line) => line.startsWith('FROM ')).length, 2);
      const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
      for (const word of ['USER node', 'VOLUME /data', 'HEALTHCHECK ', 'CMD [']) {
        assert.ok(
          last.some((line) => line.startsWith(word)),
          word,
        );
      }
      assert.ok(!last.some((line) => /^COPY .*\.env/.test(line)));
      if (context === undefined) return;
      const copied = lines.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
      for (const path of copied) assert.ok(existsSync(join(root, context, path)), path);
    });
  }

  it('contain all files that the command needs', () => {
    const image = mkdtempSync(join(tmpdir(), 'gatehouse-image-'));
    try {
      for (const [, path = ''] of read('Dockerfile').matchAll(/^COPY --from=build \/src\/(\S+)/gm)) {
        mkdirSync(dirname(join(image, path)), { recursive: true });
        if (path === 'node_modules') symlinkSync(join(root, path), join(image, path));
        else cpSync(join(root, path), join(image, path), { recursive: true });
      }
      const args = [join(image, 'bin/gatehouse.mjs'), 'check'];
      const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: image, encoding: 'utf8', env: {} });
      assert.equal(status, 0, stderr + stdout);
      assert.ok(existsSync(join(image, 'console/dist/index.html')));
    } finally {
      rmSync(image, { recursive: true });
    }
  });

  it('run with a read-only root, after PostgreSQL is healthy', () => {
    for (const file of ['compose.yaml', 'templates/project/compose.yaml']) {
      const compose = read(file);
      for (const word of ['read_only: true', 'condition: service_healthy', 'pg_isready', 'image: postgres:']) {
        assert.ok(compose.includes(word), `${file}: ${word}`);
      }
      assert.doesNotMatch(compose, /PASSWORD: (?!\$\{)/, 'the file contains no secret');
    }
  });
});

describe('The Caddy configuration', () => {
  it('hides the metrics from the public, and forwards one address', () => {
    const file = read('deploy/Caddyfile');
    assert.match(file, /@metrics path \/metrics \/metrics\/\*\n\trespond @metrics 404/);
    assert.match(file, /header_up X-Forwarded-For \{remote_host\}/);
  });
});
