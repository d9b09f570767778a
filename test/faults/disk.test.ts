import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { createPostgres } from '../harness/postgres-server.ts';
import { trials } from '../harness/trial.ts';

/** A separate file system that can become full without affecting others. Undefined if this user may not mount one. */
function mountSmall(megabytes: number, mounted: string[]): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  mounted.push(folder);
  return folder;
}

/** Fills the disk to the last block, while the service continues to write. */
function fill(folder: string): () => void {
  const filler = join(folder, 'filler');
  for (const size of [1_000_000, 4096]) {
    try {
      for (;;) appendFileSync(filler, Buffer.alloc(size));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    }
  }
  return () => rmSync(filler);
}

const statusOf = async (url: string, path: string) => {
  const response = await fetch(url + path, { headers: { accept: 'application/json' } });
  return { status: response.status, text: await response.text() };
};

describe('A full disk', () => {
  const begin = trials();
  const mounted: string[] = [];
  after(() => {
    for (const folder of mounted) {
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true });
    }
  });
  const skip = (t: TestContext) => t.skip('this user may not mount a file system');

  it('causes 503 on SQLite, three times, and nothing acknowledged is lost', async (t) => {
    const folder = mountSmall(24, mounted);
    if (!folder) return skip(t);
    const { oracle, start } = await begin({ DATA_DIR: folder });
    const { url } = await start();
    oracle.begin(4);
    for (let round = 0; round < 3; round++) {
      await oracle.succeeds(60);
      const before = oracle.responses.get(503) ?? 0;
      const free = fill(folder);
      while ((oracle.responses.get(503) ?? 0) < before + 20) await new Promise((resolve) => setTimeout(resolve, 20));
      const ready = await statusOf(url, '/health/ready');
      assert.equal(ready.status, 503);
      assert.match(ready.text, /disk/);
      free();
    }
    await oracle.succeeds(60);
    await oracle.end();
    t.diagnostic(await oracle.check());
  });

  it('causes 503 on PostgreSQL, which may even stop, and nothing acknowledged is lost', async (t) => {
    const folder = mountSmall(500, mounted);
    if (!folder) return skip(t);
    const before = process.env.TMPDIR;
    process.env.TMPDIR = folder;
    const postgres = await createPostgres().finally(() => {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    });
    t.after(() => postgres.remove());
    const { oracle, start } = await begin({ DATABASE_URL: postgres.url });
    await start();
    oracle.begin(4);
    await oracle.succeeds(60);
    const free = fill(folder);
    while ((oracle.responses.get(503) ?? 0) < 20) await new Promise((resolve) => setTimeout(resolve, 20));
    free();
    // PostgreSQL stops if it cannot write its log.
    await postgres.stop();
    await postgres.start();
    await oracle.succeeds(60);
    await oracle.end();
    t.diagnostic(await oracle.check());
  });
});
