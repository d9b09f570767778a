import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ended } from '../harness/command.ts';
import { createTestDatabase } from '../harness/engines.ts';
import type { Oracle } from '../harness/oracle.ts';
import { onServer } from '../harness/replicated-postgres.ts';
import { trials } from '../harness/trial.ts';

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** A file system that becomes read-only during writes, as the kernel does after a disk error. */
interface Disk {
  readonly folder: string;
  fail(): void;
  /** Repairs it, as an operator would. */
  repair(): void;
  remove(): void;
}

/** Undefined if this user may not mount one. */
function makeDisk(): Disk | undefined {
  const place = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'));
  const [image, folder] = [join(place, 'image'), join(place, 'mounted')];
  const endings: (() => unknown)[] = [() => rmSync(place, { recursive: true, force: true })];
  const remove = () => {
    while (endings.length > 0) endings.pop()?.();
  };
  try {
    run('truncate', '-s', '64M', image);
    run('mkfs.ext4', '-q', '-F', image);
    run('mkdir', folder);
    const device = run('losetup', '--find', '--show', image).trim();
    endings.push(() => run('losetup', '-d', device));
    const mount = () => run('mount', '-o', 'errors=remount-ro', device, folder);
    mount();
    endings.push(() => run('umount', '-l', folder));
    return {
      folder,
      fail: () => run('mount', '-o', 'remount,abort', folder),
      repair() {
        run('umount', folder);
        try {
          run('e2fsck', '-f', '-y', device);
        } catch (error) {
          // The status after successful repairs.
          assert.equal((error as { status: number }).status & ~3, 0);
        }
        mount();
      },
      remove,
    };
  } catch {
    remove();
    return undefined;
  }
}

const refused = async (oracle: Oracle, more: number) => {
  const enough = (oracle.responses.get(503) ?? 0) + more;
  while ((oracle.responses.get(503) ?? 0) < enough) await new Promise((resolve) => setTimeout(resolve, 20));
};
const readiness = async (url: string) => {
  const response = await fetch(`${url}/health/ready`);
  return { status: response.status, text: await response.text() };
};

describe('A read-only database', () => {
  const disks: Disk[] = [];
  const begin = trials();
  after(() => {
    for (const disk of disks) disk.remove();
  });

  it('causes 503 on SQLite while its files are not writable, three times, and the service recovers by itself', async (t) => {
    const { dir, oracle, start } = await begin({});
    const { url } = await start();
    const data = join(dir, 'data');
    const files = readdirSync(data).map((name) => join(data, name));
    const forbid = (sign: '+' | '-') => run('chattr', `${sign}i`, ...files.filter((name) => /\.db(-wal)?$/.test(name)));
    try {
      forbid('+');
      forbid('-');
    } catch {
      return t.skip('this user may not make a file immutable');
    }
    t.after(() => forbid('-'));
    oracle.begin(4);
    for (let round = 0; round < 3; round++) {
      await oracle.succeeds(60);
      forbid('+');
      await refused(oracle, 20);
      const { status, text } = await readiness(url);
      forbid('-');
      assert.equal(status, 503);
      assert.match(text, /"disk":"not ready"/);
    }
    await oracle.succeeds(60);
    await oracle.end();
    t.diagnostic(await oracle.check());
  });

  it('causes 503 on SQLite after a disk failure, and no acknowledged write is lost when the disk is repaired', async (t) => {
    const disk = makeDisk();
    if (!disk) return t.skip('this user may not create a file system');
    disks.push(disk);
    const { oracle, start, leave } = await begin({ DATA_DIR: join(disk.folder, 'data') });
    const server = await start();
    oracle.begin(4);
    await oracle.succeeds(200);
    disk.fail();
    await refused(oracle, 20);
    assert.equal((await readiness(server.url)).status, 503);
    server.child.kill('SIGTERM');
    leave(server);
    await ended(server.child);
    disk.repair();
    const again = await start();
    await oracle.succeeds(100);
    await oracle.end();
    t.diagnostic(await oracle.check());
    again.child.kill('SIGTERM');
    await ended(again.child);
  });

  it('causes 503 on a read-only PostgreSQL, three times, and the service recovers by itself', async (t) => {
    const database = await createTestDatabase('postgres');
    t.after(() => database.remove());
    const { oracle, start } = await begin({ DATABASE_URL: database.url, BASE_URL: 'http://auth.example' });
    const { url } = await start();
    await start({ DATA_DIR: 'other' });
    const name = new URL(database.url).pathname.slice(1);
    const server = { url: process.env.TEST_POSTGRES_URL as string };
    const readOnly = async (value: 'on' | 'off') => {
      await onServer(server, `alter database ${name} set default_transaction_read_only = ${value}`);
      await onServer(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    };
    oracle.begin(4);
    for (let round = 0; round < 3; round++) {
      await oracle.succeeds(60);
      await readOnly('on');
      await refused(oracle, 20);
      const { status, text } = await readiness(url);
      await readOnly('off');
      assert.equal(status, 503);
      assert.match(text, /"database":"not ready"/);
    }
    await oracle.succeeds(60);
    await oracle.end();
    t.diagnostic(await oracle.check());
  });
});
