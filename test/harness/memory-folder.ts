import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** A run needs less than half of this. */
const neededBytes = 4 * 2 ** 30;

/**
 * Puts the temporary files of the run into memory, if there is enough of it. Each database on PostgreSQL is a copy of
 * several hundred files, which costs several times as much on a disk.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR || !existsSync(memory)) return;
  const { bavail, bsize } = statfsSync(memory);
  if (Math.min(bavail * bsize, freemem()) < neededBytes) return;
  const dir = mkdtempSync(join(memory, 'gatehouse-run-'));
  process.on('exit', () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  // Without these, a signal would end the process without the event above.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  // Other users use it too, as they use /tmp: PostgreSQL does not run as root.
  chmodSync(dir, 0o1777);
  if (!runsPrograms(dir)) return;
  process.env.TEST_DISK_DIR = tmpdir();
  process.env.TMPDIR = dir;
}

/** Containers often forbid this. */
function runsPrograms(dir: string): boolean {
  const program = join(dir, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  return spawnSync(program).status === 0;
}
