import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { signals } from '../../scripts/processes.mjs';

const memory = '/dev/shm';
/** A run needs less than half of this. */
const neededBytes = 4 * 2 ** 30;

/**
 * Puts the temporary files of the run into one folder, and removes it when this process ends, even if a signal ends it. Without
 * `onDisk`, the folder is in memory, if there is enough of it: each database on PostgreSQL is a copy of several hundred files,
 * which costs several times as much on a disk.
 */
export function enterRunFolder({ onDisk = false } = {}): void {
  process.once('exit', () => {
    for (const dir of made) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  // Without these, a signal would end the process without the event above.
  for (const signal of signals) process.once(signal, () => process.exit(1));
  const made: string[] = [];
  const make = (parent: string): string => {
    const dir = mkdtempSync(join(parent, 'gatehouse-run-'));
    made.push(dir);
    // Other users use it too, as they use /tmp: PostgreSQL does not run as root.
    chmodSync(dir, 0o1777);
    return dir;
  };
  const disk = tmpdir();
  const inMemory = !onDisk && hasMemory() ? make(memory) : undefined;
  if (inMemory && runsPrograms(inMemory)) {
    process.env.TEST_DISK_DIR = disk;
    process.env.TMPDIR = inMemory;
  } else process.env.TMPDIR = make(disk);
}

function hasMemory(): boolean {
  if (process.env.TMPDIR || !existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  return Math.min(bavail * bsize, freemem()) >= neededBytes;
}

/** Containers often forbid this. */
function runsPrograms(dir: string): boolean {
  const program = join(dir, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  return spawnSync(program).status === 0;
}
