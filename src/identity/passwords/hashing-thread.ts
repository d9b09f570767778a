import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { serveRequests } from '../../platform/worker-thread.ts';
import { matchesHash } from './imported-hashes.ts';
import { makeArgon2, writeArgon2 } from './password-hash.ts';

export type HashingJob =
  | { readonly kind: 'hash'; readonly password: string }
  | { readonly kind: 'verify'; readonly password: string; readonly hash: string };

/** The nice value of each priority (docs/decisions/threads-for-computing.md). */
const niceValues = { low: 5, lowest: 19 } as const;

export type HashingPriority = keyof typeof niceValues;

/** On Linux, each thread has its own priority, so the service responds to other requests while all cores hash. */
function lowerPriority(priority: HashingPriority): void {
  try {
    if (process.platform === 'linux') setPriority(0, niceValues[priority]);
  } catch {
    // Some sandboxes forbid this. Then hashing runs at normal priority.
  }
}

lowerPriority(workerData as HashingPriority);

serveRequests((job: HashingJob): string | boolean =>
  job.kind === 'hash' ? writeArgon2(makeArgon2(Buffer.from(job.password))) : matchesHash(job.password, job.hash),
);
